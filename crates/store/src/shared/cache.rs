//! A cache of bytes with an end, for what can be read again from the records. An entry
//! may vanish before its end; it is never returned after it.

use super::Shared;
use super::error::{SharedError, check_key};

/// Largest value, in bytes, that the cache takes.
pub const MAX_VALUE_BYTES: usize = 1 << 20;

impl Shared {
    /// Keeps `value` under `key` for `ttl_ms`, replacing what was there.
    pub async fn cache_put(
        &self,
        key: &str,
        value: &[u8],
        ttl_ms: u64,
        now_ms: i64,
    ) -> Result<(), SharedError> {
        check_key(key)?;
        if value.len() > MAX_VALUE_BYTES {
            return Err(SharedError::Invalid("a cached value has at most 1 MiB"));
        }
        if ttl_ms == 0 {
            return Err(SharedError::Invalid(
                "a cached value lives at least one millisecond",
            ));
        }
        match self {
            Self::Memory(memory) => {
                memory.cache_put(key, value, ttl_ms, now_ms);
                Ok(())
            }
            Self::Redis(redis) => redis.cache_put(key, value, ttl_ms).await,
        }
    }

    /// What is kept under `key`, if it has not ended.
    pub async fn cache_get(&self, key: &str, now_ms: i64) -> Result<Option<Vec<u8>>, SharedError> {
        check_key(key)?;
        match self {
            Self::Memory(memory) => Ok(memory.cache_get(key, now_ms)),
            Self::Redis(redis) => redis.cache_get(key).await,
        }
    }

    /// Forgets what is kept under `key`.
    pub async fn cache_remove(&self, key: &str) -> Result<(), SharedError> {
        check_key(key)?;
        match self {
            Self::Memory(memory) => {
                memory.cache_remove(key);
                Ok(())
            }
            Self::Redis(redis) => redis.cache_remove(key).await,
        }
    }
}
