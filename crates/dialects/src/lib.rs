#![doc = include_str!("../README.md")]

pub mod canonical;
mod dialect;
pub mod ids;
pub mod json;
mod signature;

pub mod chat_completions;
pub mod generate_content;
pub mod messages;
pub mod responses;
pub mod text_completions;

pub use dialect::{
    Dialect, DialectId, Frame, Framing, PathHints, ReplyContext, StreamReader, StreamWriter,
    Written,
};
pub use signature::Signature;
