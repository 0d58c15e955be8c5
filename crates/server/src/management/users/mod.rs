//! Users as administrators manage them: list, make, import, change, switch off, delete. How users log in and
//! what they change of themselves is elsewhere.

mod account;
mod balance;
mod create;
mod import;
mod list;
mod manage;
mod routes;
pub mod rules;
mod update;
mod view;

pub use account::taken;
pub use routes::routes;
pub use view::{UserView, status_number, view_of, views};
