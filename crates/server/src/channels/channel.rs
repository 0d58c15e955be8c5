//! One channel, opened: everything that a call needs to go through it. Health is shared between
//! the snapshots that a channel lives through.

use std::borrow::Cow;
use std::sync::Arc;

use dialects::DialectId;
use providers::{Egress, Format, Operation, Upstream};
use store::channels::ChannelState;
use store::{ChannelId, ChannelKeyId};

use super::health::{ChannelHealth, Gate};
use super::model_list::{Entry, ModelList};
use super::overrides::Overrides;
use crate::demo;
use crate::limits::Ceilings;

/// Where a call through a key goes.
#[derive(Debug, Clone)]
pub enum Destination {
    /// A vendor, over the network.
    Vendor {
        /// Provider, address and credential. Boxed: a destination is one of many.
        upstream: Box<Upstream>,
        /// The way out.
        egress: Egress,
    },
    /// The demo channel, inside this process, with the channel's fault switches.
    Demo(demo::Switches),
}

/// One of a channel's keys, opened.
#[derive(Debug)]
pub struct Key {
    /// Its row; none where the channel needs no key.
    pub id: Option<ChannelKeyId>,
    /// Its place among the channel's keys, by which the log names it.
    pub index: usize,
    /// Where its calls go.
    pub destination: Destination,
    /// How much it may be used.
    pub limits: Ceilings,
    pub(super) gate: Arc<Gate>,
}

/// A configured upstream as calls see it. In this order: what every choice between channels looks at comes first and
/// lies together, since most of many channels are far away in memory.
#[derive(Debug)]
#[repr(C)]
pub struct Channel {
    /// Its id.
    pub id: ChannelId,
    pub(super) health: Arc<ChannelHealth>,
    /// How much may go through it.
    pub limits: Ceilings,
    /// At least one.
    pub keys: Vec<Key>,
    /// The share within its tier.
    pub weight: u32,
    /// What somebody has set; what the gateway thinks of it is its health.
    pub state: ChannelState,
    pub(super) dialects: Option<Vec<DialectId>>,
    /// What is changed in every request.
    pub overrides: Overrides,
    /// Its name.
    pub name: Arc<str>,
    /// The provider's id.
    pub provider: Arc<str>,
    /// Groups that may use it; empty: all.
    pub groups: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Higher tiers are tried first.
    pub priority: i64,
    /// Why somebody has set it so.
    pub state_reason: Option<String>,
    /// Keys that cannot be used, with the reason.
    pub unusable_keys: Vec<(usize, String)>,
    /// When its settings were last changed.
    pub updated_at: i64,
    pub(super) models: ModelList,
}

impl Channel {
    /// What the upstream calls a model; none where the channel does not serve it.
    pub fn upstream_model(&self, model: &str) -> Option<Arc<str>> {
        Some(self.entry(model)?.upstream)
    }

    /// How it serves a model, or all models of a pattern; none where it does not.
    pub(super) fn entry(&self, model: &str) -> Option<Entry<'_>> {
        self.models.entry(model)
    }

    /// Whether a group may use it.
    pub fn serves(&self, group: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|allowed| allowed == group)
    }

    /// The formats in which it does this with a model of the upstream's naming, the best first:
    /// what the provider offers, narrowed by the channel's dialects. Legacy completions are offered
    /// only where the channel names them.
    pub fn formats(&self, operation: Operation, upstream_model: &str) -> Cow<'static, [Format]> {
        let offered = match &self.keys[0].destination {
            Destination::Vendor { upstream, .. } => {
                upstream.provider.formats(operation, upstream_model)
            }
            Destination::Demo(_) => demo::formats(operation, upstream_model),
        };
        let is_text = matches!(operation, Operation::Generate | Operation::CountTokens);
        let is_spoken = |format: &Format| match (&self.dialects, format.dialect()) {
            _ if !is_text => true,
            (None, dialect) => dialect != Some(DialectId::TextCompletions),
            (Some(spoken), Some(dialect)) => spoken.contains(&dialect),
            (Some(_), None) => false,
        };
        // Where only the last ones are left out, as for most, no list is made.
        let spoken = offered
            .iter()
            .take_while(|format| is_spoken(format))
            .count();
        let (first, rest) = offered.split_at(spoken);
        if !rest.iter().any(is_spoken) {
            return Cow::Borrowed(first);
        }
        offered.iter().copied().filter(is_spoken).collect()
    }
}
