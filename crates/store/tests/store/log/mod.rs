//! The request log, its roll-ups, the audit log and retention.

mod audit;
mod calls;
mod filters;
mod pages;
mod partitions;
mod retention;
mod rollups;
