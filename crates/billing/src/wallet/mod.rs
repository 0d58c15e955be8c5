//! A node's share of the wallets: calls reserve and settle in memory, the records follow in group
//! commits.
//!
//! A purse is one lease in memory. It is filled by an atomic conditional update (`obtain`), spent
//! without the database (`purse`), written down by one task (`writer`), and looked after by
//! `upkeep`. What the money is for is not known here; see `pricing`.

mod budget;
mod inner;
mod note;
mod obtain;
mod purse;
mod reserve;
mod settings;
mod upkeep;
mod writer;

pub use budget::token_budgets;
pub use inner::Wallets;
pub use reserve::{Request, Reservation, ReserveError};
pub use settings::{Clock, Durability, Settings};
pub use writer::{NotWritten, Written};
