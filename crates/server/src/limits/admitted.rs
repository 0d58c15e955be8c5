//! A call that was let in: what it holds, and what it took. Dropping it frees its slots.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dialects::canonical::Failure;
use store::shared::{Charge, Limit, Shared};

use super::limiter::{Correction, Held, Limiter};

/// What a client may be shown of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) limit: u64,
    pub(super) remaining: u64,
}

impl Shown {
    /// How long until all of it is there again.
    pub(super) fn reset_ms(self) -> u64 {
        let used = self.limit.saturating_sub(self.remaining);
        used.saturating_mul(60_000).div_ceil(self.limit.max(1))
    }
}

/// Tokens that were taken of a limit.
#[derive(Debug)]
pub(super) struct Taken {
    key: Arc<str>,
    limit: Limit,
    counted: AtomicU64,
}

impl Taken {
    pub(super) fn new(key: &Arc<str>, charge: &Charge<'_>) -> Self {
        Self {
            key: key.clone(),
            limit: charge.limit,
            counted: AtomicU64::new(charge.cost),
        }
    }
}

/// A call that was let in. The default holds nothing and took nothing.
#[derive(Debug, Default)]
pub struct Admitted {
    from: Option<Origin>,
    taken: Vec<Taken>,
    pub(super) requests: Option<Shown>,
    pub(super) tokens: Option<Shown>,
    pub(super) at_ms: i64,
}

/// A call that was not let in.
#[derive(Debug)]
pub struct Limited {
    /// Why.
    pub failure: Failure,
    /// What the client is shown of its limits.
    pub shown: Admitted,
}

impl From<Failure> for Box<Limited> {
    fn from(failure: Failure) -> Self {
        Self::new(Limited {
            failure,
            shown: Admitted::default(),
        })
    }
}

/// Who let it in.
#[derive(Debug)]
struct Origin {
    limiter: Limiter,
    state: Shared,
    /// The call's number.
    number: u64,
    held: Option<Held>,
}

impl Admitted {
    /// A call of this number, which may hold slots.
    pub(super) fn new(
        limiter: &Limiter,
        state: &Shared,
        (number, held): (u64, Option<Held>),
        taken: Vec<Taken>,
        now_ms: i64,
    ) -> Self {
        if let Some(held) = &held {
            limiter.hold(state, number, held);
        }
        Self {
            from: Some(Origin {
                limiter: limiter.clone(),
                state: state.clone(),
                number,
                held,
            }),
            taken,
            requests: None,
            tokens: None,
            at_ms: now_ms,
        }
    }

    pub(super) fn showing(mut self, requests: Option<Shown>, tokens: Option<Shown>) -> Self {
        (self.requests, self.tokens) = (requests, tokens);
        self
    }

    /// A call that was not let in: there is only something to show.
    pub(super) fn refused(requests: Option<Shown>, tokens: Option<Shown>, now_ms: i64) -> Self {
        let mut refused = Self::default().showing(requests, tokens);
        refused.at_ms = now_ms;
        refused
    }

    /// The call has really taken so many tokens; the limits had an estimate.
    pub fn correct(&self, actual: u64, now_ms: i64) {
        let Some(from) = &self.from else {
            return;
        };
        for taken in &self.taken {
            let counted = taken.counted.swap(actual, Ordering::Relaxed);
            let delta = signed(actual) - signed(counted);
            if delta != 0 {
                let correction = Correction {
                    key: taken.key.clone(),
                    limit: taken.limit,
                    delta,
                    charged_at_ms: self.at_ms,
                };
                from.limiter.correct(&from.state, correction, now_ms);
            }
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if let Some(from) = &mut self.from
            && let Some(held) = from.held.take()
        {
            from.limiter.release(&from.state, from.number, held);
        }
    }
}

/// Counts of tokens are far below where this would matter.
fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX).min(1 << 36)
}
