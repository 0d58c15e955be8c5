//! The chat completions dialect.

/// The chat completions dialect.
#[derive(Debug, Clone, Copy)]
pub struct ChatCompletions;
