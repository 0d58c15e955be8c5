//! The management interface, `/api`. `table.rs` lists every resource; the router, the access check,
//! the OpenAPI document and the test of who may call what are all made from that list.

pub mod accounts;
pub mod frame;
mod payments;
pub mod service;
pub mod table;
pub mod tokens;
pub mod users;

pub use frame::{ApiError, refuse, routes};
pub use payments::pages;
