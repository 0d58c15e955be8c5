//! The request log on the interface: lists, one call with all that is known of it, the live tail with
//! what is under way, and exports as a stream.

mod csv;
mod export;
mod list;
mod routes;
mod running;
mod search;
mod tail;
mod view;

pub use routes::routes;
