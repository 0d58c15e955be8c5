//! Text generation: five client dialects to whatever an upstream speaks. A client and an upstream of
//! one dialect exchange their own bytes; all others meet in the canonical form.

mod affinity;
mod answer;
mod context;
mod fetch;
mod format;
mod input;
mod prompts;
mod read;
mod request;
mod searching;
mod task;
mod usage;

pub use read::read;
pub use task::TextTask;
pub use usage::tokens_of;
