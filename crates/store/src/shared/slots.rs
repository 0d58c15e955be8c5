//! Concurrency slots: at most so many holders of a key at once. A holder that dies without
//! releasing loses its slot when its lease ends, so long calls renew theirs.

use super::Shared;
use super::error::{SharedError, check_key};

/// Most slots that one call renews.
pub const MAX_RENEWALS: usize = 1_000;

/// A slot that somebody holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotHold {
    /// What is limited, for example `token:17`.
    pub key: String,
    /// Who holds it, unique per call.
    pub owner: String,
}

impl Shared {
    /// Takes one of `capacity` slots for `lease_ms`; `false` when all are held. An owner that
    /// holds one already keeps it, with a new lease.
    pub async fn acquire_slot(
        &self,
        key: &str,
        owner: &str,
        capacity: u32,
        lease_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        check_key(key)?;
        check_key(owner)?;
        match self {
            Self::Memory(memory) => memory.acquire_slot(key, owner, capacity, lease_ms, now_ms),
            Self::Redis(redis) => {
                redis
                    .acquire_slot(key, owner, capacity, lease_ms, now_ms)
                    .await
            }
        }
    }

    /// Extends leases; the answer says for each whether it was still held. An expired one stays
    /// lost, because somebody else may have its place.
    pub async fn renew_slots(
        &self,
        holds: &[SlotHold],
        lease_ms: u64,
        now_ms: i64,
    ) -> Result<Vec<bool>, SharedError> {
        if holds.len() > MAX_RENEWALS {
            return Err(SharedError::Invalid(
                "at most 1000 slots are renewed together",
            ));
        }
        if holds.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Self::Memory(memory) => Ok(memory.renew_slots(holds, lease_ms, now_ms)),
            Self::Redis(redis) => redis.renew_slots(holds, lease_ms, now_ms).await,
        }
    }

    /// Gives a slot back; releasing one that is not held does nothing.
    pub async fn release_slot(&self, key: &str, owner: &str) -> Result<(), SharedError> {
        match self {
            Self::Memory(memory) => {
                memory.release_slot(key, owner);
                Ok(())
            }
            Self::Redis(redis) => redis.release_slot(key, owner).await,
        }
    }
}
