//! Tokens as their owners manage them: make, change, pause, rotate, delete, and what they used. How
//! calls use tokens is elsewhere.

mod batch;
mod create;
mod list;
mod ownership;
mod playground;
mod rights;
mod rotate;
mod routes;
mod update;
mod usage;
mod view;

pub use routes::routes;
