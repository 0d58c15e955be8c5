//! Trying a channel out, step by step, as a stream of events: whoever watches sees which step fails.
//! A test is nobody's call: it is not charged, not logged, and no channel's health hears of it.

mod ask;
mod handler;
mod matrix;
mod note;
mod report;
mod run;

pub use handler::{TestEvent, test};
pub use matrix::{Matrix, MatrixBegun, matrix};
