//! The view of all channels that a node keeps in memory: made anew after every change, indexed by
//! model and group, so that a call looks at no channel that does not serve it.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use providers::Operation;
use store::ChannelId;
use store::channel_keys::ChannelKey;
use store::channels::{Channel as Row, ChannelState};

use super::channel::Channel;
use super::open::{Former, open_channel};
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

/// A way to a model: a channel that serves it.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) channel: Arc<Channel>,
    pub(super) upstream_model: Arc<str>,
    /// Where its calls are counted.
    pub(super) meter: Arc<Meter>,
    /// What the channel does with the model, one bit an operation.
    operations: u16,
}

impl Way {
    pub(super) fn offers(&self, operation: Operation) -> bool {
        self.operations & bit(operation) != 0
    }
}

/// Channels of one priority.
#[derive(Debug)]
pub(super) struct Tier {
    pub(super) priority: i64,
    pub(super) ways: Vec<Way>,
    /// Sums of weights up to and with each way, to draw one by its weight.
    pub(super) weights: Vec<u64>,
}

/// The ways to a model for a group, the highest priority first.
#[derive(Debug, Default)]
pub(super) struct Ways {
    pub(super) tiers: Vec<Tier>,
}

/// Everything about a model's name.
#[derive(Debug, Default)]
struct Served {
    /// Every channel that serves it and is not switched off, whether it takes calls or not.
    channels: Vec<Arc<Channel>>,
    /// Some channel serves it for every group.
    for_all: bool,
    /// For groups that some channel names.
    for_named: HashMap<Box<str>, Arc<Ways>>,
    /// For all others.
    for_others: Arc<Ways>,
}

/// What is known of a model's name for a group.
pub(super) enum Found {
    /// Nobody serves it.
    Unknown,
    /// It is served, but not for this group.
    NotForGroup,
    /// These serve it, if any of them takes calls.
    Ways(Arc<Ways>),
}

/// All channels.
#[derive(Debug, Default)]
pub struct Snapshot {
    channels: BTreeMap<ChannelId, Arc<Channel>>,
    broken: Vec<Broken>,
    served: BTreeMap<Box<str>, Served>,
}

impl Snapshot {
    /// Opens all channels. Health comes from the former snapshot.
    pub(super) fn new(
        ring: &KeyRing,
        rows: &[Row],
        keys: Vec<ChannelKey>,
        former: &Self,
        meters: &Meters,
    ) -> Self {
        let mut keys_of: HashMap<ChannelId, Vec<ChannelKey>> = HashMap::new();
        for key in keys {
            keys_of.entry(key.channel_id).or_default().push(key);
        }
        let mut snapshot = Self::default();
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
        snapshot.index(meters);
        snapshot
    }

    fn index(&mut self, meters: &Meters) {
        for channel in self.channels.values() {
            if channel.state == ChannelState::Off {
                continue;
            }
            for model in channel.models.keys() {
                let served = self.served.entry(model.clone()).or_default();
                served.channels.push(channel.clone());
            }
        }
        for (model, served) in &mut self.served {
            served.index(model, meters);
        }
    }

    /// What is known of a model for a group.
    pub(super) fn find(&self, model: &str, group: &str) -> Found {
        match self.served.get(model) {
            Some(served) => served.find(group),
            None if self.broken.iter().any(|broken| broken.serves(model, group)) => {
                Found::Ways(Arc::default())
            }
            None => Found::Unknown,
        }
    }

    /// The ways to a model through one channel; none where it does not serve the model or is not on.
    pub(super) fn ways_through(
        &self,
        id: ChannelId,
        model: &str,
        meters: &Meters,
    ) -> Option<Arc<Ways>> {
        let ways = Ways::new(model, self.channel(id).into_iter(), meters);
        (!ways.tiers.is_empty()).then(|| Arc::new(ways))
    }

    /// The models that a group can reach, sorted, each with the provider that would serve it first.
    pub fn models<'a>(&'a self, group: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.served.iter().filter_map(move |(model, served)| {
            let channels = served.channels.iter().filter(|c| c.serves(group));
            let first = channels.max_by_key(|c| (c.priority, std::cmp::Reverse(c.id)))?;
            Some((model.as_ref(), first.provider.as_ref()))
        })
    }

    /// The models that one channel serves while it is on, sorted, each with its provider.
    pub fn models_through(&self, id: ChannelId) -> Vec<(&str, &str)> {
        let channel = self.channel(id).filter(|one| one.state == ChannelState::On);
        let mut models: Vec<(&str, &str)> = channel
            .iter()
            .flat_map(|channel| {
                channel
                    .models
                    .keys()
                    .map(|model| (&**model, &*channel.provider))
            })
            .collect();
        models.sort_unstable();
        models
    }

    /// Every model that some channel serves, sorted.
    pub fn all_models(&self) -> impl Iterator<Item = &str> {
        self.served.keys().map(AsRef::as_ref)
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
            && self.models.iter().any(|name| name == model)
            && (self.groups.is_empty() || self.groups.iter().any(|name| name == group))
    }
}

impl Served {
    fn index(&mut self, model: &str, meters: &Meters) {
        self.for_all = self
            .channels
            .iter()
            .any(|channel| channel.groups.is_empty());
        let named = self.channels.iter().flat_map(|channel| &channel.groups);
        let named: std::collections::BTreeSet<&String> = named.collect();
        self.for_named = named
            .into_iter()
            .map(|group| {
                let channels = self.channels.iter().filter(|channel| channel.serves(group));
                (
                    group.as_str().into(),
                    Arc::new(Ways::new(model, channels, meters)),
                )
            })
            .collect();
        let others = self
            .channels
            .iter()
            .filter(|channel| channel.groups.is_empty());
        self.for_others = Arc::new(Ways::new(model, others, meters));
    }

    fn find(&self, group: &str) -> Found {
        match self.for_named.get(group) {
            Some(ways) => Found::Ways(ways.clone()),
            None if self.for_all => Found::Ways(self.for_others.clone()),
            None => Found::NotForGroup,
        }
    }
}

impl Ways {
    fn new<'a>(
        model: &str,
        channels: impl Iterator<Item = &'a Arc<Channel>>,
        meters: &Meters,
    ) -> Self {
        let mut tiers: BTreeMap<i64, Vec<Way>> = BTreeMap::new();
        for channel in channels.filter(|channel| channel.state == ChannelState::On) {
            let Some(upstream_model) = channel.upstream_model(model) else {
                continue;
            };
            let offered = Operation::ALL
                .into_iter()
                .filter(|operation| !channel.formats(*operation, upstream_model).is_empty());
            tiers.entry(channel.priority).or_default().push(Way {
                channel: channel.clone(),
                upstream_model: upstream_model.clone(),
                meter: meters.of(&channel.name, model),
                operations: offered.map(bit).fold(0, |all, one| all | one),
            });
        }
        let tiers = tiers
            .into_iter()
            .rev()
            .map(|(priority, ways)| Tier::new(priority, ways));
        Self {
            tiers: tiers.collect(),
        }
    }
}

impl Tier {
    fn new(priority: i64, ways: Vec<Way>) -> Self {
        let weights = ways
            .iter()
            .scan(0, |sum, way| {
                *sum += u64::from(way.channel.weight);
                Some(*sum)
            })
            .collect();
        Self {
            priority,
            ways,
            weights,
        }
    }
}

fn bit(operation: Operation) -> u16 {
    let position = Operation::ALL.iter().position(|other| *other == operation);
    1 << position.unwrap_or(15)
}
