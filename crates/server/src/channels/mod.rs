//! Channels as model calls know them: which of them serves a model for a group. Edits reach this
//! view through change notices; it never asks the database during a call.

mod keys;
mod snapshot;

pub use keys::{open_key, seal_key};
pub use snapshot::{Channels, Route, Snapshot};
