//! `/api/import/`: carrying over from other gateways.

mod begin;
mod routes;
mod undo;
mod upload;
mod view;

pub use routes::routes;
