//! `[[oauth]]`: identity providers that speak OAuth 2 and no OpenID Connect. What is known of some of them comes from
//! a preset.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::loader::Declaration;
use super::oidc::{is_name, is_trustworthy, resolve_secret};
use super::secret::Secret;

/// A provider whose addresses and fields are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OAuthPreset {
    /// github.com.
    Github,
    /// discord.com.
    Discord,
    /// linux.do.
    Linuxdo,
}

/// How the gateway shows the token address who it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuth {
    /// The secret is a field of the form.
    #[default]
    Body,
    /// The secret is in the `authorization` header.
    Basic,
}

/// One `[[oauth]]` entry. A text that is empty comes from the preset, where that has one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthDeclaration {
    /// Its name in addresses, unique among all identity providers: letters, digits and hyphens.
    pub name: String,
    /// What the login page calls it; absent: what the preset says, or the name.
    #[serde(default)]
    pub label: Option<String>,
    /// `github`, `discord` or `linuxdo`: fills in what is absent below.
    #[serde(default)]
    pub preset: Option<OAuthPreset>,
    /// What it knows this gateway by.
    pub client_id: String,
    /// What proves that it is this gateway.
    #[serde(default)]
    pub client_secret: Option<Secret>,
    /// The environment variable that holds the secret.
    #[serde(default)]
    pub client_secret_env: Option<String>,
    /// `body` or `basic`: where the secret goes.
    #[serde(default)]
    pub client_auth: ClientAuth,
    /// The page to which people are sent.
    #[serde(default)]
    pub authorization_url: String,
    /// Where codes are exchanged.
    #[serde(default)]
    pub token_url: String,
    /// Where it says who somebody is. People are known by it and their subject there.
    #[serde(default)]
    pub userinfo_url: String,
    /// Where it lists somebody's addresses as GitHub does; absent: what the profile says counts.
    #[serde(default)]
    pub emails_url: String,
    /// What is asked for, with spaces between.
    #[serde(default)]
    pub scopes: String,
    /// The field of the profile that never changes, a text or a whole number; dots lead into objects.
    #[serde(default)]
    pub subject_field: String,
    /// The field with the name that somebody logs in with there.
    #[serde(default)]
    pub username_field: String,
    /// The field with somebody's name.
    #[serde(default)]
    pub name_field: String,
    /// The field with the address.
    #[serde(default)]
    pub email_field: String,
    /// The field that is `true` where the address is verified; absent: it never is.
    #[serde(default)]
    pub email_verified_field: String,
    /// Whether people who are new here get an account, where registration is on.
    #[serde(default = "yes")]
    pub register: bool,
    /// Whether somebody who is new here gets the account that has the same verified address; as for OpenID Connect.
    #[serde(default)]
    pub link_by_email: bool,
}

const fn yes() -> bool {
    true
}

/// What is known of a provider.
struct Known {
    label: &'static str,
    authorization_url: &'static str,
    token_url: &'static str,
    userinfo_url: &'static str,
    emails_url: &'static str,
    scopes: &'static str,
    username_field: &'static str,
    name_field: &'static str,
    email_field: &'static str,
    email_verified_field: &'static str,
}

const GITHUB: Known = Known {
    label: "GitHub",
    authorization_url: "https://github.com/login/oauth/authorize",
    token_url: "https://github.com/login/oauth/access_token",
    userinfo_url: "https://api.github.com/user",
    emails_url: "https://api.github.com/user/emails",
    scopes: "read:user user:email",
    username_field: "login",
    name_field: "name",
    email_field: "email",
    email_verified_field: "",
};

const DISCORD: Known = Known {
    label: "Discord",
    authorization_url: "https://discord.com/oauth2/authorize",
    token_url: "https://discord.com/api/oauth2/token",
    userinfo_url: "https://discord.com/api/users/@me",
    emails_url: "",
    scopes: "identify email",
    username_field: "username",
    name_field: "global_name",
    email_field: "email",
    email_verified_field: "verified",
};

const LINUXDO: Known = Known {
    label: "LINUX DO",
    authorization_url: "https://connect.linux.do/oauth2/authorize",
    token_url: "https://connect.linux.do/oauth2/token",
    userinfo_url: "https://connect.linux.do/api/user",
    emails_url: "",
    scopes: "",
    username_field: "username",
    name_field: "name",
    email_field: "",
    email_verified_field: "",
};

impl OAuthPreset {
    fn known(self) -> &'static Known {
        match self {
            Self::Github => &GITHUB,
            Self::Discord => &DISCORD,
            Self::Linuxdo => &LINUXDO,
        }
    }
}

impl OAuthDeclaration {
    /// What people see.
    pub fn label(&self) -> &str {
        let known = self.preset.map(|preset| preset.known().label);
        self.label.as_deref().or(known).unwrap_or(&self.name)
    }

    fn fill(&mut self, known: &Known) {
        for (field, value) in [
            (&mut self.authorization_url, known.authorization_url),
            (&mut self.token_url, known.token_url),
            (&mut self.userinfo_url, known.userinfo_url),
            (&mut self.emails_url, known.emails_url),
            (&mut self.scopes, known.scopes),
            (&mut self.subject_field, "id"),
            (&mut self.username_field, known.username_field),
            (&mut self.name_field, known.name_field),
            (&mut self.email_field, known.email_field),
            (&mut self.email_verified_field, known.email_verified_field),
        ] {
            if field.is_empty() {
                value.clone_into(field);
            }
        }
    }
}

impl Declaration for OAuthDeclaration {
    const LIST: &'static str = "oauth";

    fn resolve(
        &mut self,
        environment: &BTreeMap<String, String>,
        refuse: &mut dyn FnMut(&'static str, String),
    ) {
        resolve_secret(
            &mut self.client_secret,
            self.client_secret_env.as_deref(),
            environment,
            refuse,
        );
        if let Some(preset) = self.preset {
            self.fill(preset.known());
        }
        if !is_name(&self.name) {
            refuse("name", "must be letters, digits and hyphens".to_owned());
        }
        for (key, url) in [
            ("authorization_url", &self.authorization_url),
            ("token_url", &self.token_url),
            ("userinfo_url", &self.userinfo_url),
            ("emails_url", &self.emails_url),
        ] {
            let may_be_absent = key == "emails_url" && url.is_empty();
            if !may_be_absent && !is_trustworthy(url) {
                let text = "must begin with https://, or be on this machine".to_owned();
                refuse(key, text);
            }
        }
        for (key, text) in [
            ("client_id", &self.client_id),
            ("subject_field", &self.subject_field),
        ] {
            if text.is_empty() {
                refuse(key, "must not be empty".to_owned());
            }
        }
    }

    fn identity(&self) -> (&'static str, &str) {
        ("name", &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::super::problem::Problem;

    const GITHUB: &str = "[[oauth]]\nname = \"github\"\npreset = \"github\"\nclient_id = \"c\"\n\
                          client_secret = \"hush\"\n";

    #[test]
    fn a_preset_needs_no_more_than_the_client() {
        let config = Config::from_text(GITHUB).unwrap();
        let github = &config.oauth[0];
        assert_eq!(github.label(), "GitHub");
        assert_eq!(github.userinfo_url, "https://api.github.com/user");
        assert_eq!(github.emails_url, "https://api.github.com/user/emails");
        assert_eq!(
            (github.subject_field.as_str(), github.register),
            ("id", true)
        );
        assert!(!format!("{config:?}").contains("hush"));
        for preset in ["discord", "linuxdo"] {
            let text = GITHUB.replace("preset = \"github\"", &format!("preset = \"{preset}\""));
            Config::from_text(&text).unwrap();
        }
    }

    #[test]
    fn what_is_given_counts_before_the_preset() {
        let own = "userinfo_url = \"https://git.example/api/v3/user\"\nlabel = \"Git\"\n";
        let config = Config::from_text(&format!("{GITHUB}{own}")).unwrap();
        let git = &config.oauth[0];
        assert_eq!(
            (git.label(), git.userinfo_url.as_str()),
            ("Git", "https://git.example/api/v3/user")
        );
    }

    #[test]
    fn without_a_preset_everything_is_said_and_safe() {
        let bare = GITHUB.replace("preset = \"github\"\n", "");
        let open = "userinfo_url = \"http://git.example/user\"\n";
        let oidc = "[[oidc]]\nname = \"github\"\nissuer = \"https://id.example\"\n\
                    client_id = \"c\"\nclient_secret = \"hush\"\n";
        for (wrong, words) in [
            (bare.clone(), "oauth[0].authorization_url: must begin with"),
            (bare, "oauth[0].subject_field: must not be empty"),
            (
                format!("{GITHUB}{open}"),
                "oauth[0].userinfo_url: must begin with",
            ),
            (
                format!("{oidc}{GITHUB}"),
                "oauth.name: \"github\" is declared in [[oidc]], too",
            ),
        ] {
            let problems = Config::from_text(&wrong).unwrap_err().0;
            let is_told = |problem: &Problem| problem.to_string().contains(words);
            assert!(problems.iter().any(is_told), "{problems:?}");
        }
    }
}
