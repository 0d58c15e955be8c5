//! Bodies that are forms with files. They stream through: a form is read until it is known where it
//! goes, and the rest of it is read by whoever sends it on.

mod held;
mod incoming;
mod kind;
mod reading;
mod rest;
mod written;

#[cfg(test)]
mod tests;

pub use held::{Form, HeldFile, Watcher};
pub use incoming::media_type;
pub use kind::Kind;
pub use reading::read_form;
pub use written::WrittenForm;
