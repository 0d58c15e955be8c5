//! A limit of so much a minute, without a lock: the generic cell rate algorithm on one atomic
//! number, the time until which what was taken fills the limit. A whole minute's worth may be taken
//! at once.

use std::sync::atomic::{AtomicI64, Ordering};

const MINUTE_NS: i64 = 60_000_000_000;
const NS_PER_MS: i64 = 1_000_000;

/// The level of one limit. The limit itself is given with each call, so that it can change.
#[derive(Debug, Default)]
pub(super) struct Bucket {
    full_until_ns: AtomicI64,
}

impl Bucket {
    /// Takes what a call costs, or says after how many milliseconds it would fit. A cost beyond the
    /// whole limit counts as all of it: such a call waits for an empty bucket.
    pub(super) fn take(&self, cost: u64, per_minute: u64, now_ms: i64) -> Result<(), u64> {
        let cost_ns = in_time(cost, per_minute);
        let present = now_ms.saturating_mul(NS_PER_MS);
        let mut was = self.full_until_ns.load(Ordering::Relaxed);
        loop {
            let next = was.max(present).saturating_add(cost_ns);
            let wait = next - present - MINUTE_NS;
            if wait > 0 {
                return Err(wait.unsigned_abs().div_ceil(NS_PER_MS.unsigned_abs()));
            }
            match self.full_until_ns.compare_exchange_weak(
                was,
                next,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Ok(()),
                Err(now) => was = now,
            }
        }
    }

    /// After how many milliseconds a cost would fit; 0 is now.
    pub(super) fn wait_ms(&self, cost: u64, per_minute: u64, now_ms: i64) -> u64 {
        let present = now_ms.saturating_mul(NS_PER_MS);
        let level = self.full_until_ns.load(Ordering::Relaxed).max(present);
        let wait = level.saturating_add(in_time(cost, per_minute)) - present - MINUTE_NS;
        u64::try_from(wait).map_or(0, |ns| ns.div_ceil(NS_PER_MS.unsigned_abs()))
    }

    /// Takes more, or gives back, once the true cost is known.
    pub(super) fn correct(&self, charged: u64, actual: u64, per_minute: u64) {
        let delta = in_time(actual, per_minute) - in_time(charged, per_minute);
        self.full_until_ns.fetch_add(delta, Ordering::Relaxed);
    }
}

/// How long a cost fills the limit, at most all of it.
fn in_time(cost: u64, per_minute: u64) -> i64 {
    let per_minute = i128::from(per_minute.max(1));
    let ns = i128::from(cost) * i128::from(MINUTE_NS) / per_minute;
    i64::try_from(ns).unwrap_or(i64::MAX).min(MINUTE_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_fits_at_once_and_then_drains_evenly() {
        let bucket = Bucket::default();
        for _ in 0..60 {
            assert_eq!(bucket.take(1, 60, 5_000), Ok(()));
        }
        assert_eq!(bucket.take(1, 60, 5_000), Err(1_000));
        assert_eq!(bucket.wait_ms(1, 60, 5_400), 600);
        assert_eq!(bucket.take(1, 60, 6_000), Ok(()));
        assert_eq!(bucket.take(1, 60, 6_000), Err(1_000));
    }

    #[test]
    fn a_cost_beyond_the_limit_waits_for_an_empty_bucket() {
        let bucket = Bucket::default();
        assert_eq!(bucket.take(5_000, 1_000, 0), Ok(()));
        assert_eq!(bucket.take(1, 1_000, 0), Err(60));
        bucket.correct(5_000, 100, 1_000);
        assert_eq!(bucket.wait_ms(900, 1_000, 0), 0);
        assert_eq!(bucket.wait_ms(901, 1_000, 0), 60);
    }

    #[test]
    fn exactly_as_many_get_in_as_fit_however_many_race() {
        let bucket = Bucket::default();
        let admitted: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| (0..125).filter(|_| bucket.take(1, 100, 1).is_ok()).count())
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        assert_eq!(admitted, 100);
    }
}
