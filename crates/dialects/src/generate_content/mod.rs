//! The generate content dialect.

/// The generate content dialect.
#[derive(Debug, Clone, Copy)]
pub struct GenerateContent;
