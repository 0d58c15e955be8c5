//! The one error of the shared state. It tells "cannot be reached" apart from everything else,
//! because callers answer the former by falling back to limits of their own.

use thiserror::Error;

/// Why a call to the shared state gave no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SharedError {
    /// Redis cannot be reached or did not answer in time. Whether the call took effect is unknown.
    #[error("the shared state cannot be reached: {0}")]
    Unavailable(String),
    /// Redis answered, but with an error or with something that is not ours.
    #[error("the shared state answered with an error: {0}")]
    Answer(String),
    /// The call itself breaks a bound (key too long, value too large, impossible limit).
    #[error("not a valid call to the shared state: {0}")]
    Invalid(&'static str),
    /// The in-process twin holds as much as it may, and nothing of it has expired.
    #[error("the in-process shared state is full")]
    Full,
}

impl SharedError {
    /// Whether a per-node fallback is the right answer.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// Longest key, in bytes, that any call takes.
pub const MAX_KEY_BYTES: usize = 512;

/// Refuses keys that would let a client choose how much memory we spend on them.
pub(super) fn check_key(key: &str) -> Result<(), SharedError> {
    if key.is_empty() || key.len() > MAX_KEY_BYTES {
        return Err(SharedError::Invalid("a key has 1 to 512 bytes"));
    }
    Ok(())
}
