//! Money: a double-entry ledger. Every movement is one row from one account to another, and the
//! balances of both follow in the same transaction. Prices and reservations are not known here.

mod account;
mod credit;
mod post;
mod verify;

pub use account::{Account, Balances, balance, balances};
pub use credit::{Credit, TakenBack, credit, take_back};
pub use post::{Movement, Outcome, post};
pub use verify::{Difference, Verification, verify};

pub(crate) use account::{lock_user, lock_users};
pub(crate) use credit::pay_in;
