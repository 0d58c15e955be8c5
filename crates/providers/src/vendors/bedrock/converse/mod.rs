//! Converse, Amazon's one format for the models of many makers: a private dialect over the canonical
//! form. Only upstreams speak it, so it writes requests and reads answers, and nothing else.

mod content_write;
mod dialect;
mod document_write;
mod finish;
mod model_family;
mod prepare;
mod reply_read;
mod request_write;
mod stream_read;
mod usage;
mod wire;

#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod request_tests;

pub use dialect::Converse;
