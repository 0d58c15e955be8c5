//! A histogram of times that many threads add to: no lock, no allocation, one addition for the bucket
//! and one for the sum.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets in microseconds; what is beyond the last is in one more. The upper
/// ones are for long answers of models.
pub const BOUNDS_MICROS: [u64; 17] = [
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    30_000_000,
    60_000_000,
    120_000_000,
    300_000_000,
];

/// How many buckets there are.
pub const BUCKETS: usize = BOUNDS_MICROS.len() + 1;

/// A histogram of times.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    micros: AtomicU64,
}

/// What a histogram held at some time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Measurements in each bucket, not summed up.
    pub buckets: [u64; BUCKETS],
    /// The sum of all measurements, in microseconds.
    pub micros: u64,
}

impl Histogram {
    /// Adds a measurement.
    pub fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX >> 16);
        let bucket = BOUNDS_MICROS.partition_point(|bound| *bound < micros);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// What it holds now.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts {
            micros: self.micros.load(Ordering::Relaxed),
            ..Counts::default()
        };
        for (count, bucket) in counts.buckets.iter_mut().zip(&self.buckets) {
            *count = bucket.load(Ordering::Relaxed);
        }
        counts
    }
}

impl Counts {
    /// How many measurements there are.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Both together.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.buckets.iter_mut().zip(other.buckets) {
            *count += more;
        }
        self.micros += other.micros;
    }

    /// What came in since then.
    #[must_use]
    pub fn since(&self, then: &Self) -> Self {
        let mut counts = *self;
        for (count, less) in counts.buckets.iter_mut().zip(then.buckets) {
            *count = count.saturating_sub(less);
        }
        counts.micros = counts.micros.saturating_sub(then.micros);
        counts
    }

    /// The bound of the bucket below which so many of a hundred are, in milliseconds; none without
    /// measurements, `u64::MAX` beyond the last bound.
    pub fn percentile_ms(&self, percent: u64) -> Option<u64> {
        let all = self.count();
        let wanted = (all * percent).div_ceil(100);
        let mut sum = 0;
        let bucket = self.buckets.iter().position(|count| {
            sum += count;
            sum >= wanted && sum > 0
        })?;
        Some(
            BOUNDS_MICROS
                .get(bucket)
                .map_or(u64::MAX, |bound| bound / 1000),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_in_the_bucket_of_the_next_bound() {
        let histogram = Histogram::default();
        for micros in [1, 1_000, 1_001, 400_000_000] {
            histogram.add(Duration::from_micros(micros));
        }
        let counts = histogram.counts();
        assert_eq!(counts.count(), 4);
        assert_eq!(counts.buckets[..2], [2, 1]);
        assert_eq!(counts.buckets[BUCKETS - 1], 1);
        assert_eq!(counts.micros, 400_002_002);
    }

    #[test]
    fn percentiles_are_bounds_of_buckets() {
        let histogram = Histogram::default();
        assert_eq!(histogram.counts().percentile_ms(95), None);
        for _ in 0..95 {
            histogram.add(Duration::from_millis(7));
        }
        let before = histogram.counts();
        assert_eq!(before.percentile_ms(95), Some(10));
        for _ in 0..6 {
            histogram.add(Duration::from_secs(40));
        }
        assert_eq!(histogram.counts().percentile_ms(95), Some(60_000));
        let since = histogram.counts().since(&before);
        assert_eq!((since.count(), since.percentile_ms(1)), (6, Some(60_000)));
        histogram.add(Duration::from_secs(4_000));
        assert_eq!(histogram.counts().percentile_ms(100), Some(u64::MAX));
    }
}
