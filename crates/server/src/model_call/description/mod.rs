//! The model-call interface as part of the OpenAPI document: what programs send and get, in the
//! vendors' own formats. It describes; what is refused is decided where it is read.

mod document;
mod operations;

pub use document::add_to;
