//! Calls that join the group that is about to be written. Where replies wait for the disk, a commit costs the same for
//! one call as for many, so the writer waits a moment for those that still run; without being woken for each of them.

use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// So long, in steps of the timer, which are milliseconds: one at most. Calls that run may be far from their end.
const JOINED_FOR: Duration = Duration::from_micros(150);
/// And only where the last group had so many: where few calls end at a time, waiting for others would only make
/// them slower.
const LARGE_GROUP: usize = 8;

/// Who has come, and whether the writer waits for more.
#[derive(Debug, Default)]
pub(super) struct Joining {
    /// Calls that have come and are not yet taken. One that is taken before it is counted makes it negative, for a moment.
    come: AtomicIsize,
    /// How many were taken at the last time.
    last_taken: AtomicUsize,
    is_open: AtomicBool,
    all_came: Notify,
}

impl Joining {
    /// A call has come, of as many as run.
    pub fn came(&self, running: impl FnOnce() -> usize) {
        self.come.fetch_add(1, Ordering::Relaxed);
        if self.is_open.load(Ordering::Relaxed) && self.have_all(running()) {
            self.all_came.notify_one();
        }
    }

    fn have_all(&self, running: usize) -> bool {
        let come = self.come.load(Ordering::Relaxed);
        usize::try_from(come).is_ok_and(|come| come >= running)
    }

    /// Waits until every call that runs has come, but not for long.
    pub async fn wait(&self, running: impl Fn() -> usize) {
        if self.last_taken.load(Ordering::Relaxed) < LARGE_GROUP {
            return;
        }
        let until = Instant::now() + JOINED_FOR;
        self.is_open.store(true, Ordering::Relaxed);
        while !self.have_all(running()) {
            if timeout_at(until, self.all_came.notified()).await.is_err() {
                break;
            }
        }
        self.is_open.store(false, Ordering::Relaxed);
    }

    /// The writer has taken so many.
    pub fn taken(&self, count: usize) {
        self.last_taken.store(count, Ordering::Relaxed);
        self.come.fetch_sub(count.cast_signed(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    /// Whether the writer goes on without waiting, of so many calls that run.
    async fn goes_on(joining: &Joining, running: usize) -> bool {
        tokio::select! {
            biased;
            () = joining.wait(|| running) => true,
            () = ready(()) => false,
        }
    }

    #[tokio::test]
    async fn a_few_calls_wait_for_nobody() {
        let joining = Joining::default();
        joining.came(|| 2);
        assert!(goes_on(&joining, 2).await);
        joining.taken(1);
        joining.came(|| 2);
        assert!(goes_on(&joining, 2).await);
    }

    #[tokio::test]
    async fn after_a_large_group_calls_wait_for_all_that_run_but_not_for_long() {
        let joining = Joining::default();
        for _ in 0..LARGE_GROUP {
            joining.came(|| LARGE_GROUP);
        }
        joining.taken(LARGE_GROUP);
        joining.came(|| 2);
        assert!(!goes_on(&joining, 2).await);
        joining.wait(|| 2).await;
        tokio::join!(joining.wait(|| 2), async { joining.came(|| 2) });
        assert!(goes_on(&joining, 2).await);
    }
}
