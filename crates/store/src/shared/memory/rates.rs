//! Rate-limit arithmetic of the in-process twin. `scripts/take.lua` and `scripts/correct.lua`
//! say the same; change them together.

use foldhash::fast::RandomState;
use hashbrown::{Equivalent, HashMap};

use crate::shared::counters::{Charge, Limit, LimitKind, MAX_CHARGES, MAX_EXACT, Verdict};

/// Level of one limit: units in the window that began at `at_ms`, or, for a smooth limit, units
/// times period still to drain as of `at_ms`.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    at_ms: i64,
    filled: u64,
    /// When the state says no more than an absent one would.
    ends_ms: i64,
}

/// What a state is found by: whose limit, and what its levels are counted in. See
/// [`Limit::state_name`], which says it as a text.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Name<Key> {
    kind: LimitKind,
    period_ms: u64,
    key: Key,
}

impl<'a> Name<&'a str> {
    fn of(key: &'a str, limit: Limit) -> Self {
        Self {
            kind: limit.kind,
            period_ms: limit.period_ms,
            key,
        }
    }
}

impl Equivalent<Name<Box<str>>> for Name<&str> {
    fn equivalent(&self, other: &Name<Box<str>>) -> bool {
        (self.kind, self.period_ms, self.key) == (other.kind, other.period_ms, &*other.key)
    }
}

/// All rate-limit states of this process.
#[derive(Debug)]
pub(super) struct Rates {
    bound: usize,
    levels: HashMap<Name<Box<str>>, Level, RandomState>,
}

impl Rates {
    pub(super) fn new(bound: usize) -> Self {
        Self {
            bound,
            levels: HashMap::default(),
        }
    }

    /// Charges all of at most [`MAX_CHARGES`] limits, or none.
    pub(super) fn take_all(&mut self, charges: &[Charge<'_>], now_ms: i64) -> Verdict {
        let mut changed = [Level::default(); MAX_CHARGES];
        let mut remaining = Vec::with_capacity(charges.len());
        for (index, charge) in charges.iter().enumerate() {
            let name = Name::of(charge.key, charge.limit);
            let level = advance(charge.limit, self.levels.get(&name).copied(), now_ms);
            match charged(charge, level, now_ms) {
                Ok((level, left)) => {
                    changed[index] = level;
                    remaining.push(left);
                }
                Err(retry_after_ms) => {
                    return Verdict::Refused {
                        index,
                        retry_after_ms,
                    };
                }
            }
        }
        for (charge, level) in charges.iter().zip(&changed) {
            self.store(&Name::of(charge.key, charge.limit), *level, now_ms);
        }
        Verdict::Admitted { remaining }
    }

    pub(super) fn correct(
        &mut self,
        key: &str,
        limit: Limit,
        delta: i64,
        charged_at_ms: i64,
        now_ms: i64,
    ) {
        let name = Name::of(key, limit);
        let mut level = advance(limit, self.levels.get(&name).copied(), now_ms);
        let units = match limit.kind {
            LimitKind::Window => {
                if delta < 0 && charged_at_ms < level.at_ms {
                    return;
                }
                delta.unsigned_abs()
            }
            LimitKind::Smooth => delta.unsigned_abs().saturating_mul(limit.period_ms),
        };
        level.filled = if delta < 0 {
            level.filled.saturating_sub(units)
        } else {
            level.filled.saturating_add(units).min(MAX_EXACT)
        };
        level.ends_ms = end(limit, level);
        self.store(&name, level, now_ms);
    }

    fn store(&mut self, name: &Name<&str>, level: Level, now_ms: i64) {
        if let Some(stored) = self.levels.get_mut(name) {
            *stored = level;
            return;
        }
        if self.levels.len() >= self.bound {
            self.make_room(now_ms);
        }
        let name = Name {
            kind: name.kind,
            period_ms: name.period_ms,
            key: name.key.into(),
        };
        self.levels.insert(name, level);
    }

    /// Forgets what has ended and, if that is too little, the eighth that would end first: those
    /// limits are nearly empty, while the ones that hold somebody back stay. Sweeping an eighth
    /// at a time keeps the cost per call constant on average.
    fn make_room(&mut self, now_ms: i64) {
        self.levels.retain(|_, level| level.ends_ms > now_ms);
        let target = self.bound - (self.bound / 8).max(1);
        if self.levels.len() <= target {
            return;
        }
        let excess = self.levels.len() - target;
        let mut ends: Vec<i64> = self.levels.values().map(|level| level.ends_ms).collect();
        let (_, &mut last_out, _) = ends.select_nth_unstable(excess - 1);
        let mut left = excess;
        self.levels.retain(|_, level| {
            let goes = left > 0 && level.ends_ms <= last_out;
            left -= usize::from(goes);
            !goes
        });
    }
}

/// The level as it is at `now_ms`. A clock that steps back neither refills nor drains anything.
fn advance(limit: Limit, stored: Option<Level>, now_ms: i64) -> Level {
    let mut level = stored.unwrap_or_default();
    match limit.kind {
        LimitKind::Window => {
            let start = now_ms - now_ms.rem_euclid(signed(limit.period_ms));
            if start > level.at_ms {
                level = Level {
                    at_ms: start,
                    filled: 0,
                    ends_ms: 0,
                };
            }
        }
        LimitKind::Smooth => {
            let elapsed = u64::try_from(now_ms.saturating_sub(level.at_ms)).unwrap_or(0);
            if elapsed > 0 {
                level.filled = level
                    .filled
                    .saturating_sub(elapsed.saturating_mul(limit.units));
                level.at_ms = now_ms;
            }
        }
    }
    level
}

/// The level after the charge and the whole units left, or how long to wait.
fn charged(
    charge: &Charge<'_>,
    mut level: Level,
    now_ms: i64,
) -> Result<(Level, u64), Option<u64>> {
    let limit = charge.limit;
    let (unit, full) = match limit.kind {
        LimitKind::Window => (1, limit.units),
        LimitKind::Smooth => (limit.period_ms, limit.burst * limit.period_ms),
    };
    let cost = charge.cost * unit;
    if cost > full {
        return Err(None);
    }
    let wanted = level.filled + cost;
    if wanted > full {
        return Err(Some(match limit.kind {
            LimitKind::Window => {
                let next = level.at_ms.saturating_add(signed(limit.period_ms));
                u64::try_from(next.saturating_sub(now_ms)).unwrap_or(0)
            }
            LimitKind::Smooth => (wanted - full).div_ceil(limit.units),
        }));
    }
    level.filled = wanted;
    level.ends_ms = end(limit, level);
    Ok((level, (full - wanted) / unit))
}

fn end(limit: Limit, level: Level) -> i64 {
    level.at_ms.saturating_add(signed(match limit.kind {
        LimitKind::Window => limit.period_ms,
        LimitKind::Smooth => level.filled.div_ceil(limit.units),
    }))
}

fn signed(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charge(key: &str) -> Charge<'_> {
        Charge {
            key,
            limit: Limit::smooth(10, 1_000, 10).unwrap(),
            cost: 1,
        }
    }

    #[test]
    fn the_number_of_states_is_bounded_and_the_fullest_limits_stay() {
        let mut rates = Rates::new(64);
        for _ in 0..10 {
            assert!(rates.take_all(&[charge("blocked")], 1_000).is_admitted());
        }
        for visitor in 0..10_000 {
            let key = format!("visitor-{visitor}");
            assert!(rates.take_all(&[charge(&key)], 1_000).is_admitted());
            assert!(rates.levels.len() <= 64);
        }
        assert!(!rates.take_all(&[charge("blocked")], 1_000).is_admitted());
    }

    #[test]
    fn states_that_have_drained_make_room_first() {
        let mut rates = Rates::new(8);
        for visitor in 0..8 {
            rates.take_all(&[charge(&format!("early-{visitor}"))], 1_000);
        }
        rates.take_all(&[charge("late")], 60_000);
        assert_eq!(rates.levels.len(), 1);
    }
}
