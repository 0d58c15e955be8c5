//! Locks with an owner and an end, for work that one node at a time should do (roll-ups,
//! retention). They save double work; what must never happen twice is guarded by the database.

use super::Shared;
use super::error::{SharedError, check_key};

impl Shared {
    /// Takes the lock for `ttl_ms`; `false` when another owner holds it. The owner that holds it
    /// already keeps it, with a new end.
    pub async fn acquire_lock(
        &self,
        name: &str,
        owner: &str,
        ttl_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        check_key(name)?;
        check_key(owner)?;
        match self {
            Self::Memory(memory) => memory.acquire_lock(name, owner, ttl_ms, now_ms),
            Self::Redis(redis) => redis.acquire_lock(name, owner, ttl_ms, now_ms).await,
        }
    }

    /// Moves the end to `ttl_ms` from now; `false` when the lock has ended or is another's.
    pub async fn renew_lock(
        &self,
        name: &str,
        owner: &str,
        ttl_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        check_key(name)?;
        check_key(owner)?;
        match self {
            Self::Memory(memory) => Ok(memory.renew_lock(name, owner, ttl_ms, now_ms)),
            Self::Redis(redis) => redis.renew_lock(name, owner, ttl_ms, now_ms).await,
        }
    }

    /// Gives the lock back; `false` (and nothing happens) when it is not this owner's.
    pub async fn release_lock(&self, name: &str, owner: &str) -> Result<bool, SharedError> {
        check_key(name)?;
        check_key(owner)?;
        match self {
            Self::Memory(memory) => Ok(memory.release_lock(name, owner)),
            Self::Redis(redis) => redis.release_lock(name, owner).await,
        }
    }
}
