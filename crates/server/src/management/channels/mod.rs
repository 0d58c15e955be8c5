//! Channels as administrators manage them: make, change, drain, give other keys, delete, and see how
//! they are doing. Which channel a call takes is decided elsewhere.

mod balance;
mod batch;
mod create;
mod fetch_models;
mod fields;
mod keys;
mod list;
mod masks;
mod pinning;
mod routes;
mod routing;
mod state;
mod subject;
mod swap;
mod test;
mod update;
mod vendors;
mod view;

pub use routes::routes;
pub(in crate::management) use state::switch;
pub(in crate::management) use swap::swap_priority;
pub(in crate::management) use update::{editable, switchable};
