//! The byte cache of the in-process twin; beyond its bound, what ends first goes first.

use std::collections::{BTreeSet, HashMap};

/// What an entry costs beside its bytes: two keys' headers, the end, table overhead.
const ENTRY_OVERHEAD_BYTES: usize = 128;

/// Entries by key, and by end for eviction.
#[derive(Debug)]
pub(super) struct ByteCache {
    bound_bytes: usize,
    held_bytes: usize,
    entries: HashMap<String, (Vec<u8>, i64)>,
    by_end: BTreeSet<(i64, String)>,
}

impl ByteCache {
    pub(super) fn new(bound_bytes: usize) -> Self {
        Self {
            bound_bytes,
            held_bytes: 0,
            entries: HashMap::new(),
            by_end: BTreeSet::new(),
        }
    }

    pub(super) fn put(&mut self, key: &str, value: &[u8], ttl_ms: u64, now_ms: i64) {
        self.remove(key);
        let weight = weight(key, value);
        if weight > self.bound_bytes {
            return;
        }
        while self.held_bytes + weight > self.bound_bytes {
            let Some((_, soonest)) = self.by_end.first().cloned() else {
                break;
            };
            self.remove(&soonest);
        }
        let end_ms = now_ms.saturating_add(i64::try_from(ttl_ms).unwrap_or(i64::MAX));
        self.by_end.insert((end_ms, key.to_owned()));
        self.entries
            .insert(key.to_owned(), (value.to_vec(), end_ms));
        self.held_bytes += weight;
    }

    pub(super) fn get(&mut self, key: &str, now_ms: i64) -> Option<Vec<u8>> {
        let (value, end_ms) = self.entries.get(key)?;
        if *end_ms > now_ms {
            return Some(value.clone());
        }
        self.remove(key);
        None
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some((value, end_ms)) = self.entries.remove(key) {
            self.by_end.remove(&(end_ms, key.to_owned()));
            self.held_bytes -= weight(key, &value);
        }
    }
}

fn weight(key: &str, value: &[u8]) -> usize {
    ENTRY_OVERHEAD_BYTES + 2 * key.len() + value.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_stays_within_its_bytes_and_drops_what_ends_first() {
        let mut cache = ByteCache::new(10_000);
        cache.put("lasting", &[1; 100], 1_000_000, 0);
        for entry in 0..1_000 {
            cache.put(&format!("short-{entry}"), &[2; 1_000], 1_000, entry);
            assert!(cache.held_bytes <= 10_000);
        }
        assert_eq!(cache.get("lasting", 1_500), Some(vec![1; 100]));
        assert_eq!(cache.entries.len(), cache.by_end.len());
        assert!(cache.entries.len() < 10);
    }

    #[test]
    fn a_value_beyond_the_whole_bound_is_not_kept_and_the_old_one_is_gone() {
        let mut cache = ByteCache::new(1_000);
        cache.put("key", b"old", 1_000, 0);
        cache.put("key", &[0; 2_000], 1_000, 0);
        assert_eq!(cache.get("key", 1), None);
        assert_eq!(cache.held_bytes, 0);
    }
}
