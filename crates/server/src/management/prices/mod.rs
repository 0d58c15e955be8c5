//! Prices as administrators manage them: which one counts and why, overrides from a time on, and what
//! a model cost before. A stored price is never edited.

mod change;
mod list;
mod routes;
mod sync;
mod view;

pub use routes::routes;
