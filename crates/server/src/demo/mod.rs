//! The demo channel: a model vendor inside the gateway. It needs no network and no credential, and
//! the same request always gets the same answer, so that everything around a model call can be
//! tried and tested anywhere. It speaks the vendors' wire formats, so that calls to it go the way of
//! all calls.

mod answer;
mod arguments;
mod embeddings;
mod formats;
mod generation;
mod moderation;
mod prices;
mod rerank;
mod serve;
mod switches;
mod text;
mod tokens;

#[cfg(test)]
mod generation_tests;

pub use formats::{MODELS, formats};
pub use prices::price;
pub use serve::serve;
pub use switches::{BadSwitch, HEADER, Switches};
pub use text::answer;
pub use tokens::count_input;

/// The provider's id in channels.
pub const PROVIDER: &str = "demo";
