//! Carrying over from other gateways: databases of one-api and new-api, and LiteLLM's configuration.
//! A source is read and understood as a whole before anything is written; what cannot be carried over
//! is in the report, with the reason. What an import made can be taken out again. No HTTP.

mod apply;
mod dump;
mod error;
mod gateway;
mod kind;
mod litellm;
mod plan;
mod report;
mod source;
mod table;
mod undo;

pub use apply::{Asked, By, Means, Watch, run_import};
pub use error::ImportError;
pub use kind::{Kind, understand};
pub use report::{Effect, Note, Report, UndoReport};
pub use source::Place;
pub use undo::undo_import;
