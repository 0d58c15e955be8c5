//! Money as the service knows it: this node's share of all wallets, and the prices in effect. What
//! calls cost and how it is paid is `billing`'s business.

mod declared;
mod prices;
mod wallets;

pub use prices::Prices;
pub use wallets::{open_wallets, revoke_leases, unused_wallets, write_charges};
