//! What the service says about itself: its state, its description, and the page that shows it.

mod backup;
mod models;
mod page;
mod reference;
mod routes;
mod status;
mod system;

pub use page::page;
pub use reference::description;
pub use routes::routes;
