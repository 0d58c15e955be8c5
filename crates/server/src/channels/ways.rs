//! The ways to a model: which channels serve it for which group, tier after tier.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;
use providers::Operation;
use store::channels::ChannelState;

use super::channel::Channel;
use super::model_list::Entry;
use crate::telemetry::{Meter, Meters};

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

/// A model at hand, and where its calls are counted.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) model: &'a str,
    /// Whether some channel lists it by its name. Calls of others are counted under the pattern: clients make up
    /// as many names as they like.
    pub(super) is_listed: bool,
    pub(super) meters: &'a Meters,
}

/// Everything about a model's name, or about a pattern.
#[derive(Debug, Default)]
pub(super) struct Served {
    /// Every channel that serves it and is not switched off, whether it takes calls or not.
    pub(super) channels: Vec<Arc<Channel>>,
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

impl Subject<'_> {
    /// The name in the metrics of a channel that serves it so.
    pub(super) fn counted_as<'a>(&'a self, entry: &'a Entry<'_>) -> &'a str {
        if self.is_listed {
            self.model
        } else {
            entry.listed
        }
    }
}

impl Served {
    /// Of these channels, for a model that all of them serve.
    pub(super) fn by(channels: Vec<Arc<Channel>>, subject: Subject<'_>) -> Self {
        let mut served = Self {
            channels,
            ..Self::default()
        };
        served.index(subject);
        served
    }

    /// One more channel serves it. Channels come one after the other, each maybe several times.
    pub(super) fn add(&mut self, channel: &Arc<Channel>) {
        let is_last = |last: &Arc<Channel>| last.id == channel.id;
        if !self.channels.last().is_some_and(is_last) {
            self.channels.push(channel.clone());
        }
    }

    pub(super) fn index(&mut self, subject: Subject<'_>) {
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
                    Arc::new(Ways::new(subject, channels)),
                )
            })
            .collect();
        let others = self
            .channels
            .iter()
            .filter(|channel| channel.groups.is_empty());
        self.for_others = Arc::new(Ways::new(subject, others));
    }

    pub(super) fn find(&self, group: &str) -> Found {
        match self.for_named.get(group) {
            Some(ways) => Found::Ways(ways.clone()),
            None if self.for_all => Found::Ways(self.for_others.clone()),
            None => Found::NotForGroup,
        }
    }

    /// The provider that would serve it first for a group.
    pub(super) fn provider(&self, group: &str) -> Option<&str> {
        let channels = self.channels.iter().filter(|one| one.serves(group));
        let first = channels.max_by_key(|one| (one.priority, std::cmp::Reverse(one.id)))?;
        Some(first.provider.as_ref())
    }

    /// How many ways it holds, over all groups.
    pub(super) fn size(&self) -> usize {
        let all = self.for_named.values().chain([&self.for_others]);
        let tiers = all.flat_map(|ways| &ways.tiers);
        tiers.map(|tier| tier.ways.len()).sum()
    }
}

impl Ways {
    pub(super) fn new<'a>(
        subject: Subject<'_>,
        channels: impl Iterator<Item = &'a Arc<Channel>>,
    ) -> Self {
        let mut tiers: BTreeMap<i64, Vec<Way>> = BTreeMap::new();
        for channel in channels.filter(|channel| channel.state == ChannelState::On) {
            let Some(entry) = channel.entry(subject.model) else {
                continue;
            };
            let counted_as = subject.counted_as(&entry);
            let meter = subject.meters.of(&channel.name, counted_as);
            let upstream_model = entry.upstream;
            let offered = Operation::ALL
                .into_iter()
                .filter(|operation| !channel.formats(*operation, &upstream_model).is_empty());
            let operations = offered.map(bit).fold(0, |all, one| all | one);
            tiers.entry(channel.priority).or_default().push(Way {
                channel: channel.clone(),
                upstream_model,
                meter,
                operations,
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
