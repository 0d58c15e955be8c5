//! "Use it in …": what to write into SDKs, coding agents and apps so that they call this gateway.

mod list;

pub use list::routes;
