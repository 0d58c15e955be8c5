//! What the service says about itself: its state, its description, and the page that shows it.

mod reference;
mod routes;
mod status;

pub use routes::routes;
