//! The way into a channel or a key: its breaker, its cool-down and its limits, taken together and
//! given back together.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use super::breaker::{Breaker, Standing};
use super::bucket::Bucket;
use super::effect::Mark;
use crate::limits::Ceilings;

/// The cool-down after a limit whose end the upstream did not tell, doubled with each in a row.
const COOL_DOWN_MS: i64 = 1_000;
const LONGEST_COOL_DOWN_MS: i64 = 60_000;

/// Why a call cannot go through now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::channels) enum Barrier {
    /// The breaker is open until then.
    Open { until_ms: i64 },
    /// The breaker's probe is under way.
    Probing,
    /// The upstream asked for a pause until then.
    Cooling { until_ms: i64 },
    /// So many calls a minute are through; room after so many milliseconds.
    Requests { wait_ms: u64 },
    /// So many tokens a minute are through; room after so many milliseconds.
    Tokens { wait_ms: u64 },
    /// So many calls are under way.
    Full,
}

impl From<Standing> for Barrier {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Open { until_ms } => Self::Open { until_ms },
            _ => Self::Probing,
        }
    }
}

/// What a call holds while it is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::channels) struct Pass {
    /// The call is the breaker's probe.
    pub(in crate::channels) is_probe: bool,
}

/// The way in.
#[derive(Debug, Default)]
pub(in crate::channels) struct Gate {
    pub(in crate::channels) breaker: Breaker,
    cooling_until_ms: AtomicI64,
    coolings_in_a_row: AtomicU32,
    requests: Bucket,
    tokens: Bucket,
    in_flight: AtomicU32,
}

impl Gate {
    /// Whether a call could go through now.
    pub(in crate::channels) fn check(
        &self,
        limits: Ceilings,
        tokens: u64,
        now_ms: i64,
    ) -> Result<(), Barrier> {
        match self.breaker.standing(now_ms) {
            Standing::Closed | Standing::HalfOpen => {}
            shut => return Err(shut.into()),
        }
        if let Some(until_ms) = self.cooling_until(now_ms) {
            return Err(Barrier::Cooling { until_ms });
        }
        if limits
            .concurrency
            .is_some_and(|most| self.in_flight() >= most)
        {
            return Err(Barrier::Full);
        }
        let wait = |bucket: &Bucket, cost, limit: Option<u64>| {
            limit.map_or(0, |limit| bucket.wait_ms(cost, limit, now_ms))
        };
        match (
            wait(&self.requests, 1, limits.rpm),
            wait(&self.tokens, tokens, limits.tpm),
        ) {
            (0, 0) => Ok(()),
            (0, wait_ms) => Err(Barrier::Tokens { wait_ms }),
            (wait_ms, _) => Err(Barrier::Requests { wait_ms }),
        }
    }

    /// Lets a call through: counts it, takes its share of the limits and, where the breaker is
    /// half-open, makes it the probe.
    pub(in crate::channels) fn enter(
        &self,
        limits: Ceilings,
        tokens: u64,
        now_ms: i64,
    ) -> Result<Pass, Barrier> {
        if let Some(until_ms) = self.cooling_until(now_ms) {
            return Err(Barrier::Cooling { until_ms });
        }
        self.begin(limits.concurrency)?;
        let is_probe = self.breaker.enter(now_ms).map_err(|standing| {
            self.in_flight.fetch_sub(1, Ordering::Relaxed);
            Barrier::from(standing)
        })?;
        self.charge(Pass { is_probe }, limits, tokens, now_ms)
    }

    /// Lets a call through that is inside already and tries once more: breaker and concurrency have
    /// let it in before, and what it takes of the limits is taken again.
    pub(in crate::channels) fn enter_again(
        &self,
        limits: Ceilings,
        tokens: u64,
        now_ms: i64,
    ) -> Result<Pass, Barrier> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        self.charge(Pass { is_probe: false }, limits, tokens, now_ms)
    }

    /// Takes a call's share of the limits, or sends it away again.
    fn charge(
        &self,
        pass: Pass,
        limits: Ceilings,
        tokens: u64,
        now_ms: i64,
    ) -> Result<Pass, Barrier> {
        if let Some(limit) = limits.rpm
            && let Err(wait_ms) = self.requests.take(1, limit, now_ms)
        {
            self.leave(pass, now_ms);
            return Err(Barrier::Requests { wait_ms });
        }
        if let Some(limit) = limits.tpm
            && let Err(wait_ms) = self.tokens.take(tokens, limit, now_ms)
        {
            self.give_back_request(limits);
            self.leave(pass, now_ms);
            return Err(Barrier::Tokens { wait_ms });
        }
        Ok(pass)
    }

    /// Undoes an entry that came to nothing.
    pub(in crate::channels) fn undo(&self, pass: Pass, limits: Ceilings, tokens: u64, now_ms: i64) {
        self.give_back_request(limits);
        self.correct_tokens(limits, tokens, 0);
        self.leave(pass, now_ms);
    }

    /// A call is over. A probe that told nothing makes way for the next.
    pub(in crate::channels) fn leave(&self, pass: Pass, now_ms: i64) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        if pass.is_probe {
            self.breaker.probe_left(now_ms);
        }
    }

    /// Counts what a call really used.
    pub(in crate::channels) fn correct_tokens(&self, limits: Ceilings, charged: u64, actual: u64) {
        if let Some(limit) = limits.tpm {
            self.tokens.correct(charged, actual, limit);
        }
    }

    /// Notes what an attempt has shown. The answer says whether that has opened the breaker.
    pub(in crate::channels) fn note(
        &self,
        mark: Mark,
        is_probe: bool,
        reason: &str,
        now_ms: i64,
    ) -> bool {
        match mark {
            Mark::Nothing => false,
            Mark::Alive => {
                self.coolings_in_a_row.store(0, Ordering::Relaxed);
                self.breaker.succeeded(is_probe, now_ms);
                false
            }
            Mark::Failed(patience) => self.breaker.failed(is_probe, reason, patience, now_ms),
            Mark::Tripped(patience) => self.breaker.trip(reason, patience, now_ms),
            Mark::Cooling(told_ms) => {
                self.cool(told_ms, now_ms);
                false
            }
        }
    }

    /// Rests. Calls that were under way together hit one limit together: only the one that begins the
    /// rest counts, and what the others do not tell does not make it longer.
    fn cool(&self, told_ms: Option<u64>, now_ms: i64) {
        let pause = match told_ms {
            Some(ms) => i64::try_from(ms).unwrap_or(i64::MAX),
            None if self.cooling_until(now_ms).is_some() => return,
            None => {
                let in_a_row = self.coolings_in_a_row.load(Ordering::Relaxed).min(10);
                (COOL_DOWN_MS << in_a_row).min(LONGEST_COOL_DOWN_MS)
            }
        };
        let until = now_ms.saturating_add(pause);
        let former = self.cooling_until_ms.fetch_max(until, Ordering::Relaxed);
        if former <= now_ms {
            self.coolings_in_a_row.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cooling_until(&self, now_ms: i64) -> Option<i64> {
        let until = self.cooling_until_ms.load(Ordering::Relaxed);
        (until > now_ms).then_some(until)
    }

    fn begin(&self, most: Option<u32>) -> Result<(), Barrier> {
        let most = most.unwrap_or(u32::MAX);
        let counted = self
            .in_flight
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
                (count < most).then_some(count + 1)
            });
        counted.map(drop).map_err(|_| Barrier::Full)
    }

    fn give_back_request(&self, limits: Ceilings) {
        if let Some(limit) = limits.rpm {
            self.requests.correct(1, 0, limit);
        }
    }

    /// Calls under way.
    pub(in crate::channels) fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Forgets what went wrong; what is under way and what was taken stay.
    pub(in crate::channels) fn start_afresh(&self) {
        self.breaker.start_afresh();
        self.cooling_until_ms.store(0, Ordering::Relaxed);
        self.coolings_in_a_row.store(0, Ordering::Relaxed);
    }
}
