//! Top-up: payment providers, orders, and the signed events by which providers tell what became
//! of them. Whatever comes in is acted on once; nothing here knows HTTP statuses.
//!
//! To add a provider: a file with its [`PaymentProvider`], and one line in `provider.rs`.

mod api_call;
mod claims;
mod epay;
mod epay_notice;
mod event;
mod form;
mod fulfil;
mod orders;
mod provider;
mod receive;
mod reconcile;
mod redemption_code;
mod sandbox;
mod signature;
mod stripe;
mod stripe_event;
mod stripe_history;

pub use epay::NOTICES as EPAY_NOTICES;
pub use epay_notice::receive_notice;
pub use form::encode as encode_form;
pub use orders::{CURRENCY, CannotOrder, MAXIMUM, MINIMUM, hundredths, minor_units, order};
pub use provider::{PROVIDERS, find_provider, surroundings};
pub use receive::{Delivery, Refused, receive, replay};
pub use reconcile::{catch_up, reconcile};
pub use redemption_code::{hash_redemption_code, new_redemption_code};
pub use sandbox::{Outcome as SandboxOutcome, act as act_in_sandbox, find_checkout};
pub use signature::sign;
