//! The open parts of a streamed answer, in the order in which they began, filed by what can be written
//! of them: with very many calls open at a time none is searched for.

use std::collections::{BTreeMap, BTreeSet};

use super::stream_slot::{Readiness, Slot};

/// Open parts by their number.
#[derive(Debug, Default)]
pub(super) struct Slots {
    by_part: BTreeMap<u32, Slot>,
    /// Parts that could be written if others followed them.
    ready: BTreeSet<u32>,
    /// Parts that nothing after them may overtake.
    blocking: BTreeSet<u32>,
    /// The latest part with words.
    words: Option<u32>,
}

impl Slots {
    /// Adds a part that has begun. Words end where others begin.
    pub(super) fn push(&mut self, slot: Slot) {
        let part = slot.part;
        if slot.is_words()
            && let Some(earlier) = self.words.replace(part)
        {
            self.update(earlier, |slot| slot.ended = true);
        }
        self.by_part.insert(part, slot);
        self.update(part, |_| {});
    }

    /// Changes a part. Returns `None` if it is not open.
    pub(super) fn update<T>(
        &mut self,
        part: u32,
        change: impl FnOnce(&mut Slot) -> T,
    ) -> Option<T> {
        let slot = self.by_part.get_mut(&part)?;
        let changed = change(slot);
        let now = slot.readiness(true);
        let before = std::mem::replace(&mut slot.filed, now);
        if before != now {
            self.file(before).map(|filed| filed.remove(&part));
            self.file(now).map(|filed| filed.insert(part));
        }
        Some(changed)
    }

    fn file(&mut self, readiness: Readiness) -> Option<&mut BTreeSet<u32>> {
        match readiness {
            Readiness::Ready => Some(&mut self.ready),
            Readiness::Blocking => Some(&mut self.blocking),
            Readiness::Silent => None,
        }
    }

    /// Returns an open part.
    pub(super) fn get(&self, part: u32) -> Option<&Slot> {
        self.by_part.get(&part)
    }

    /// Removes a part.
    pub(super) fn remove(&mut self, part: u32) -> Option<Slot> {
        let slot = self.by_part.remove(&part)?;
        self.file(slot.filed).map(|filed| filed.remove(&part));
        Some(slot)
    }

    /// Ends all parts.
    pub(super) fn end_all(&mut self) {
        let parts: Vec<u32> = self.by_part.keys().copied().collect();
        for part in parts {
            self.update(part, |slot| slot.ended = true);
        }
    }

    /// Returns how many parts are open.
    pub(super) fn len(&self) -> usize {
        self.by_part.len()
    }

    /// Returns the first part that can be written, unless one before it must come first.
    pub(super) fn next(&self) -> Option<u32> {
        let first = self.ready.first()?;
        if self.blocking.first().is_some_and(|other| other < first) {
            return None;
        }
        let is_last = self.by_part.last_key_value().map(|(part, _)| part) == Some(first);
        let readiness = self.by_part.get(first)?.readiness(!is_last);
        (readiness == Readiness::Ready).then_some(*first)
    }

    /// Reports whether a part besides this one can be written.
    pub(super) fn others_wait(&self, part: u32) -> bool {
        self.ready.iter().any(|other| *other != part)
    }
}
