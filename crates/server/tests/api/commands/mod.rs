//! Commands beside `serve`: copies of the records, records for scripts, and what describes the program.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod backup;
mod describing;
mod keys;
mod records;
mod scripts;

pub use scripts::call;
