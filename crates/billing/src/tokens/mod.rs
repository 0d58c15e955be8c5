//! How many tokens a request's input is, before anybody has counted it: a cheap bound first, a
//! count where the bound is not enough. Pure; whoever counts much leaves the async threads.
//!
//! Vendors' tokenizers differ. Ours is the public o200k one; its counts are estimates for every
//! other model, and what vendors report always wins.

mod body;
mod media;
mod request;
mod sample;
mod text;

pub use body::bound_body;
pub use media::IMAGE;
pub use request::{InputSample, approximate_request, count_request};
pub use text::{approximate, bound, count, load, must_leave_thread};
