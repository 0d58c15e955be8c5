//! The load generator: connections that call as fast as they are answered, or streams held open.

mod answer;
mod chunked;
mod closed_loop;
mod events;
mod hold;
mod request;
mod tally;

pub use closed_loop::{Pace, call_in_a_loop};
pub use hold::hold_open;
pub use request::{Requests, Target};
