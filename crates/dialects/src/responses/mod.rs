//! The responses dialect.

/// The responses dialect.
#[derive(Debug, Clone, Copy)]
pub struct Responses;
