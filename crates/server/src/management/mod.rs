//! The management interface, `/api`: its route table and its replies.

mod reply;

pub use reply::{ApiError, refuse};
