//! `[[oidc]]`: identity providers that people may log in through (OpenID Connect).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::loader::Declaration;
use super::secret::Secret;
use super::tokens::key_from_environment;

/// One `[[oidc]]` entry.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcDeclaration {
    /// Its name in addresses, unique in the list: letters, digits and hyphens.
    pub name: String,
    /// What the login page calls it; absent: the name.
    #[serde(default)]
    pub label: Option<String>,
    /// Where it is; its description lies below it.
    pub issuer: String,
    /// What it knows this gateway by.
    pub client_id: String,
    /// What proves that it is this gateway.
    #[serde(default)]
    pub client_secret: Option<Secret>,
    /// The environment variable that holds the secret.
    #[serde(default)]
    pub client_secret_env: Option<String>,
    /// Whether people who are new here get an account, where registration is on.
    #[serde(default = "yes")]
    pub register: bool,
    /// Whether somebody who is new here gets the account that has the same address, where the
    /// provider has verified it. Only for providers that nobody else can get addresses from, and only
    /// with a mail server, which verifies addresses here: it may be a stored setting, so logins ask.
    #[serde(default)]
    pub link_by_email: bool,
}

const fn yes() -> bool {
    true
}

impl OidcDeclaration {
    /// What people see.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

impl Declaration for OidcDeclaration {
    const LIST: &'static str = "oidc";

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
        if !is_name(&self.name) {
            refuse("name", "must be letters, digits and hyphens".to_owned());
        }
        if !is_trustworthy(&self.issuer) {
            let text = "must begin with https://, or be on this machine".to_owned();
            refuse("issuer", text);
        }
        if self.client_id.is_empty() {
            refuse("client_id", "must not be empty".to_owned());
        }
    }

    fn identity(&self) -> (&'static str, &str) {
        ("name", &self.name)
    }
}

/// Takes a client's secret from where the entry says that it is.
pub(super) fn resolve_secret(
    secret: &mut Option<Secret>,
    variable: Option<&str>,
    environment: &BTreeMap<String, String>,
    refuse: &mut dyn FnMut(&'static str, String),
) {
    match (&secret, variable) {
        (Some(_), Some(_)) | (None, None) => {
            let text = "exactly one of client_secret and client_secret_env must be set";
            refuse("client_secret", text.to_owned());
        }
        (None, Some(variable)) => match key_from_environment(variable, environment) {
            Ok(found) => *secret = Some(found),
            Err(text) => refuse("client_secret_env", text),
        },
        (Some(_), None) => {}
    }
}

/// Whether a name can stand in an address.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(is_plain)
}

/// Whoever could change what an issuer says could log in as anybody.
pub(super) fn is_trustworthy(issuer: &str) -> bool {
    let Ok(uri) = issuer.parse::<http::Uri>() else {
        return false;
    };
    let is_local = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
    match uri.scheme_str() {
        Some("https") => true,
        Some("http") => is_local,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    #[test]
    fn a_provider_is_declared_with_its_secret_and_a_safe_address() {
        let text = "[[oidc]]\nname = \"work\"\nissuer = \"https://id.example\"\nclient_id = \"c\"\n\
                    client_secret = \"hush\"\n";
        let config = Config::from_text(text).unwrap();
        assert!(config.oidc[0].register && !config.oidc[0].link_by_email);
        assert!(!format!("{config:?}").contains("hush"));
        for (wrong, words) in [
            (
                text.replace("https", "http"),
                "oidc[0].issuer: must begin with https://",
            ),
            (text.replace("work", "a b"), "oidc[0].name: must be letters"),
            (
                text.replace("client_secret", "client_secret_env"),
                "oidc[0].client_secret_env: the",
            ),
        ] {
            let problems = Config::from_text(&wrong).unwrap_err().to_string();
            assert!(problems.contains(words), "{problems}");
        }
    }
}
