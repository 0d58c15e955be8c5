//! The management interface, `/api`. `table.rs` lists every resource; the router, the access check,
//! the OpenAPI document and the test of who may call what are all made from that list.

pub mod accounts;
pub mod channels;
pub mod connect;
pub mod frame;
pub mod groups;
pub mod models;
mod payments;
pub mod prices;
pub mod service;
pub mod table;
pub mod tokens;
pub mod users;

pub use frame::{ApiError, refuse, routes};
pub use payments::pages;
