//! Connections, and what queries need of how the two engines differ. How a transaction begins is in
//! [`crate::transaction`]; what differs for one subject alone (partitions, backup) is in its own file.

mod alone;
mod connections;
mod pool;
mod postgres;
mod rows;
mod sqlite;
mod words;

pub use alone::{Alone, alone};
pub use connections::{Database, DatabaseFacts, Engine, PoolFacts};
pub(crate) use rows::{in_statements, insert_rows, insert_rows_with, values_of};
pub(crate) use sqlite::{open_copy, quick_check};
pub use words::{for_update, for_update_skipping, statement};
pub(crate) use words::{placeholders, server_started_at};

pub(crate) use crate::transaction::Transaction;
