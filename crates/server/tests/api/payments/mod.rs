//! Money from outside: the webhook, top-up through every provider, redemption codes, referral.

mod claims;
mod codes;
mod deliveries;
mod epay;
mod incidents;
mod postgres;
mod referral;
mod service;
mod stripe;
mod top_up;
mod webhook;
