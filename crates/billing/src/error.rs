//! The one error type of what touches the records.

use crate::prices::UnreadablePrice;

/// What can go wrong beside the money itself.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The records cannot be read or written.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// A stored price is broken.
    #[error(transparent)]
    Price(#[from] UnreadablePrice),
}
