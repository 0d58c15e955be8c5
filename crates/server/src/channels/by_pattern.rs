//! Models that channels serve by patterns. A name is looked up once: what was found is remembered with the snapshot,
//! within bounds, since clients make up names.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::RwLock;

use super::channel::Channel;
use super::ways::{Found, Served, Subject};
use crate::model_pattern::is_callable;
use crate::telemetry::Meters;

/// So many names are remembered at most.
const MOST_NAMES: usize = 4_096;
/// So many ways of them at most, over all groups.
const MOST_WAYS: usize = 65_536;

/// All patterns of all channels that are not switched off.
#[derive(Debug, Default)]
pub(super) struct ByPattern {
    /// By what names begin with. Each has every channel that serves all of these names: those whose pattern is
    /// shorter, too. So the longest pattern that a name fits has all channels that serve it.
    patterns: BTreeMap<Box<str>, Served>,
    seen: RwLock<Seen>,
}

/// Names that were looked up.
#[derive(Debug, Default)]
struct Seen {
    names: HashMap<Box<str>, Served>,
    ways: usize,
}

impl ByPattern {
    /// Of these channels.
    pub(super) fn of<'a>(
        channels: impl Iterator<Item = &'a Arc<Channel>> + Clone,
        meters: &Meters,
    ) -> Self {
        let mut patterns: BTreeMap<Box<str>, Served> = BTreeMap::new();
        for start in channels.clone().flat_map(|one| one.models.beginnings()) {
            if !patterns.contains_key(start) {
                patterns.insert(start.into(), Served::default());
            }
        }
        for channel in channels {
            for start in channel.models.beginnings() {
                let from = (Bound::Included(start), Bound::Unbounded);
                let longer = patterns.range_mut::<str, _>(from);
                for (_, served) in longer.take_while(|(key, _)| key.starts_with(start)) {
                    served.add(channel);
                }
            }
        }
        for (start, served) in &mut patterns {
            served.index(Subject {
                model: &format!("{start}*"),
                is_listed: false,
                meters,
            });
        }
        Self {
            patterns,
            seen: RwLock::default(),
        }
    }

    /// The longest pattern that a name fits.
    pub(super) fn longest(&self, name: &str) -> Option<&Served> {
        let mut start = name;
        loop {
            let until = (Bound::Unbounded, Bound::Included(start));
            let (nearest, served) = self.patterns.range::<str, _>(until).next_back()?;
            if start.starts_with(&**nearest) {
                return Some(served);
            }
            // No pattern lies between the two, so none is longer than what they have in common.
            start = common_start(start, nearest);
        }
    }

    /// What is known of a name that a client asks for; none where no pattern stands for it.
    pub(super) fn find(&self, name: &str, group: &str, meters: &Meters) -> Option<Found> {
        if self.patterns.is_empty() {
            return None;
        }
        if let Some(served) = self.seen.read().names.get(name) {
            return Some(served.find(group));
        }
        if !is_callable(name) {
            return None;
        }
        let served = narrowed(self.longest(name)?, name, meters)?;
        let found = served.find(group);
        self.seen.write().keep(name, served);
        Some(found)
    }

    /// Who serves a name, or all names of a pattern; for people, so that it is not remembered.
    pub(super) fn look_up(&self, text: &str, meters: &Meters) -> Option<Served> {
        narrowed(self.longest(text)?, text, meters)
    }

    /// The patterns, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        self.patterns.keys().map(|start| format!("{start}*"))
    }

    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.seen.read().names.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }
}

impl Seen {
    /// Where there is no room everything is forgotten: a name that is used comes back with its next call.
    fn keep(&mut self, name: &str, served: Served) {
        let size = served.size();
        if self.names.len() >= MOST_NAMES || self.ways + size > MOST_WAYS {
            *self = Self::default();
        }
        if self.names.insert(name.into(), served).is_none() {
            self.ways += size;
        }
    }
}

fn narrowed(pattern: &Served, name: &str, meters: &Meters) -> Option<Served> {
    let channels = pattern.channels.iter();
    let channels: Vec<_> = channels
        .filter(|one| one.entry(name).is_some())
        .cloned()
        .collect();
    let subject = Subject {
        model: name,
        is_listed: false,
        meters,
    };
    (!channels.is_empty()).then(|| Served::by(channels, subject))
}

fn common_start<'a>(text: &'a str, other: &str) -> &'a str {
    let pairs = text.bytes().zip(other.bytes());
    let length = pairs.take_while(|(left, right)| left == right).count();
    &text[..text.floor_char_boundary(length)]
}
