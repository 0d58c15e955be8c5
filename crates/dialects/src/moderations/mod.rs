//! Moderations: one shape, which goes through as it is once it was checked.

mod reply;
mod request;

#[cfg(test)]
mod tests;

pub use reply::{Reply, read_reply};
pub use request::Request;
