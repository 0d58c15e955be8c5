//! Settings: what is in effect and where it was set, and changes that all nodes obey at once.

mod list;
mod pages;
mod routes;
mod update;
mod view;

pub use routes::routes;
pub(in crate::management) use update::change;
