//! The way of one call through the channels: place after place, the best first, never the same
//! channel twice, except for another key of it where the failure said that one may help.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dialects::canonical::{Failure, FailureKind};
use providers::Operation;
use store::ChannelId;

use super::channel::Key;
use super::health::Barrier;
use super::place::{Load, Place, Turn, Word};
use super::registry::Channels;
use super::select::{Needs, barrier, choose, hash, soonest, wait_ms};
use super::ways::{Found, Way, Ways};
use crate::clock::Clock;
use crate::randomness::Randomness;

/// What a call wants.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The model as the client names it.
    pub model: &'a str,
    /// The group that the token calls as.
    pub group: &'a str,
    /// What is to be done.
    pub operation: Operation,
    /// Tokens of text that the call may take, for the channels' limits.
    pub tokens: u64,
    /// The one channel that may serve it, whatever groups that has.
    pub only: Option<ChannelId>,
}

/// Why there is no channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoChannel {
    /// No channel serves the model.
    UnknownModel,
    /// Channels serve the model, but not for this group.
    NotForGroup,
    /// The one channel that may serve the call does not have the model, or is not on.
    NotOnChannel,
    /// Channels serve the model, but none does this with it.
    NotOffered,
    /// Channels serve it, and none of them works.
    NothingHealthy {
        /// When that may have changed.
        retry_after_ms: u64,
    },
    /// The limits of the channels are used up.
    Busy {
        /// When there may be room.
        retry_after_ms: u64,
    },
    /// The upstreams have said that we come too often.
    CoolingDown {
        /// When they said to come again.
        retry_after_ms: u64,
    },
}

impl NoChannel {
    /// What the client is told.
    pub fn failure(self, model: &str) -> Failure {
        let later = |kind, text: &str, ms| Failure {
            retry_after_ms: Some(ms),
            ..Failure::new(kind, text)
        };
        match self {
            Self::UnknownModel | Self::NotForGroup => about_model(
                FailureKind::ModelNotFound,
                format!("The model `{model}` does not exist or is not served for this API key."),
            ),
            Self::NotOnChannel => about_model(
                FailureKind::ModelNotFound,
                format!("The chosen channel does not serve the model `{model}`, or is not on."),
            ),
            Self::NotOffered => about_model(
                FailureKind::Unsupported,
                format!("The model `{model}` cannot be used with this endpoint."),
            ),
            Self::NothingHealthy { retry_after_ms } => later(
                FailureKind::Overloaded,
                "No channel for this model works right now.",
                retry_after_ms,
            ),
            Self::Busy { retry_after_ms } => later(
                FailureKind::Overloaded,
                "The channels for this model have no capacity left right now.",
                retry_after_ms,
            ),
            Self::CoolingDown { retry_after_ms } => later(
                FailureKind::RateLimited,
                "The upstreams of this model take no more calls right now.",
                retry_after_ms,
            ),
        }
    }
}

fn about_model(kind: FailureKind, text: String) -> Failure {
    Failure {
        param: Some("model".to_owned()),
        ..Failure::new(kind, text)
    }
}

/// The way of one call.
pub struct Route {
    ways: Arc<Ways>,
    operation: Operation,
    affinity: Option<u64>,
    tokens: u64,
    /// What was tried before the last place; empty for most calls.
    tried: Vec<ChannelId>,
    /// Upstream models whose context window is too small for the call.
    too_small: Vec<Arc<str>>,
    last: Option<Last>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
}

/// The place that was given out last.
struct Last {
    channel: ChannelId,
    key: usize,
    /// Keys of the channel that were tried before.
    earlier_keys: Vec<usize>,
    word: Arc<Word>,
}

impl Route {
    /// Finds who could serve a call; nothing is taken yet.
    pub fn begin(channels: &Channels, wanted: Wanted<'_>) -> Result<Self, NoChannel> {
        let ways = ways_of(channels, wanted)?;
        let mut all = ways.tiers.iter().flat_map(|tier| &tier.ways).peekable();
        if all.peek().is_some() && !all.any(|way| way.offers(wanted.operation)) {
            return Err(NoChannel::NotOffered);
        }
        Ok(Self {
            ways,
            operation: wanted.operation,
            affinity: None,
            tokens: wanted.tokens,
            tried: Vec::new(),
            too_small: Vec::new(),
            last: None,
            clock: channels.clock.clone(),
            randomness: channels.randomness.clone(),
        })
    }

    /// Keeps to a conversation's channel: calls with the same stable beginning, hashed, prefer the same one,
    /// whose prompt cache they find warm. The hash is made only where there is something to choose.
    #[must_use]
    pub fn keeping_to(mut self, affinity: impl FnOnce() -> Option<u64>) -> Self {
        let has_choice = self.ways.tiers.iter().any(|tier| match &tier.ways[..] {
            [only] => only.channel.keys.len() > 1,
            several => !several.is_empty(),
        });
        if has_choice {
            self.affinity = affinity();
        }
        self
    }

    /// Excludes an upstream model whose context window is too small for the call.
    pub fn exclude_model(&mut self, upstream_model: Arc<str>) {
        self.too_small.push(upstream_model);
    }

    /// The next place to try.
    pub fn next(&mut self, now_ms: i64) -> Result<Place, NoChannel> {
        if let Some(place) = self.other_key(now_ms) {
            return Ok(place);
        }
        self.tried.extend(self.last.take().map(|last| last.channel));
        let (operation, affinity) = (self.operation, self.affinity);
        let needs = Needs {
            operation,
            tokens: self.tokens,
            affinity,
            now_ms,
        };
        for tier in &self.ways.tiers {
            // Whoever is chosen and cannot be entered after all is not chosen again.
            while let Some(way) = choose(
                tier,
                needs,
                |way| {
                    way.offers(operation)
                        && !self.tried.contains(&way.channel.id)
                        && !self.too_small.contains(&way.upstream_model)
                },
                &*self.randomness,
            ) {
                let turn = Turn {
                    start: start(way, affinity),
                    may_use: |_: &_| true,
                    is_inside: false,
                };
                let taken = Place::take(way, self.load(), turn, (&self.clock, now_ms));
                let Some(place) = taken else {
                    self.tried.push(way.channel.id);
                    continue;
                };
                self.last = Some(Last {
                    channel: way.channel.id,
                    key: place.key_index,
                    earlier_keys: Vec::new(),
                    word: place.word(),
                });
                return Ok(place);
            }
        }
        Err(self.why_not(now_ms))
    }

    /// Another key of the channel that was tried last, where that may help.
    fn other_key(&mut self, now_ms: i64) -> Option<Place> {
        let load = self.load();
        let last = self.last.as_mut()?;
        if !last.word.other_key.load(Ordering::Acquire) {
            return None;
        }
        let mut all = self.ways.tiers.iter().flat_map(|tier| &tier.ways);
        let way = all.find(|way| way.channel.id == last.channel)?;
        let turn = Turn {
            start: last.key + 1,
            may_use: |key: &Key| key.index != last.key && !last.earlier_keys.contains(&key.index),
            is_inside: Arc::strong_count(&last.word) > 1,
        };
        let place = Place::take(way, load, turn, (&self.clock, now_ms))?;
        last.earlier_keys.push(last.key);
        last.key = place.key_index;
        last.word = place.word();
        Some(place)
    }

    fn load(&self) -> Load {
        Load {
            operation: self.operation,
            tokens: self.tokens,
        }
    }

    /// Why no channel takes the call: the barrier that will be gone first decides.
    fn why_not(&self, now_ms: i64) -> NoChannel {
        let mut first = None;
        let ways = self.ways.tiers.iter().flat_map(|tier| &tier.ways);
        for way in ways.filter(|way| way.offers(self.operation)) {
            if let Err(barrier) = barrier(way, self.operation, self.tokens, now_ms) {
                first = Some(soonest(first, barrier, now_ms));
            }
        }
        let retry_after_ms = first.map_or(1_000, |barrier| wait_ms(barrier, now_ms).max(1));
        match first {
            Some(Barrier::Cooling { .. }) => NoChannel::CoolingDown { retry_after_ms },
            Some(Barrier::Requests { .. } | Barrier::Tokens { .. } | Barrier::Full) => {
                NoChannel::Busy { retry_after_ms }
            }
            _ => NoChannel::NothingHealthy { retry_after_ms },
        }
    }
}

fn ways_of(channels: &Channels, wanted: Wanted<'_>) -> Result<Arc<Ways>, NoChannel> {
    let snapshot = channels.snapshot();
    if let Some(id) = wanted.only {
        let ways = snapshot.ways_through(id, wanted.model);
        return ways.ok_or(NoChannel::NotOnChannel);
    }
    match snapshot.find(wanted.model, wanted.group) {
        Found::Unknown => Err(NoChannel::UnknownModel),
        Found::NotForGroup => Err(NoChannel::NotForGroup),
        Found::Ways(ways) => Ok(ways),
    }
}

/// The key to begin with: the same for a conversation, else one after the other.
fn start(way: &Way, affinity: Option<u64>) -> usize {
    let keys = way.channel.keys.len();
    if keys < 2 {
        return 0;
    }
    match affinity {
        Some(affinity) => {
            let hash = hash((affinity, way.channel.id.0));
            usize::try_from(hash % keys as u64).unwrap_or(0)
        }
        None => way.channel.health.next_turn(keys),
    }
}

impl std::fmt::Debug for Route {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Route")
            .field("operation", &self.operation)
            .field("tried", &self.tried)
            .finish_non_exhaustive()
    }
}
