//! The transport and the vendors against a fake upstream.
#![expect(clippy::unwrap_used, reason = "what fails in a test shall fail it")]

mod amazon;
mod cancelling;
mod deadlines;
mod faults;
mod flow;
mod framing;
mod guarding;
mod operations;
mod pooling;
mod probing;
mod proxying;
mod realtime;
mod replies;
mod resets;
mod secure;
mod signing;
mod support;
mod vendors;
