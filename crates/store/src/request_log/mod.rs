//! The request log: every call with its attempts, its usage and what it was charged.
//!
//! Made for tens of millions of rows: written in batches inside the transaction that charges,
//! read newest first by cursors, cut by the day on PostgreSQL. Rows are never changed; sums for
//! the charts are kept apart in [`crate::rollups`].

mod append;
mod call;
mod causes;
mod filter;
mod list;

pub use append::{Appended, append, set_charge};
pub use call::{Attempt, LoggedCall, OtherUsage, PriceLine};
pub use causes::{CauseCount, error_causes};
pub use filter::{LogFilter, StatusClass};
pub use list::{MAX_PAGE, PageBounds, find, page, page_statement};
