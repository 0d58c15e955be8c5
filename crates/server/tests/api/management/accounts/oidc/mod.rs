//! Logging in through an identity provider: OpenID Connect, and OAuth 2 without it.

mod http;
mod login;
mod oauth_login;
mod oauth_provider;
mod provider;
