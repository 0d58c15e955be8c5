//! The transport and the vendors against a fake upstream.
#![expect(clippy::unwrap_used, reason = "what fails in a test shall fail it")]

mod cancelling;
mod deadlines;
mod faults;
mod flow;
mod guarding;
mod pooling;
mod probing;
mod proxying;
mod realtime;
mod secure;
mod signing;
mod support;
mod vendors;
