//! Slots and locks of the in-process twin: holders with an end.

use foldhash::fast::RandomState;
use hashbrown::hash_map::EntryRef;

use crate::shared::admission::SlotWanted;
use crate::shared::error::SharedError;

type HashMap<V> = hashbrown::HashMap<String, V, RandomState>;

/// Concurrency slots: key, owner, end of the lease.
#[derive(Debug)]
pub(super) struct Slots {
    bound: usize,
    held: usize,
    holders: HashMap<HashMap<i64>>,
}

impl Slots {
    pub(super) fn new(bound: usize) -> Self {
        Self {
            bound,
            held: 0,
            holders: HashMap::default(),
        }
    }

    pub(super) fn acquire(
        &mut self,
        key: &str,
        owner: &str,
        capacity: u32,
        lease_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        if self.held >= self.bound {
            self.forget_ended(now_ms);
        }
        let is_full = self.held >= self.bound;
        let owners = self.holders.entry_ref(key).or_default();
        if owners.len() >= capacity as usize {
            // Only where there may be too many: it costs as much as there are holders.
            let before = owners.len();
            owners.retain(|_, end_ms| *end_ms > now_ms);
            self.held -= before - owners.len();
        }
        let (has_room, is_unheld) = (owners.len() < capacity as usize, owners.is_empty());
        let end_ms = end(now_ms, lease_ms);
        match owners.entry_ref(owner) {
            EntryRef::Occupied(mut held) => {
                held.insert(end_ms);
                return Ok(true);
            }
            EntryRef::Vacant(free) if has_room && !is_full => {
                free.insert(end_ms);
                self.held += 1;
            }
            EntryRef::Vacant(_) if is_unheld => {
                self.holders.remove(key);
            }
            EntryRef::Vacant(_) => {}
        }
        if has_room && is_full {
            return Err(SharedError::Full);
        }
        Ok(has_room)
    }

    pub(super) fn renew(&mut self, key: &str, owner: &str, lease_ms: u64, now_ms: i64) -> bool {
        let held = self
            .holders
            .get_mut(key)
            .and_then(|owners| owners.get_mut(owner));
        match held {
            Some(end_ms) if *end_ms > now_ms => {
                *end_ms = end(now_ms, lease_ms);
                true
            }
            _ => false,
        }
    }

    pub(super) fn release(&mut self, key: &str, owner: &str) {
        if let Some(owners) = self.holders.get_mut(key) {
            if owners.remove(owner).is_some() {
                self.held -= 1;
            }
            if owners.is_empty() {
                self.holders.remove(key);
            }
        }
    }

    pub(super) fn release_all(&mut self, slots: &[SlotWanted<'_>], owner: &str) {
        for slot in slots {
            self.release(slot.key, owner);
        }
    }

    fn forget_ended(&mut self, now_ms: i64) {
        self.holders.retain(|_, owners| {
            owners.retain(|_, end_ms| *end_ms > now_ms);
            !owners.is_empty()
        });
        self.held = self.holders.values().map(HashMap::len).sum();
    }
}

/// Locks: name, owner, end.
#[derive(Debug)]
pub(super) struct Locks {
    bound: usize,
    held: HashMap<(String, i64)>,
}

impl Locks {
    pub(super) fn new(bound: usize) -> Self {
        Self {
            bound,
            held: HashMap::default(),
        }
    }

    pub(super) fn acquire(
        &mut self,
        name: &str,
        owner: &str,
        ttl_ms: u64,
        now_ms: i64,
    ) -> Result<bool, SharedError> {
        let end_ms = end(now_ms, ttl_ms);
        if let Some((holder, held_until)) = self.held.get_mut(name) {
            if *held_until > now_ms && holder != owner {
                return Ok(false);
            }
            owner.clone_into(holder);
            *held_until = end_ms;
            return Ok(true);
        }
        if self.held.len() >= self.bound {
            self.held.retain(|_, (_, held_until)| *held_until > now_ms);
        }
        if self.held.len() >= self.bound {
            return Err(SharedError::Full);
        }
        self.held
            .insert(name.to_owned(), (owner.to_owned(), end_ms));
        Ok(true)
    }

    pub(super) fn renew(&mut self, name: &str, owner: &str, ttl_ms: u64, now_ms: i64) -> bool {
        match self.held.get_mut(name) {
            Some((holder, held_until)) if holder == owner && *held_until > now_ms => {
                *held_until = end(now_ms, ttl_ms);
                true
            }
            _ => false,
        }
    }

    pub(super) fn release(&mut self, name: &str, owner: &str) -> bool {
        let is_owner = self
            .held
            .get(name)
            .is_some_and(|(holder, _)| holder == owner);
        if is_owner {
            self.held.remove(name);
        }
        is_owner
    }
}

fn end(now_ms: i64, duration_ms: u64) -> i64 {
    now_ms.saturating_add(i64::try_from(duration_ms).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_slots_are_bounded_and_ended_ones_make_room() {
        let mut slots = Slots::new(2);
        assert_eq!(slots.acquire("a", "one", 9, 100, 0), Ok(true));
        assert_eq!(slots.acquire("b", "two", 9, 100, 0), Ok(true));
        assert_eq!(
            slots.acquire("c", "three", 9, 100, 50),
            Err(SharedError::Full)
        );
        assert_eq!(slots.acquire("c", "three", 9, 100, 100), Ok(true));
        assert_eq!((slots.held, slots.holders.len()), (1, 1));
    }

    #[test]
    fn held_locks_are_bounded_and_ended_ones_make_room() {
        let mut locks = Locks::new(1);
        assert_eq!(locks.acquire("a", "one", 100, 0), Ok(true));
        assert_eq!(locks.acquire("b", "two", 100, 50), Err(SharedError::Full));
        assert_eq!(locks.acquire("b", "two", 100, 100), Ok(true));
    }
}
