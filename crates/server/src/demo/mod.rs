//! The demo channel: a model vendor inside the gateway. It needs no network and no credential, and
//! the same request always gets the same answer, so that everything around a model call can be
//! tried and tested anywhere.

mod arguments;
mod prices;
mod text;
mod tokens;

pub use prices::price;
pub use text::answer;
pub use tokens::count_input;

/// The provider's id in channels.
pub const PROVIDER: &str = "demo";
