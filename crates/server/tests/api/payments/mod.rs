//! Money from outside: the webhook, top-up through both providers, redemption codes, referral.

mod claims;
mod codes;
mod deliveries;
mod incidents;
mod postgres;
mod referral;
mod service;
mod stripe;
mod top_up;
mod webhook;
