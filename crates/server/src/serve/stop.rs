//! The orderly stop: one signal that everybody can wait for, and a count of what still runs.

use std::time::Duration;

use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};
use tokio_util::task::TaskTracker;

/// Shared by all that runs; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: CancellationToken,
    running: TaskTracker,
}

impl Stop {
    /// Asks everybody to finish.
    pub fn ask(&self) {
        self.asked.cancel();
        self.running.close();
    }

    /// Whether a stop was asked for.
    pub fn is_asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Waits until a stop is asked for.
    pub fn asked(&self) -> WaitForCancellationFuture<'_> {
        self.asked.cancelled()
    }

    /// What must be finished before the process ends: connections, and work that outlives the
    /// request that began it.
    pub fn running(&self) -> &TaskTracker {
        &self.running
    }

    /// Waits until nothing runs any more, at most for the grace time. False: something still does.
    pub async fn finished(&self, grace: Duration) -> bool {
        tokio::time::timeout(grace, self.running.wait())
            .await
            .is_ok()
    }
}
