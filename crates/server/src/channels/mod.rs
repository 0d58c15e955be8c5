//! Channels as model calls know them: which of them serves a model for a group. Edits reach this
//! view through change notices; it never asks the database during a call.

mod snapshot;

pub use snapshot::{Channels, Route, Snapshot};
