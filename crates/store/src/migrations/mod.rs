//! The schema, step by step: one list, one file a step (more where the engines differ).
//!
//! Steps only go forward and only add; an applied step is never edited. Versions 1 to 9 are the
//! core records, 10 to 19 the request log, the audit log and their roll-ups.

mod runner;

pub(crate) use runner::{Migration, check, run};

/// Every step, in order.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "accounts",
    both: include_str!("0001_accounts.sql"),
    sqlite: "",
    postgres: "",
}];
