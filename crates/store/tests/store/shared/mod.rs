//! The suite of the shared state: every body runs in process and on a real Redis.

#[macro_use]
mod backend;

mod admission;
mod cache;
mod changes;
mod leases;
mod outage;
mod rates;
