//! Logging in through an identity provider: OpenID Connect, authorization code with PKCE. It talks to
//! the provider and checks what it says; whose account that is, is decided elsewhere.

mod id_token;
mod provider;

pub use id_token::{Claims, NotAnIdToken};
pub use provider::{OidcError, Provider, authorization_url, exchange};
