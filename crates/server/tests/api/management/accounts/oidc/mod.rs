//! Logging in through an identity provider (OpenID Connect).

mod login;
mod provider;
