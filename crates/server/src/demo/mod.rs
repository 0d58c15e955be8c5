//! The demo channel: a model vendor inside the gateway. It needs no network and no credential, and
//! the same request always gets the same answer, so that everything around a model call can be
//! tried and tested anywhere. It speaks the vendors' wire formats, so that calls to it go the way of
//! all calls.

mod answer;
mod arguments;
mod drawing;
mod embeddings;
mod form;
mod formats;
mod generation;
mod images;
mod moderation;
mod png;
pub mod realtime;
mod rerank;
mod serve;
mod sound;
mod speech;
mod switches;
mod text;
mod tokens;
mod transcript;

#[cfg(test)]
mod generation_tests;

pub use formats::{MODELS, formats};
pub use serve::serve;
pub use switches::{BadSwitch, HEADER, Switches};
pub use text::answer;
pub use tokens::count_input;

/// The provider's id in channels.
pub const PROVIDER: &str = "demo";

/// When the demo models made their answers, in unix seconds: always the same, like all they say.
const CREATED: u64 = 1_767_225_600;
