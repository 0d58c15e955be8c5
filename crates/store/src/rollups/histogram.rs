//! Latency histograms: how many calls fell between which bounds, and percentiles from that.

use std::ops::AddAssign;

/// Upper bounds of the buckets in milliseconds, each included; one more bucket has none. They are
/// part of what is stored: changing them would make old rows mean something else.
pub const BOUNDS_MS: [i64; 24] = [
    10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500,
    10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000,
];

/// Number of buckets.
pub(super) const BUCKETS: usize = BOUNDS_MS.len() + 1;

/// Counts per bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Calls in each bucket, in the order of [`BOUNDS_MS`], then those beyond the last bound.
    pub counts: [i64; BUCKETS],
}

impl Histogram {
    /// How many calls were measured.
    pub fn total(&self) -> i64 {
        self.counts.iter().sum()
    }

    /// The time that `percent` of the calls stayed within, estimated evenly inside its bucket;
    /// `None` without calls. Beyond the last bound the answer is that bound.
    pub fn percentile(&self, percent: u8) -> Option<i64> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        // The rank of the call asked for, from 1, rounded up.
        let rank = (total * i64::from(percent.min(100)) + 99) / 100;
        let rank = rank.max(1);
        let mut before = 0;
        let mut lower = 0;
        for (&upper, &count) in BOUNDS_MS.iter().zip(&self.counts) {
            if before + count >= rank {
                return Some(lower + (upper - lower) * (rank - before) / count);
            }
            before += count;
            lower = upper;
        }
        Some(lower)
    }

    /// Counts one call.
    pub(super) fn count(&mut self, time_ms: i64) {
        let bucket = BOUNDS_MS.partition_point(|&bound| bound < time_ms);
        self.counts[bucket] += 1;
    }
}

impl AddAssign for Histogram {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(calls: &[(usize, i64)]) -> Histogram {
        let mut histogram = Histogram::default();
        for &(bucket, count) in calls {
            histogram.counts[bucket] = count;
        }
        histogram
    }

    #[test]
    fn without_calls_there_is_no_percentile() {
        assert_eq!(Histogram::default().percentile(95), None);
    }

    #[test]
    fn a_percentile_lies_inside_the_bucket_of_its_rank() {
        let histogram = histogram(&[(5, 90), (11, 9), (24, 1)]);
        assert_eq!(histogram.percentile(50), Some(75 + 25 * 50 / 90));
        assert_eq!(histogram.percentile(90), Some(100));
        assert_eq!(histogram.percentile(95), Some(750 + 250 * 5 / 9));
        assert_eq!(histogram.percentile(99), Some(1_000));
        assert_eq!(histogram.percentile(100), Some(300_000));
    }

    #[test]
    fn a_single_call_is_every_percentile() {
        let histogram = histogram(&[(0, 1)]);
        assert_eq!(histogram.percentile(0), Some(10));
        assert_eq!(histogram.percentile(99), Some(10));
    }
}
