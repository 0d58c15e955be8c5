//! Rate limits: fixed windows and smooth (GCRA) limits, charged several at once, all or nothing.
//!
//! Everything is integer arithmetic below 2^52, which Redis' Lua doubles hold exactly, so that
//! both backends admit exactly the same calls.

use super::Shared;
use super::error::{SharedError, check_key};

/// Most limits that one call may charge together.
pub const MAX_CHARGES: usize = 16;

/// Bound of every product the arithmetic forms; doubles are exact up to twice this.
pub(super) const MAX_EXACT: u64 = 1 << 52;

/// How much may happen in how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub(super) kind: LimitKind,
    pub(super) units: u64,
    pub(super) period_ms: u64,
    pub(super) burst: u64,
}

/// The two ways of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LimitKind {
    /// A count that starts anew at every multiple of the period.
    Window,
    /// A bucket that drains evenly (the generic cell rate algorithm in its leaky-bucket form).
    Smooth,
}

impl Limit {
    /// At most `limit` units in each window of `period_ms`; windows begin at multiples of it.
    pub fn window(limit: u64, period_ms: u64) -> Result<Self, SharedError> {
        Self::checked(LimitKind::Window, limit, period_ms, limit)
    }

    /// `limit` units per `period_ms`, spread evenly, with at most `burst` units at one instant.
    pub fn smooth(limit: u64, period_ms: u64, burst: u64) -> Result<Self, SharedError> {
        Self::checked(LimitKind::Smooth, limit, period_ms, burst)
    }

    fn checked(
        kind: LimitKind,
        limit: u64,
        period_ms: u64,
        burst: u64,
    ) -> Result<Self, SharedError> {
        if limit == 0 || period_ms == 0 || burst == 0 {
            return Err(SharedError::Invalid(
                "a limit, its period and its burst are above zero",
            ));
        }
        if limit > MAX_EXACT
            || burst
                .checked_mul(period_ms)
                .is_none_or(|full| full > MAX_EXACT)
        {
            return Err(SharedError::Invalid("limit times period is beyond 2^52"));
        }
        Ok(Self {
            kind,
            units: limit,
            period_ms,
            burst,
        })
    }

    /// Name of the state that `key` has under this limit. The period is part of it because levels
    /// are counted in multiples of it; a changed limit or burst keeps the level.
    pub(super) fn state_name(&self, key: &str) -> String {
        let kind = match self.kind {
            LimitKind::Window => "window",
            LimitKind::Smooth => "smooth",
        };
        format!("{kind}:{}:{key}", self.period_ms)
    }
}

/// One limit to charge.
#[derive(Clone, Copy, Debug)]
pub struct Charge<'a> {
    /// Whose limit, for example `token:17:rpm`.
    pub key: &'a str,
    /// The limit itself.
    pub limit: Limit,
    /// Units to take, for example 1 request or 900 tokens.
    pub cost: u64,
}

/// The answer to a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every limit had room and was charged.
    Admitted {
        /// Whole units that each limit has left, in the order of the charges.
        remaining: Vec<u64>,
    },
    /// A limit had no room; none was charged.
    Refused {
        /// Position of the first limit without room.
        index: usize,
        /// When that limit would have room if nobody else came; `None`: never, the cost is beyond it.
        retry_after_ms: Option<u64>,
    },
}

impl Verdict {
    /// Whether the call may go on.
    pub fn is_admitted(&self) -> bool {
        matches!(self, Self::Admitted { .. })
    }
}

impl Shared {
    /// Charges one limit.
    pub async fn take(&self, charge: Charge<'_>, now_ms: i64) -> Result<Verdict, SharedError> {
        self.take_all(&[charge], now_ms).await
    }

    /// Charges all limits or none, in one step: of racing calls exactly as many get in as fit.
    pub async fn take_all(
        &self,
        charges: &[Charge<'_>],
        now_ms: i64,
    ) -> Result<Verdict, SharedError> {
        check_charges(charges)?;
        match self {
            Self::Memory(memory) => Ok(memory.take_all(charges, now_ms)),
            Self::Redis(redis) => redis.take_all(charges, now_ms).await,
        }
    }

    /// Corrects an earlier charge by `delta` units once the true cost is known: upwards even
    /// beyond the limit (later calls wait longer), downwards at most to empty. A window that has
    /// passed since `charged_at_ms` gets nothing back; a later true cost counts in the present one.
    pub async fn correct(
        &self,
        key: &str,
        limit: Limit,
        delta: i64,
        charged_at_ms: i64,
        now_ms: i64,
    ) -> Result<(), SharedError> {
        check_key(key)?;
        if delta
            .unsigned_abs()
            .checked_mul(limit.period_ms)
            .is_none_or(|all| all > MAX_EXACT)
        {
            return Err(SharedError::Invalid("delta times period is beyond 2^52"));
        }
        match self {
            Self::Memory(memory) => {
                memory.correct(key, limit, delta, charged_at_ms, now_ms);
                Ok(())
            }
            Self::Redis(redis) => {
                redis
                    .correct(key, limit, delta, charged_at_ms, now_ms)
                    .await
            }
        }
    }
}

pub(super) fn check_charges(charges: &[Charge<'_>]) -> Result<(), SharedError> {
    if charges.is_empty() || charges.len() > MAX_CHARGES {
        return Err(SharedError::Invalid("1 to 16 limits are charged together"));
    }
    for (index, charge) in charges.iter().enumerate() {
        check_key(charge.key)?;
        let full = charge.cost.checked_mul(charge.limit.period_ms);
        if full.is_none_or(|full| full > MAX_EXACT) {
            return Err(SharedError::Invalid("cost times period is beyond 2^52"));
        }
        let same_state = |other: &Charge<'_>| {
            other.key == charge.key
                && other.limit.kind == charge.limit.kind
                && other.limit.period_ms == charge.limit.period_ms
        };
        if charges[..index].iter().any(same_state) {
            return Err(SharedError::Invalid(
                "one limit is charged twice in one call",
            ));
        }
    }
    Ok(())
}
