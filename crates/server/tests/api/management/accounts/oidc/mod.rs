//! Logging in through an identity provider (OpenID Connect).

mod login;
mod provider;

pub use provider::{CLIENT_SECRET, IdentityProvider};
