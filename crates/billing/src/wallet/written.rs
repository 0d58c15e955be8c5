//! What whoever settled gets to wait for.

use tokio::sync::oneshot;

/// A settlement that the records refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the charge could not be written: {0}")]
pub struct NotWritten(String);

impl NotWritten {
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Tells how a settlement ended.
pub(super) type Done = oneshot::Sender<Result<(), NotWritten>>;

/// A settlement on its way to the disk.
#[must_use]
#[derive(Debug)]
pub struct Written {
    is_done: oneshot::Receiver<Result<(), NotWritten>>,
    must_wait: bool,
}

impl Written {
    pub(super) fn new(must_wait: bool) -> (Done, Self) {
        let (done, is_done) = oneshot::channel();
        (done, Self { is_done, must_wait })
    }

    /// Waits as the node's durability asks: until the charge is on disk, or not at all.
    pub async fn wait(self) -> Result<(), NotWritten> {
        if self.must_wait {
            self.on_disk().await
        } else {
            Ok(())
        }
    }

    /// Waits until the charge is on disk, whatever the durability: in the database or, while that
    /// is away, in the journal.
    pub async fn on_disk(self) -> Result<(), NotWritten> {
        let outcome = self.is_done.await;
        outcome.unwrap_or_else(|_| Err(NotWritten::because("the writer stopped")))
    }
}
