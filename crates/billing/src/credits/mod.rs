//! Money that comes to users and leaves them other than by calls: gifts, corrections, referral
//! earnings, refunds. Each is one movement of the ledger under a key that counts once; the caller
//! begins and commits the transaction, so that what caused it is written together with it.
//!
//! Orders, redemption codes and rewards of invitations are the store's (`top_ups::complete`,
//! `redemption_codes::redeem`, `referrals::reward`): they credit in the same way.

mod give;
mod referral;
mod take;

pub use give::{Grant, grant};
pub use referral::transfer;
pub use take::{Adjustment, adjust, take_back};
