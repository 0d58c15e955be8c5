//! What a failed call means for the next step: whose fault it is, whether another key or channel can
//! help, and what the client may be told. Chooses no status for the client.

mod classify;
#[cfg(test)]
mod classify_tests;
mod kinds;
mod reset_hints;

pub use kinds::{CausedBy, Fault, Retry, UpstreamFailure};
