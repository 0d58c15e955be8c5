//! A configured identity provider of either kind.

use super::call::ProviderError;
use super::person::Person;
use super::{oauth, open_id};
use crate::app::App;
use crate::config::{Config, OAuthDeclaration, OidcDeclaration};

/// A provider that people may log in through.
#[derive(Clone, Copy, Debug)]
pub enum IdentityProvider<'a> {
    /// It speaks OpenID Connect.
    OpenId(&'a OidcDeclaration),
    /// It speaks OAuth 2 and says who somebody is in its own way.
    OAuth(&'a OAuthDeclaration),
}

impl<'a> IdentityProvider<'a> {
    /// All that are configured.
    pub fn all(config: &'a Config) -> impl Iterator<Item = Self> {
        let open_id = config.oidc.iter().map(Self::OpenId);
        open_id.chain(config.oauth.iter().map(Self::OAuth))
    }

    /// The one of this name.
    pub fn named(config: &'a Config, name: &str) -> Option<Self> {
        Self::all(config).find(|provider| provider.name() == name)
    }

    /// Its name in addresses.
    pub fn name(self) -> &'a str {
        match self {
            Self::OpenId(declared) => &declared.name,
            Self::OAuth(declared) => &declared.name,
        }
    }

    /// What people call it.
    pub fn label(self) -> &'a str {
        match self {
            Self::OpenId(declared) => declared.label(),
            Self::OAuth(declared) => declared.label(),
        }
    }

    /// Who vouches for the subjects: each name for a person is unique there.
    pub fn issuer(self) -> &'a str {
        match self {
            Self::OpenId(declared) => &declared.issuer,
            Self::OAuth(declared) => &declared.userinfo_url,
        }
    }

    /// Whether people who are new here get an account, where registration is on.
    pub fn registers(self) -> bool {
        match self {
            Self::OpenId(declared) => declared.register,
            Self::OAuth(declared) => declared.register,
        }
    }

    /// Whether somebody who is new here gets the account that has the same verified address.
    pub fn links_by_email(self) -> bool {
        match self {
            Self::OpenId(declared) => declared.link_by_email,
            Self::OAuth(declared) => declared.link_by_email,
        }
    }

    /// The provider's page to which a browser is sent.
    pub async fn page(
        self,
        app: &App,
        redirect_uri: &str,
        (state, nonce, verifier): (&str, &str, &str),
    ) -> Result<String, ProviderError> {
        match self {
            Self::OpenId(declared) => {
                open_id::page(app, declared, redirect_uri, (state, nonce, verifier)).await
            }
            Self::OAuth(declared) => Ok(oauth::page(declared, redirect_uri, (state, verifier))),
        }
    }

    /// Turns the code that a browser came back with into what the provider says about the person.
    pub async fn identify(
        self,
        app: &App,
        redirect_uri: &str,
        (code, nonce, verifier): (&str, &str, &str),
    ) -> Result<Person, ProviderError> {
        match self {
            Self::OpenId(declared) => {
                open_id::identify(app, declared, redirect_uri, (code, nonce, verifier)).await
            }
            Self::OAuth(declared) => {
                oauth::identify(app, declared, redirect_uri, (code, verifier)).await
            }
        }
    }
}
