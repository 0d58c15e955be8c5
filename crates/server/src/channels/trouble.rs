//! What is wrong with a channel, for whoever watches over the service. Unlike a pause, trouble does
//! not end by the clock: only a call that goes well, or an edit, says that it is over.

use store::ChannelId;
use store::channels::ChannelState;

use super::channel::Channel;
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
    /// The models that it should serve, in order.
    pub models: Vec<String>,
}

impl Channel {
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

    /// The models that it serves, in order.
    pub fn model_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.models.keys().map(ToString::to_string).collect();
        names.sort_unstable();
        names
    }
}

impl Snapshot {
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
