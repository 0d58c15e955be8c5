//! The orderly stop: one signal that everybody can wait for, a count of what still runs, and a second signal that cuts it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};
use tokio_util::task::TaskTracker;

/// Shared by all that runs; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: CancellationToken,
    cut: CancellationToken,
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

    /// Drives something until it is done; none: a stop was asked for first. For what is woken often:
    /// whoever waits for the stop is put down once, and not again at every step.
    pub(super) async fn unless_asked<F: Future + Unpin>(&self, mut work: F) -> Option<F::Output> {
        let mut asked = pin!(self.asked());
        let mut waiting: Option<Waker> = None;
        let step = poll_fn(|cx| {
            if let Poll::Ready(done) = Pin::new(&mut work).poll(cx) {
                return Poll::Ready(Some(done));
            }
            let is_waiting = |waker: &Waker| waker.will_wake(cx.waker());
            if waiting.as_ref().is_some_and(is_waiting) && !self.is_asked() {
                return Poll::Pending;
            }
            waiting = Some(cx.waker().clone());
            asked.as_mut().poll(cx).map(|()| None)
        });
        step.await
    }

    /// Ends what has not finished in time. Whoever is cut is dropped, which settles what was begun: that has to happen
    /// while the records can still be written.
    pub fn cut(&self) {
        self.cut.cancel();
    }

    /// Drives something that was asked to finish until it is done; none: it was cut first.
    pub async fn unless_cut<F: Future>(&self, work: F) -> Option<F::Output> {
        self.cut.run_until_cancelled(work).await
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
