//! How people get in and what they change of themselves: set-up, registration, logins, second
//! factors, sessions, access tokens, the step-up check.

mod access_tokens;
mod ceremonies;
mod client;
mod cookies;
mod credentials;
mod identified;
mod identities;
mod leave;
mod login;
mod mail;
mod oauth;
mod passkeys;
mod profile;
mod refusals;
mod register;
mod routes;
mod second_factor;
mod sessions;
mod setup;
mod verify;

pub use routes::routes;
