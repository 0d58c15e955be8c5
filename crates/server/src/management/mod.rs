//! The management interface, `/api`. `table.rs` lists every resource; the router, the access check,
//! the OpenAPI document and the test of who may call what are all made from that list.

pub mod accounts;
mod allowance;
mod audit;
pub mod channels;
pub mod connect;
pub mod frame;
pub mod group_choice;
pub mod groups;
mod imports;
mod incidents;
mod log;
pub mod models;
mod notices;
pub mod operator;
mod options;
mod payments;
pub mod prices;
mod public_base;
mod routes;
mod scope;
pub mod service;
mod stats;
pub mod table;
mod tasks;
pub mod tokens;
pub mod users;

pub use frame::{ApiError, Identity, refuse};
pub use routes::routes;
pub use service::description;
