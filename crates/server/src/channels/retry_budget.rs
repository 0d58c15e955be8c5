//! How many retries all calls of this process may make together: a share of the calls, so that a
//! vendor's bad hour does not become twice the load, and a few a second whatever the share says.

use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;

/// What a call adds, in thousandths of a retry: one call in five may be tried again.
const PER_CALL: i64 = 200;
const ONE: i64 = 1_000;
/// Most that is saved up.
const MOST: i64 = 100 * ONE;
/// Retries a second that are always allowed.
const EVERY_SECOND: u32 = 10;

/// The budget.
#[derive(Debug, Default)]
pub struct RetryBudget {
    saved: AtomicI64,
    floor: Mutex<Floor>,
}

/// What of the allowance of this second is used.
#[derive(Debug, Default)]
struct Floor {
    second: i64,
    used: u32,
}

impl RetryBudget {
    /// A call has begun.
    pub fn call_began(&self) {
        // Racing calls may save a little beyond the most, which the next one mends.
        if self.saved.load(Ordering::Relaxed) < MOST {
            self.saved.fetch_add(PER_CALL, Ordering::Relaxed);
        }
    }

    /// Takes one retry; false where the budget is spent.
    pub fn try_take(&self, now_ms: i64) -> bool {
        let taken = self
            .saved
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |saved| {
                (saved >= ONE).then_some(saved - ONE)
            });
        if taken.is_ok() {
            return true;
        }
        let second = now_ms.div_euclid(1_000);
        let mut floor = self.floor.lock();
        if floor.second != second {
            *floor = Floor { second, used: 0 };
        }
        let is_allowed = floor.used < EVERY_SECOND;
        floor.used += u32::from(is_allowed);
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_five_may_be_tried_again_and_ten_a_second_always() {
        let budget = RetryBudget::default();
        for _ in 0..100 {
            budget.call_began();
        }
        let taken = (0..100).filter(|_| budget.try_take(1_000)).count();
        assert_eq!(taken, 20 + 10);
        assert!(!budget.try_take(1_999));
        assert!(budget.try_take(2_000));
    }

    #[test]
    fn what_is_saved_up_is_bounded() {
        let budget = RetryBudget::default();
        for _ in 0..100_000 {
            budget.call_began();
        }
        let taken = (0..1_000).filter(|_| budget.try_take(0)).count();
        assert_eq!(taken, 100 + 10);
    }
}
