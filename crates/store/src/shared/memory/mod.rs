//! The in-process twin: the same rules as in Redis, under plain mutexes, bounded in size.
//! It reads no clock; every call says what time it is.

mod cache;
mod leases;
mod rates;
mod state;

pub use state::{Memory, MemoryBounds};
