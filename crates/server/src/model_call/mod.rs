//! The model-call interface, `/v1` and `/v1beta`: its route table and its errors.

mod error;

pub use error::{CallError, refuse};
