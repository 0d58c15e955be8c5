//! Embeddings: one format of ours (and the two methods of generate content), several vendor shapes.
//! A call is [`Request::read`] (or [`read_embed_content`], [`read_batch_embed_contents`]), then
//! [`write_calls`] for the chosen upstream, then [`answer`] over what came back.

mod answer;
mod google_client;
mod purpose;
mod request;
mod shape;
mod upstream_read;
mod upstream_write;
mod vector;

#[cfg(test)]
mod chaos_tests;
#[cfg(test)]
mod google_tests;
#[cfg(test)]
mod tests;

pub use answer::{Answer, AnswerContext, answer};
pub use google_client::{read_batch_embed_contents, read_embed_content};
pub use purpose::Purpose;
pub use request::{ClientFormat, Encoding, Input, MAX_INPUTS, Request};
pub use shape::Shape;
pub use upstream_write::{Call, Calls, write_calls};
pub use vector::Vector;
