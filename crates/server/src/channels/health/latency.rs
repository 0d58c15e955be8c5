//! How long a channel takes to its first byte: a moving average that old measurements fade from.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// How much of the average a new measurement makes up, in eighths.
const NEW_EIGHTHS: u64 = 2;
/// After this long a measurement says half as much.
const HALF_LIFE_MS: f64 = 60_000.0;

/// The moving average. Racing updates may lose one of themselves, which only delays the average.
#[derive(Debug, Default)]
pub(in crate::channels) struct Latency {
    micros: AtomicU64,
    measured_at_ms: AtomicI64,
}

impl Latency {
    /// Adds a measurement.
    pub(super) fn add(&self, first_byte: Duration, now_ms: i64) {
        let new = u64::try_from(first_byte.as_micros())
            .unwrap_or(u64::MAX)
            .clamp(1, 1 << 50);
        let next = match self.micros.load(Ordering::Relaxed) {
            0 => new,
            was => (was * (8 - NEW_EIGHTHS) + new * NEW_EIGHTHS) / 8,
        };
        self.micros.store(next.max(1), Ordering::Relaxed);
        self.measured_at_ms.store(now_ms, Ordering::Relaxed);
    }

    /// The average in milliseconds; none before the first measurement.
    pub(in crate::channels) fn milliseconds(&self) -> Option<f64> {
        let micros = self.micros.load(Ordering::Relaxed);
        #[expect(
            clippy::cast_precision_loss,
            reason = "the exact microsecond does not matter"
        )]
        (micros > 0).then(|| micros as f64 / 1000.0)
    }

    /// How many times slower than `best_ms` this is, as far as that can still be believed: an old
    /// measurement draws towards 1.
    pub(in crate::channels) fn slowness(&self, best_ms: f64, now_ms: i64) -> f64 {
        let Some(own) = self.milliseconds() else {
            return 1.0;
        };
        let age = now_ms
            .saturating_sub(self.measured_at_ms.load(Ordering::Relaxed))
            .max(0);
        #[expect(
            clippy::cast_precision_loss,
            reason = "ages of centuries do not matter"
        )]
        let belief = (-(age as f64) / HALF_LIFE_MS).exp2();
        let ratio = (own / best_ms.max(0.001)).max(1.0);
        1.0 + (ratio - 1.0) * belief
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_follows_and_fades() {
        let latency = Latency::default();
        assert_eq!(latency.milliseconds(), None);
        assert!((latency.slowness(100.0, 0) - 1.0).abs() < 1e-9);
        latency.add(Duration::from_millis(400), 0);
        assert!((latency.slowness(100.0, 0) - 4.0).abs() < 1e-9);
        assert!((latency.slowness(100.0, 60_000) - 2.5).abs() < 1e-9);
        assert!(latency.slowness(100.0, 3_600_000) < 1.001);
        latency.add(Duration::from_millis(200), 1);
        assert!((latency.milliseconds().unwrap() - 350.0).abs() < 1e-9);
    }
}
