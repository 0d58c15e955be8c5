//! Admission of a call: rate limits and concurrency slots, taken together or not at all, in one
//! step and, on Redis, in one round trip.

use super::Shared;
use super::counters::{Charge, Verdict, check_charges};
use super::error::{SharedError, check_key};

/// Most slots that one call may take together.
pub const MAX_SLOTS: usize = 8;

/// A slot to take.
#[derive(Clone, Copy, Debug)]
pub struct SlotWanted<'a> {
    /// What is limited, for example `token:17`.
    pub key: &'a str,
    /// How many may hold one at once.
    pub capacity: u32,
}

/// Who takes the slots, and for how long unless renewed.
#[derive(Clone, Copy, Debug)]
pub struct SlotOwner<'a> {
    /// Unique per call.
    pub owner: &'a str,
    /// The lease.
    pub lease_ms: u64,
}

/// Whether a call is admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Every limit was charged and every slot taken.
    Admitted {
        /// Whole units that each limit has left, in the order of the charges.
        remaining: Vec<u64>,
    },
    /// A limit had no room; nothing was taken.
    Limited {
        /// Position of the first limit without room.
        index: usize,
        /// When it would have room if nobody else came; `None`: never, the cost is beyond it.
        retry_after_ms: Option<u64>,
    },
    /// All slots of a key are held; nothing was taken.
    Full {
        /// Position of the first key without a free slot.
        index: usize,
    },
}

impl From<Verdict> for Admission {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Admitted { remaining } => Self::Admitted { remaining },
            Verdict::Refused {
                index,
                retry_after_ms,
            } => Self::Limited {
                index,
                retry_after_ms,
            },
        }
    }
}

impl Shared {
    /// Takes slots and charges limits, all or none: of racing calls exactly as many get in as fit.
    pub async fn admit(
        &self,
        charges: &[Charge<'_>],
        slots: &[SlotWanted<'_>],
        owner: SlotOwner<'_>,
        now_ms: i64,
    ) -> Result<Admission, SharedError> {
        check(charges, slots, owner)?;
        match self {
            Self::Memory(memory) => memory.admit(charges, slots, owner, now_ms),
            Self::Redis(redis) => redis.admit(charges, slots, owner, now_ms).await,
        }
    }
}

fn check(
    charges: &[Charge<'_>],
    slots: &[SlotWanted<'_>],
    owner: SlotOwner<'_>,
) -> Result<(), SharedError> {
    if !charges.is_empty() {
        check_charges(charges)?;
    }
    if slots.len() > MAX_SLOTS {
        return Err(SharedError::Invalid("at most 8 slots are taken together"));
    }
    check_key(owner.owner)?;
    for (index, slot) in slots.iter().enumerate() {
        check_key(slot.key)?;
        if slots[..index].iter().any(|other| other.key == slot.key) {
            return Err(SharedError::Invalid("one slot is taken twice in one call"));
        }
    }
    Ok(())
}
