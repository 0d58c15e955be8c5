//! The clock that is passed to whatever needs the time, so that tests can set it. Only this file
//! may ask the system.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time in UTC.
    fn now(&self) -> Timestamp;

    /// Milliseconds since 1970, which is how times are stored.
    fn now_ms(&self) -> i64 {
        self.now().as_millisecond()
    }
}

/// The system's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that is passed in elsewhere"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until it is moved; for tests.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows a time.
    pub fn new(time: Timestamp) -> Self {
        Self(AtomicI64::new(time.as_millisecond()))
    }

    /// Moves it forward.
    pub fn advance_ms(&self, milliseconds: i64) {
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        // Times that a test sets are within the range of timestamps.
        Timestamp::from_millisecond(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::MAX)
    }
}
