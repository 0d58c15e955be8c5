//! State shared between nodes: rate limits, concurrency slots, locks, change notices, a byte cache.
//!
//! One typed interface, two backends: in this process for a single node, Redis or Valkey for many.
//! Both follow the same arithmetic and the same tests. Nothing here is a record: losing all of it
//! costs accuracy of limits for a while, never money. Falling back when Redis is away is the
//! caller's decision; see [`SharedError::is_unavailable`].

mod admission;
mod cache;
mod changes;
mod counters;
mod error;
mod locks;
mod memory;
mod redis;
mod slots;

pub use admission::{Admission, MAX_SLOTS, SlotOwner, SlotWanted};
pub use cache::MAX_VALUE_BYTES;
pub use changes::{Change, Notice, Subscription};
pub use counters::{Charge, Limit, MAX_CHARGES, Verdict};
pub use error::{MAX_KEY_BYTES, SharedError};
pub use memory::{Memory, MemoryBounds};
pub use redis::{Redis, RedisClock, RedisOptions};
pub use slots::{MAX_RENEWALS, SlotHold};

/// A handle on the shared state; clones share it.
///
/// Every call takes `now_ms`, the caller's time in milliseconds since 1970. The in-process twin
/// goes by it; Redis goes by its own clock unless told otherwise ([`RedisClock`]), so that nodes
/// whose clocks differ still agree.
#[derive(Clone, Debug)]
pub enum Shared {
    /// In this process; for a single node.
    Memory(Memory),
    /// In Redis or Valkey; for many nodes.
    Redis(Redis),
}

impl Shared {
    /// State of a single node, with the default bounds.
    pub fn memory() -> Self {
        Self::Memory(Memory::new(MemoryBounds::default()))
    }

    /// State in Redis. Fails only on a bad URL: a Redis that is away now is connected to later.
    pub async fn redis(options: RedisOptions) -> Result<Self, SharedError> {
        Ok(Self::Redis(Redis::open(options).await?))
    }

    /// Whether calls can be answered right now (always, in process).
    pub fn is_available(&self) -> bool {
        match self {
            Self::Memory(_) => true,
            Self::Redis(redis) => redis.is_connected(),
        }
    }
}
