//! A node's share of the wallets: calls reserve and settle in memory, the records follow in group
//! commits.
//!
//! A purse is one lease in memory. It is filled by an atomic conditional update (`obtain`), spent
//! without the database (`purse`), written down by one task (`writer`; to the `spool` first, while
//! the database is away to the `journal`), and looked after by `upkeep`. What the money is for is not known here; see `pricing`.

mod backlog;
mod budget;
mod entry;
mod excess;
mod figures;
mod inner;
mod joining;
mod journal;
mod note;
mod obtain;
mod purse;
mod records;
mod reserve;
mod revoke;
mod row;
mod settings;
mod spool;
mod upkeep;
mod writer;
mod written;

pub use budget::{token_budgets, user_budgets, window_end};
pub use excess::Loss;
pub use figures::Figures;
pub use inner::Wallets;
pub use reserve::{Request, Reservation, ReserveError};
pub use settings::{Clock, Durability, JournalSettings, Settings};
pub use written::{NotWritten, Written};
