//! What is wrong with a channel, for whoever watches over the service. Unlike a pause, trouble does
//! not end by the clock: only a call that goes well, or an edit, says that it is over.

use store::ChannelId;
use store::channels::ChannelState;

use super::channel::Channel;
use super::health::Gate;
use super::snapshot::Snapshot;

/// A channel that is switched on and serves nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The channel.
    pub id: ChannelId,
    /// Its name.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// What was last heard of it.
    pub reason: String,
    /// The models that it should serve, and its patterns, in order.
    pub models: Vec<String>,
}

/// A channel or one of its keys that the gateway has paused by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// The channel.
    pub channel_id: ChannelId,
    /// The key's position among the channel's keys; none: all of the channel.
    pub key: Option<usize>,
    /// How many keys the channel has.
    pub keys: usize,
    /// Since when, in unix milliseconds.
    pub since_ms: i64,
    /// What the upstream said last.
    pub reason: String,
}

impl Channel {
    /// What the gateway has paused of it.
    fn pauses(&self) -> impl Iterator<Item = Pause> {
        let keys = self.keys.len() + self.unusable_keys.len();
        let pause = move |key: Option<usize>, gate: &Gate| {
            Some(Pause {
                channel_id: self.id,
                key,
                keys,
                since_ms: gate.breaker.tripped_at_ms()?,
                reason: gate.breaker.reason()?,
            })
        };
        let whole = pause(None, &self.health.gate);
        let single = self.keys.iter();
        let single = single.filter_map(move |key| pause(Some(key.index), &key.gate));
        whole.into_iter().chain(single)
    }

    /// Why nothing goes through it: its breaker, or those of all of its keys, have not closed yet.
    pub fn down_because(&self) -> Option<String> {
        if let Some(reason) = self.health.gate.breaker.reason() {
            return Some(reason);
        }
        let mut reasons = self.keys.iter().map(|key| key.gate.breaker.reason());
        let first = reasons.next().flatten()?;
        reasons.all(|reason| reason.is_some()).then_some(first)
    }

    /// Keys that the upstream does not take any more, and why.
    pub fn refused_keys(&self) -> Vec<(usize, String)> {
        let reason = |key: &super::channel::Key| Some((key.index, key.gate.breaker.reason()?));
        self.keys.iter().filter_map(reason).collect()
    }

    /// The models that it serves, and its patterns, in order.
    pub fn model_names(&self) -> Vec<String> {
        self.models.listed()
    }
}

impl Snapshot {
    /// What the gateway has paused, whatever people have set.
    pub fn pauses(&self) -> Vec<Pause> {
        let channels = self.channels();
        channels.flat_map(|channel| channel.pauses()).collect()
    }

    /// Channels that are switched on and serve nobody.
    pub fn troubles(&self) -> Vec<Trouble> {
        let is_on = |channel: &&std::sync::Arc<Channel>| channel.state == ChannelState::On;
        let down = self.channels().filter(is_on).filter_map(|channel| {
            Some(Trouble {
                id: channel.id,
                name: channel.name.to_string(),
                provider: channel.provider.to_string(),
                reason: channel.down_because()?,
                models: channel.model_names(),
            })
        });
        let broken = self
            .broken()
            .iter()
            .filter(|broken| broken.state == ChannelState::On)
            .map(|broken| Trouble {
                id: broken.id,
                name: broken.name.clone(),
                provider: broken.provider.clone(),
                reason: broken.reason.clone(),
                models: broken.models.clone(),
            });
        down.chain(broken).collect()
    }

    /// Models that some channel which is switched on should serve, and none does: all of them are in
    /// trouble.
    pub fn unserved_models(&self, troubles: &[Trouble]) -> Vec<String> {
        let in_trouble = |id: ChannelId| troubles.iter().any(|trouble| trouble.id == id);
        let is_served = |model: &str| {
            let mut channels = self.channels();
            channels.any(|channel| {
                channel.state == ChannelState::On
                    && channel.upstream_model(model).is_some()
                    && !in_trouble(channel.id)
            })
        };
        let mut models: Vec<String> = troubles
            .iter()
            .flat_map(|trouble| &trouble.models)
            .filter(|model| !is_served(model))
            .cloned()
            .collect();
        models.sort_unstable();
        models.dedup();
        models
    }
}
