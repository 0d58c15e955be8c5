//! Money from outside on the interface: top-up, the payment webhook and its deliveries, the
//! sandbox's checkout page, redemption codes, referral earnings.

mod codes;
mod deliveries;
mod dollar_amount;
mod epay_door;
mod orders;
mod referral;
mod routes;
mod sandbox_page;
mod top_up;
mod webhook;

pub use routes::{pages, routes};
