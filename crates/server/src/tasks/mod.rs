//! Long work that people can watch and cancel.

mod kind;
mod note;
mod running;

pub use kind::TaskKind;
pub use note::TaskNote;
pub use running::{CannotBegin, RunningTask, SILENCE_MS};
