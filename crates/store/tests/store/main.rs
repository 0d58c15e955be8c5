//! The store suite: every body runs on SQLite and on a real PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[macro_use]
mod support;

mod backup;
mod incidents;
mod leases;
mod ledger;
mod log;
mod logins;
mod low_balances;
mod opening;
mod payments;
mod routing;
mod service;
mod shared;
mod tasks;
mod unclean_stop;
mod users;
