#![doc = include_str!("../README.md")]

mod around;
mod body_counts;
pub mod canonical;
mod capabilities;
pub mod convert;
pub mod counting;
mod data_url;
pub mod demand;
mod dialect;
pub mod error_body;
pub mod escapes;
pub mod event_outline;
pub mod fields;
pub mod fold;
mod frame_wire;
pub mod frames;
mod google_media;
pub mod ids;
pub mod json;
pub mod json_array;
pub mod json_depth;
mod json_write;
mod media_type;
mod mend;
pub mod models;
pub mod outline;
pub mod passes;
mod plain;
pub mod restore;
pub mod said;
pub mod scan;
mod sighted;
mod signature;
#[cfg(test)]
mod spoil;
#[cfg(test)]
mod spoiled_tests;
pub mod sse;
pub mod stop_cut;
pub mod tap;
#[cfg(test)]
mod testing;
mod tree;
pub mod units;
mod untold;
mod upstream;
mod usual;
pub mod vendor_state;
mod walk;

pub mod chat_completions;
pub mod generate_content;
pub mod messages;
pub mod responses;
pub mod text_completions;

pub mod audio;
pub mod embeddings;
pub mod images;
pub mod moderations;
pub mod realtime;
pub mod rerank;

pub use body_counts::CountLimits;
pub use capabilities::{Capabilities, ThinkingStyle};
pub use dialect::{
    Begun, CountInput, Dialect, DialectId, Frame, Framing, PathHints, ReplyContext, StreamReader,
    StreamWriter, ToolOrigin, Written, name_once,
};
pub use sighted::{Sighted, Word};
pub use signature::Signature;
pub use upstream::UpstreamDialect;
pub use walk::check_unicode;
