//! The legacy text completions dialect.

/// The legacy text completions dialect.
#[derive(Debug, Clone, Copy)]
pub struct TextCompletions;
