//! `/v1/images/generations`, `/v1/images/edits` and `/v1/images/variations`. To upstreams of the
//! common format the client's own body goes; models of Google are asked in their own way, once for
//! each image.

mod drawn;
mod fetch;
mod listener;
mod read;
mod task;
mod wish;

pub use read::{read_edit, read_generation, read_variation};
