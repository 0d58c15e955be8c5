//! What the in-process twin holds, how much of it, and the calls that lock it.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::broadcast;

use super::cache::ByteCache;
use super::leases::{Locks, Slots};
use super::rates::Rates;
use crate::shared::admission::{Admission, SlotOwner, SlotWanted};
use crate::shared::changes::{Change, Notice};
use crate::shared::counters::{Charge, Limit, Verdict};
use crate::shared::error::SharedError;
use crate::shared::slots::SlotHold;

/// How much the in-process twin may hold.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBounds {
    /// Rate-limit states; beyond it those that matter least are forgotten.
    pub rates: usize,
    /// Held slots, and separately held locks; beyond it new ones are refused.
    pub leases: usize,
    /// Bytes of cached keys and values; beyond it those that end first are forgotten.
    pub cache_bytes: usize,
    /// Change notices that a slow subscriber may fall behind.
    pub notices: usize,
}

impl Default for MemoryBounds {
    fn default() -> Self {
        Self {
            rates: 200_000,
            leases: 100_000,
            cache_bytes: 64 << 20,
            notices: 1_024,
        }
    }
}

/// The in-process shared state; clones share it.
#[derive(Clone, Debug)]
pub struct Memory(Arc<State>);

#[derive(Debug)]
struct State {
    rates: Mutex<Rates>,
    slots: Mutex<Slots>,
    locks: Mutex<Locks>,
    cache: Mutex<ByteCache>,
    notices: broadcast::Sender<Notice>,
}

impl Memory {
    /// Empty state with these bounds (each at least 1).
    pub fn new(bounds: MemoryBounds) -> Self {
        Self(Arc::new(State {
            rates: Mutex::new(Rates::new(bounds.rates.max(1))),
            slots: Mutex::new(Slots::new(bounds.leases.max(1))),
            locks: Mutex::new(Locks::new(bounds.leases.max(1))),
            cache: Mutex::new(ByteCache::new(bounds.cache_bytes.max(1))),
            notices: broadcast::Sender::new(bounds.notices.max(1)),
        }))
    }

    pub(crate) fn take_all(&self, charges: &[Charge<'_>], now_ms: i64) -> Verdict {
        self.0.rates.lock().take_all(charges, now_ms)
    }

    /// Slots are taken first, and given back under the same lock where a limit has no room: nothing is charged for
    /// a call that finds no slot.
    pub(crate) fn admit(
        &self,
        charges: &[Charge<'_>],
        slots: &[SlotWanted<'_>],
        owner: SlotOwner<'_>,
        now_ms: i64,
    ) -> Result<Admission, SharedError> {
        let mut held = self.0.slots.lock();
        let SlotOwner { owner, lease_ms } = owner;
        for (index, slot) in slots.iter().enumerate() {
            let taken = held.acquire(slot.key, owner, slot.capacity, lease_ms, now_ms);
            if taken != Ok(true) {
                held.release_all(&slots[..index], owner);
                return taken.map(|_| Admission::Full { index });
            }
        }
        let verdict = self.0.rates.lock().take_all(charges, now_ms);
        if !verdict.is_admitted() {
            held.release_all(slots, owner);
        }
        Ok(verdict.into())
    }

    /// Corrects an earlier charge at once; see [`crate::shared::Shared::correct`].
    pub fn correct(&self, key: &str, limit: Limit, delta: i64, charged_at_ms: i64, now_ms: i64) {
        self.0
            .rates
            .lock()
            .correct(key, limit, delta, charged_at_ms, now_ms);
    }

    pub(crate) fn acquire_slot(
        &self,
        key: &str,
        owner: &str,
        capacity: u32,
        lease_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        self.0
            .slots
            .lock()
            .acquire(key, owner, capacity, lease_ms, now_ms)
    }

    pub(crate) fn renew_slots(&self, holds: &[SlotHold], lease_ms: u64, now_ms: i64) -> Vec<bool> {
        let mut slots = self.0.slots.lock();
        holds
            .iter()
            .map(|hold| slots.renew(&hold.key, &hold.owner, lease_ms, now_ms))
            .collect()
    }

    /// Gives a slot back at once; see [`crate::shared::Shared::release_slot`].
    pub fn release_slot(&self, key: &str, owner: &str) {
        self.0.slots.lock().release(key, owner);
    }

    pub(crate) fn acquire_lock(
        &self,
        name: &str,
        owner: &str,
        ttl_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        self.0.locks.lock().acquire(name, owner, ttl_ms, now_ms)
    }

    pub(crate) fn renew_lock(&self, name: &str, owner: &str, ttl_ms: u64, now_ms: i64) -> bool {
        self.0.locks.lock().renew(name, owner, ttl_ms, now_ms)
    }

    pub(crate) fn release_lock(&self, name: &str, owner: &str) -> bool {
        self.0.locks.lock().release(name, owner)
    }

    pub(crate) fn cache_put(&self, key: &str, value: &[u8], ttl_ms: u64, now_ms: i64) {
        self.0.cache.lock().put(key, value, ttl_ms, now_ms);
    }

    pub(crate) fn cache_get(&self, key: &str, now_ms: i64) -> Option<Vec<u8>> {
        self.0.cache.lock().get(key, now_ms)
    }

    pub(crate) fn cache_remove(&self, key: &str) {
        self.0.cache.lock().remove(key);
    }

    pub(crate) fn publish(&self, change: Change) {
        // Nobody listening is fine: there is then nothing to invalidate.
        let _ = self.0.notices.send(Notice::Changed(change));
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.0.notices.subscribe()
    }
}
