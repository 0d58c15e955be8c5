//! What is left to do on Redis after calls, until the background takes it: all that waits at once, so
//! that it goes there together.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::limiter::Aftermath;

/// Most that waits when a correction still finds room; what is beyond costs accuracy, not calls.
pub(super) const MOST: usize = 16_384;

/// What waits, oldest first.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    waiting: Mutex<Vec<Aftermath>>,
    lost: AtomicU64,
    woken: Notify,
}

impl Leftovers {
    /// Adds something, or loses it where there is no room for it. For slots there always is: one that is not given
    /// back is missing until its lease ends, and there are no more than Redis itself has given out.
    pub(super) fn add(&self, aftermath: Aftermath) {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MOST && matches!(aftermath, Aftermath::Correct(..)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        waiting.push(aftermath);
        drop(waiting);
        self.woken.notify_one();
    }

    /// Waits until there is something. May be cancelled.
    pub(super) async fn some(&self) {
        while self.count() == 0 {
            self.woken.notified().await;
        }
    }

    /// All that waits.
    pub(super) fn take(&self) -> Vec<Aftermath> {
        std::mem::take(&mut self.waiting.lock())
    }

    /// How much was lost.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// How much waits.
    pub(super) fn count(&self) -> usize {
        self.waiting.lock().len()
    }
}
