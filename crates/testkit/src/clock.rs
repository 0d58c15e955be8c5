//! A clock that stands still until a test moves it. It implements no trait: the crate whose time is
//! tested wraps it in its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Milliseconds since the Unix epoch, moved by hand. Clones share the time.
#[derive(Clone, Debug)]
pub struct FrozenClock(Arc<AtomicI64>);

impl FrozenClock {
    /// A clock that shows `now_ms`.
    pub fn at(now_ms: i64) -> Self {
        Self(Arc::new(AtomicI64::new(now_ms)))
    }

    /// What the clock shows.
    pub fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        let by_ms = i64::try_from(by.as_millis()).expect("no test waits 292 million years");
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }

    /// Sets the clock, backwards too: real clocks do that.
    pub fn set(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_show_the_same_time() {
        let clock = FrozenClock::at(1_000);
        let other = clock.clone();
        clock.advance(Duration::from_secs(2));
        assert_eq!(other.now_ms(), 3_000);
        other.set(5);
        assert_eq!(clock.now_ms(), 5);
    }
}
