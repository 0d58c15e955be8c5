//! The clock that is passed to whatever needs the time, so that tests can set it.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use super::turn;

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

    // Every call asks for this several times; a calendar's checks would cost more than the clock.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that is passed in elsewhere"
    )]
    fn now_ms(&self) -> i64 {
        turn::unix_ms(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            let ms = since.map_or(0, |since| since.as_millis());
            i64::try_from(ms).unwrap_or(i64::MAX)
        })
    }
}
