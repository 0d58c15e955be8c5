//! Signatures that take more than a header with a key in it.

pub mod google_service_account;
pub mod sigv4;
