//! How people get in and what they change of themselves.

mod authenticator;
mod forged_calls;
mod login;
mod low_balance;
mod mail;
mod oidc;
mod passkeys;
mod profile;
mod registration;
mod second_factor;
mod sessions;
mod setup;
mod step_up;
pub mod support;
