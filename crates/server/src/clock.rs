//! The clock that is passed to whatever needs the time, so that tests can set it. Only this file
//! may ask the system.

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
