//! Rerank: one format of ours on three paths (`/v1/rerank`, `/v2/rerank`, `/rerank`), several vendor
//! shapes. A call is [`Request::read`], then [`write_calls`] for the chosen upstream, then [`answer`].

mod answer;
mod request;
mod shape;
mod upstream_read;
mod upstream_write;

#[cfg(test)]
mod tests;

pub use answer::{Answer, AnswerContext, answer};
pub use request::{Document, Request};
pub use shape::Shape;
pub use upstream_write::{Calls, write_calls};
