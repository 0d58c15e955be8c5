//! The models that somebody can use: their names, what they do, what they cost.

mod list;
mod routes;

pub use routes::routes;
