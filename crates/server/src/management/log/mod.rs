//! The request log on the interface: lists, one call with all that is known of it, the live tail,
//! and exports as a stream.

mod csv;
mod export;
mod list;
mod routes;
mod search;
mod tail;
mod view;

pub use routes::routes;
