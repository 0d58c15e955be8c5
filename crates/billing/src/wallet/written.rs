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

/// Tells how a settlement ended, where somebody waits for that.
pub(super) struct Done(Option<oneshot::Sender<Outcome>>);

type Outcome = Result<(), NotWritten>;

impl Done {
    pub(super) fn tell(self, outcome: Outcome) {
        if let Some(done) = self.0 {
            // Whoever asked may have stopped waiting.
            let _ = done.send(outcome);
        }
    }
}

/// A settlement on its way to the disk.
#[must_use]
#[derive(Debug)]
pub struct Written {
    is_done: Option<oneshot::Receiver<Outcome>>,
    must_wait: bool,
}

impl Written {
    /// A charge. Where the node's durability asks for no waiting, nobody is told of its end.
    pub(super) fn charge(must_wait: bool) -> (Done, Self) {
        let (done, is_done) = must_wait.then(oneshot::channel).unzip();
        (Done(done), Self { is_done, must_wait })
    }

    /// A log row that no money depends on.
    pub(super) fn note() -> (Done, Self) {
        let (done, is_done) = oneshot::channel();
        let written = Self {
            is_done: Some(is_done),
            must_wait: false,
        };
        (Done(Some(done)), written)
    }

    /// Waits as the node's durability asks: until the charge is on disk, or not at all.
    pub async fn wait(self) -> Result<(), NotWritten> {
        if self.must_wait {
            self.on_disk().await
        } else {
            Ok(())
        }
    }

    /// Waits until it is on disk, in the database or, while that is away, in the journal: a charge where the
    /// durability asks for that, a log row in any case.
    pub async fn on_disk(self) -> Result<(), NotWritten> {
        let Some(is_done) = self.is_done else {
            return Ok(());
        };
        let outcome = is_done.await;
        outcome.unwrap_or_else(|_| Err(NotWritten::because("the writer stopped")))
    }
}
