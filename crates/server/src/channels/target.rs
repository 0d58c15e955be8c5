//! Where a call goes: a channel, one of its keys, and the upstream's name of the model. Unlike the place that a call has
//! taken there, it can be copied and holds no slots.

use std::sync::Arc;

use super::channel::{Channel, Destination, Key};

/// The target of one attempt.
#[derive(Clone)]
pub struct ChannelTarget {
    /// The channel.
    pub channel: Arc<Channel>,
    /// The key's position among the channel's keys, as the log has it.
    pub key_index: usize,
    /// What the upstream calls the model.
    pub upstream_model: Arc<str>,
    /// The key among those that could be opened.
    pub(super) slot: usize,
}

impl ChannelTarget {
    pub(super) fn key(&self) -> &Key {
        &self.channel.keys[self.slot]
    }

    /// Returns the address and credential of the key.
    pub fn destination(&self) -> &Destination {
        &self.key().destination
    }
}
