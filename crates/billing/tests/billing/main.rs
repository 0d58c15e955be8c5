//! What billing does with real records: every body runs on SQLite and on a real PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[macro_use]
mod support;

mod budgets;
mod credits;
mod declared_prices;
mod excess;
mod model;
mod model_moves;
mod nodes;
mod outage;
mod races;
mod recorded_traffic;
mod revoking;
mod settling;
mod spool;
mod vendor_usages;
