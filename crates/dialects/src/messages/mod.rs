//! The messages dialect.

/// The messages dialect.
#[derive(Debug, Clone, Copy)]
pub struct Messages;
