//! One place on one channel that a call has taken: it holds the channel's and the key's slots, and
//! tells their health how it went. Dropping it without a word is neutral, as when a client leaves.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use dialects::DialectId;
use providers::{Format, Operation, Retry, UpstreamFailure};

use super::channel::Key;
use super::health::{Dialects, Mark, Pass, StopSignal, effect, is_about_path};
use super::target::ChannelTarget;
use super::ways::Way;
use crate::clock::Clock;
use crate::telemetry::{Meter, Paused};

/// What a place tells the route that it came from.
#[derive(Debug, Default)]
pub(super) struct Word {
    /// Another key of the channel may help.
    pub(super) other_key: AtomicBool,
}

/// Which keys of a channel are tried.
pub(super) struct Turn<F> {
    /// The first of them.
    pub(super) start: usize,
    /// Leaves out what was tried before.
    pub(super) may_use: F,
    /// The call still holds its former place on the same channel.
    pub(super) is_inside: bool,
}

/// What is done at a place, and how many tokens it may take from the limits.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) operation: Operation,
    pub(super) tokens: u64,
}

/// A taken place.
pub struct Place {
    target: ChannelTarget,
    /// Where the call is counted.
    pub meter: Arc<Meter>,
    channel_pass: Pass,
    key_pass: Pass,
    /// Tokens counted so far against the limits.
    charged: AtomicU64,
    /// What is done there.
    operation: Operation,
    /// Dialects whose paths the upstream has not known in this call.
    unknown: Dialects,
    /// Whether health knows already how it went; what a probe has told once it does not tell again.
    is_told: AtomicBool,
    word: Arc<Word>,
    clock: Arc<dyn Clock>,
}

impl Place {
    /// Takes a place on a channel with the first of its keys, from `start` on and in turn, that is
    /// not ruled out and lets the call in; none where there is none.
    pub(super) fn take(
        way: &Way,
        Load { operation, tokens }: Load,
        turn: Turn<impl Fn(&Key) -> bool>,
        (clock, now_ms): (&Arc<dyn Clock>, i64),
    ) -> Option<Self> {
        let channel = &way.channel;
        let gate = &channel.health.gate;
        let Turn { start, may_use, .. } = turn;
        let entered = if turn.is_inside {
            gate.enter_again(channel.limits, tokens, now_ms)
        } else {
            gate.enter(channel.limits, tokens, now_ms)
        };
        let pass = entered.ok()?;
        for step in 0..channel.keys.len() {
            let slot = (start + step) % channel.keys.len();
            let key = &channel.keys[slot];
            if !may_use(key) {
                continue;
            }
            if let Ok(key_pass) = key.gate.enter(key.limits, tokens, now_ms) {
                return Some(Self {
                    target: ChannelTarget {
                        channel: channel.clone(),
                        key_index: key.index,
                        upstream_model: way.upstream_model.clone(),
                        slot,
                    },
                    meter: way.meter.clone(),
                    channel_pass: pass,
                    key_pass,
                    charged: AtomicU64::new(tokens),
                    operation,
                    unknown: Dialects::default(),
                    is_told: AtomicBool::new(false),
                    word: Arc::default(),
                    clock: clock.clone(),
                });
            }
        }
        gate.undo(pass, channel.limits, tokens, now_ms);
        None
    }

    /// Whether health hears how it goes. Vendors count tokens behind other limits and rights than those of their answers,
    /// if at all: how a count goes says nothing of the channel.
    fn is_judged(&self) -> bool {
        self.operation != Operation::CountTokens
    }

    /// The formats in which the channel does this with the model, the best first, without dialects that its upstream has
    /// turned out not to have.
    pub fn formats(&self, operation: Operation) -> Cow<'static, [Format]> {
        let offered = self.channel.formats(operation, &self.upstream_model);
        let spoken = &self.channel.health.spoken;
        let lacking = spoken.lacking(|| self.clock.now_ms()).and(self.unknown);
        if lacking.is_empty() || operation != Operation::Generate {
            return offered;
        }
        let is_had = |format: &Format| !format.dialect().is_some_and(|one| lacking.has(one));
        let had: Vec<Format> = offered.iter().copied().filter(is_had).collect();
        if had.is_empty() { offered } else { had.into() }
    }

    /// Whether the upstream only lacks the path of the format that it was asked in, so that the same place can be tried in
    /// another one. Health hears of it once that one is answered: until then the address may be wrong as a whole.
    pub fn lacks(&mut self, format: Option<Format>, failure: &UpstreamFailure) -> bool {
        let Some(dialect) = format.and_then(Format::dialect) else {
            return false;
        };
        if self.operation != Operation::Generate
            || !is_about_path(failure)
            || !self.channel.health.spoken.may_lack(dialect)
        {
            return false;
        }
        self.unknown = self.unknown.and(Dialects::of(dialect));
        // Legacy completions are spoken to their own clients alone.
        let others = self.formats(self.operation);
        let has_others = others.iter().any(|format| match format.dialect() {
            Some(DialectId::TextCompletions) => false,
            Some(other) => !self.unknown.has(other),
            None => true,
        });
        if has_others {
            self.meter.attempt_failed(failure.kind);
        }
        has_others
    }

    /// An answer came in this format.
    pub fn spoke(&self, format: Option<Format>) {
        if self.operation == Operation::Generate
            && let Some(dialect) = format.and_then(Format::dialect)
        {
            let spoken = &self.channel.health.spoken;
            spoken.answered(dialect, self.unknown, || self.clock.now_ms());
        }
    }

    /// The first byte of a good answer came after this long.
    pub fn answered(&self, first_byte: Duration) {
        self.meter.attempt_answered(first_byte);
        if !self.is_judged() {
            return;
        }
        let now_ms = self.clock.now_ms();
        self.channel.health.answered(first_byte, now_ms);
        self.note(Mark::Alive, Mark::Alive, "", now_ms);
    }

    /// The attempt failed, before or after its first byte.
    pub fn failed(&self, failure: &UpstreamFailure) {
        self.meter.attempt_failed(failure.kind);
        if failure.retry == Retry::OtherKey {
            self.word.other_key.store(true, Ordering::Release);
        }
        if !self.is_judged() {
            return;
        }
        let now_ms = self.clock.now_ms();
        let effect = effect(failure, self.operation);
        if effect.lacks_model {
            let health = &self.channel.health;
            health.lacks(self.operation, &self.upstream_model, now_ms);
        }
        let reason = failure.to_string();
        self.note(effect.channel, effect.key, &reason, now_ms);
    }

    /// The call has really used so many tokens; the limits had an estimate.
    pub fn used(&self, tokens: u64) {
        let charged = self.charged.swap(tokens, Ordering::Relaxed);
        let (channel, key) = (&self.channel, self.key());
        channel
            .health
            .gate
            .correct_tokens(channel.limits, charged, tokens);
        key.gate.correct_tokens(key.limits, charged, tokens);
    }

    /// Serves another model from now on, of which the upstream has this name; gives back what it served before.
    pub fn serve(
        &mut self,
        (upstream_model, meter): (Arc<str>, Arc<Meter>),
    ) -> (Arc<str>, Arc<Meter>) {
        (
            std::mem::replace(&mut self.target.upstream_model, upstream_model),
            std::mem::replace(&mut self.meter, meter),
        )
    }

    /// Tells when somebody switches the channel off.
    pub fn stop_signal(&self) -> StopSignal {
        self.channel.health.stop_signal()
    }

    /// What the route may learn.
    pub(super) fn word(&self) -> Arc<Word> {
        self.word.clone()
    }

    fn note(&self, channel: Mark, key: Mark, reason: &str, now_ms: i64) {
        let is_first = !self.is_told.swap(true, Ordering::Relaxed);
        let is_probe = |pass: Pass| is_first && pass.is_probe;
        let gate = &self.channel.health.gate;
        if gate.note(channel, is_probe(self.channel_pass), reason, now_ms) {
            self.tell(Paused::Channel, reason);
        }
        let key_gate = &self.key().gate;
        if key_gate.note(key, is_probe(self.key_pass), reason, now_ms) {
            self.tell(Paused::Key, reason);
        }
    }

    /// Says that the gateway has paused something; it is tried again by itself.
    fn tell(&self, what: Paused, reason: &str) {
        let (channel, key) = (&*self.channel.name, self.key_index);
        self.meter.paused(what);
        let what = what.name();
        tracing::warn!(what, channel, key, reason, "paused by the gateway");
    }
}

impl Deref for Place {
    type Target = ChannelTarget;

    fn deref(&self) -> &ChannelTarget {
        &self.target
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Only probes need the time, and there are few of them.
        let is_probe = self.channel_pass.is_probe || self.key_pass.is_probe;
        let now_ms = if is_probe { self.clock.now_ms() } else { 0 };
        self.channel.health.gate.leave(self.channel_pass, now_ms);
        self.key().gate.leave(self.key_pass, now_ms);
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Place")
            .field("channel", &self.channel.name)
            .field("key_index", &self.key_index)
            .field("upstream_model", &self.upstream_model)
            .finish_non_exhaustive()
    }
}
