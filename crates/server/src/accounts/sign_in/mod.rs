//! Logging in through an identity provider: OpenID Connect, or OAuth 2 with a page that says who somebody is;
//! authorization code with PKCE. It talks to the provider and checks what it says; whose account that is, is decided
//! elsewhere.

mod call;
mod id_token;
mod oauth;
mod open_id;
mod person;
mod provider;

pub use call::ProviderError;
pub use id_token::NotAnIdToken;
pub use person::Person;
pub use provider::IdentityProvider;
