//! The journal: where settlements go while the database is away. A file of records that only
//! grows, is fsynced before anybody is told, and is emptied when the database has it all.
//!
//! When to write and when to replay is the writer's business (`super::backlog`).

mod file;
pub(super) mod frame;
#[cfg(test)]
pub(super) mod testing;

pub(super) use file::{AppendError, Journal};
