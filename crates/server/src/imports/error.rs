//! Why an import does not happen, in words for whoever asked for it.

use store::StoreError;

/// Why an import does not happen, or ends early.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The source cannot be used; nothing was changed.
    #[error("{0}")]
    Source(String),
    /// Another import or undo runs.
    #[error("another import or undo runs; wait for its end")]
    Busy,
    /// There is no such import.
    #[error("there is no such import")]
    Unknown,
    /// The import was undone before.
    #[error("the import was undone before")]
    Undone,
    /// Somebody asked for its end.
    #[error("it was cancelled half-way; what was made until then can be undone")]
    Cancelled,
    /// Our own records could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ImportError {
    /// The source is wrong in this way.
    pub fn source(text: impl Into<String>) -> Self {
        Self::Source(text.into())
    }
}
