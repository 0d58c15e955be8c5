//! The view of all channels that a node keeps in memory: made anew after every change, indexed by
//! model and group, so that a call looks at no channel that does not serve it.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use store::ChannelId;
use store::channel_keys::ChannelKey;
use store::channels::{Channel as Row, ChannelState};

use super::by_pattern::ByPattern;
use super::channel::Channel;
use super::open::{Former, open_channel};
use super::ways::{Found, Served, Subject, Ways};
use crate::model_pattern::{covers, is_callable};
use crate::secrets::KeyRing;
use crate::telemetry::{Meter, Meters};

/// A channel that cannot be used as it is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Its id.
    pub id: ChannelId,
    /// Its name.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Its tier.
    pub priority: i64,
    /// Why.
    pub reason: String,
    pub(super) state: ChannelState,
    pub(super) models: Vec<String>,
    pub(super) groups: Vec<String>,
}

/// All channels.
#[derive(Debug, Default)]
pub struct Snapshot {
    channels: BTreeMap<ChannelId, Arc<Channel>>,
    broken: Vec<Broken>,
    /// By the names that channels list.
    pub(super) served: BTreeMap<Box<str>, Served>,
    pub(super) by_pattern: ByPattern,
    meters: Arc<Meters>,
}

impl Snapshot {
    /// Opens all channels. Health comes from the former snapshot.
    pub(super) fn new(
        ring: &KeyRing,
        rows: &[Row],
        keys: Vec<ChannelKey>,
        former: &Self,
        meters: Arc<Meters>,
    ) -> Self {
        let mut keys_of: HashMap<ChannelId, Vec<ChannelKey>> = HashMap::new();
        for key in keys {
            keys_of.entry(key.channel_id).or_default().push(key);
        }
        let mut snapshot = Self {
            meters,
            ..Self::default()
        };
        for row in rows {
            let keys = keys_of.remove(&row.id).unwrap_or_default();
            let known = Former(former.channels.get(&row.id).map(AsRef::as_ref));
            known.heed_state(row.state);
            match open_channel(ring, row, &keys, &known) {
                Ok(channel) => {
                    snapshot.channels.insert(row.id, Arc::new(channel));
                }
                Err(reason) => snapshot.broken.push(Broken {
                    id: row.id,
                    name: row.name.clone(),
                    provider: row.provider.clone(),
                    priority: row.priority,
                    reason,
                    state: row.state,
                    models: row.models.0.clone(),
                    groups: row.groups.0.clone(),
                }),
            }
        }
        snapshot.index();
        snapshot
    }

    fn index(&mut self) {
        let channels = self.channels.values();
        let open = channels.filter(|channel| channel.state != ChannelState::Off);
        for name in open.clone().flat_map(|channel| channel.models.names()) {
            if !self.served.contains_key(name) {
                self.served.insert(name.into(), Served::default());
            }
        }
        for channel in open.clone() {
            for name in channel.models.names() {
                if let Some(served) = self.served.get_mut(name) {
                    served.add(channel);
                }
            }
            for start in channel.models.beginnings() {
                let from = (Bound::Included(start), Bound::Unbounded);
                let named = self.served.range_mut::<str, _>(from);
                for (name, served) in named.take_while(|(name, _)| name.starts_with(start)) {
                    if channel.entry(name).is_some() {
                        served.add(channel);
                    }
                }
            }
        }
        for (model, served) in &mut self.served {
            served.index(Subject {
                model,
                is_listed: true,
                meters: &self.meters,
            });
        }
        self.by_pattern = ByPattern::of(open, &self.meters);
    }

    /// What is known of a model for a group that calls.
    pub(super) fn find(&self, model: &str, group: &str) -> Found {
        if let Some(served) = self.served.get(model) {
            return served.find(group);
        }
        let found = self.by_pattern.find(model, group, &self.meters);
        found.unwrap_or_else(|| self.find_broken(model, group))
    }

    /// The same for people, who may name a pattern, too.
    pub(super) fn look_up(&self, text: &str, group: &str) -> Found {
        if let Some(served) = self.served.get(text) {
            return served.find(group);
        }
        let found = self.by_pattern.look_up(text, &self.meters);
        found.map_or_else(|| self.find_broken(text, group), |found| found.find(group))
    }

    fn find_broken(&self, model: &str, group: &str) -> Found {
        if self.broken.iter().any(|broken| broken.serves(model, group)) {
            return Found::Ways(Arc::default());
        }
        Found::Unknown
    }

    /// The ways to a model through one channel; none where it does not serve the model or is not on.
    pub(super) fn ways_through(&self, id: ChannelId, model: &str) -> Option<Arc<Ways>> {
        let subject = self.subject(model);
        if !subject.is_listed && !is_callable(model) {
            return None;
        }
        let ways = Ways::new(subject, self.channel(id).into_iter());
        (!ways.tiers.is_empty()).then(|| Arc::new(ways))
    }

    /// How a channel serves a model, and where its calls are counted.
    pub fn service(&self, channel: &Channel, model: &str) -> Option<(Arc<str>, Arc<Meter>)> {
        let (subject, entry) = (self.subject(model), channel.entry(model)?);
        let meter = self.meters.of(&channel.name, subject.counted_as(&entry));
        Some((entry.upstream, meter))
    }

    fn subject<'a>(&'a self, model: &'a str) -> Subject<'a> {
        Subject {
            model,
            is_listed: self.served.contains_key(model),
            meters: &self.meters,
        }
    }

    /// Every channel that can be used, by id.
    pub fn channels(&self) -> impl Iterator<Item = &Arc<Channel>> {
        self.channels.values()
    }

    /// The channel of this id.
    pub fn channel(&self, id: ChannelId) -> Option<&Arc<Channel>> {
        self.channels.get(&id)
    }

    /// Channels that cannot be used as they are set up.
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }
}

impl Broken {
    /// Whether it would serve a model for a group if it worked.
    pub(super) fn serves(&self, model: &str, group: &str) -> bool {
        self.state != ChannelState::Off
            && self.models.iter().any(|entry| covers(entry, model))
            && (self.groups.is_empty() || self.groups.iter().any(|name| name == group))
    }
}
