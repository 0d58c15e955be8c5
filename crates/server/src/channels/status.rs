//! How a channel is doing, for people: what somebody has set, and what the gateway has made of it.
//! A pause by the gateway is read off the health; it is not in the records, and ends by itself.

use schemars::JsonSchema;
use serde::Serialize;
use store::ChannelId;
use store::channels::ChannelState;

use super::channel::{Channel, Key};
use super::health::{Barrier, Gate};
use super::registry::Channels;
use crate::limits::Ceilings;

/// The state of a channel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChannelStatus {
    /// `on`, `draining`, `paused` or `off`.
    pub state: &'static str,
    /// Why it is not on.
    pub reason: Option<String>,
    /// What kind of reason that is.
    pub cause: Option<StateCause>,
    /// When the gateway tries it again, in unix milliseconds.
    pub until_ms: Option<i64>,
    /// The moving average to the first byte.
    pub latency_ms: Option<f64>,
    /// Calls under way on this node.
    pub in_flight: u32,
    /// Its keys.
    pub keys: Vec<KeyStatus>,
}

/// Why a channel is not on, or not surely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateCause {
    /// Somebody has said so; the reason is that person's.
    Set,
    /// It failed too often; the reason is what was last heard of the upstream.
    Failing,
    /// The upstream asked for a pause.
    Cooling,
    /// It cannot be used as it is set up.
    Misconfigured,
    /// It is on: it failed too often, and the next call tries whether it is back.
    OnTrial,
}

/// The state of one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyStatus {
    /// Its position among the channel's keys.
    pub index: usize,
    /// `on`, `paused` (its breaker is open), `cooling` (the upstream asked for a pause) or
    /// `unusable`.
    pub state: &'static str,
    /// Why it is not on.
    pub reason: Option<String>,
    /// When it is tried again, in unix milliseconds.
    pub until_ms: Option<i64>,
    /// Calls under way on this node.
    pub in_flight: u32,
}

impl Channels {
    /// How a channel is doing on this node; none where it is not known here.
    pub fn status(&self, id: ChannelId) -> Option<ChannelStatus> {
        let (snapshot, now_ms) = (self.snapshot(), self.clock.now_ms());
        if let Some(channel) = snapshot.channel(id) {
            return Some(channel.status(now_ms));
        }
        let broken = snapshot.broken().iter().find(|broken| broken.id == id)?;
        let is_on = broken.state == ChannelState::On;
        Some(ChannelStatus {
            state: if is_on { "paused" } else { name(broken.state) },
            reason: Some(broken.reason.clone()),
            cause: Some(StateCause::Misconfigured),
            until_ms: None,
            latency_ms: None,
            in_flight: 0,
            keys: Vec::new(),
        })
    }
}

impl Channel {
    /// How it is doing.
    pub fn status(&self, now_ms: i64) -> ChannelStatus {
        let gate = &self.health.gate;
        let keys = self.key_statuses(now_ms);
        let mut status = ChannelStatus {
            state: name(self.state),
            reason: self.state_reason.clone(),
            cause: None,
            until_ms: None,
            latency_ms: self.health.latency.milliseconds(),
            in_flight: gate.in_flight(),
            keys,
        };
        if self.state != ChannelState::On {
            status.cause = Some(StateCause::Set);
            return status;
        }
        if let Some((until_ms, reason)) = pause(gate, now_ms) {
            (status.state, status.reason, status.until_ms) = ("paused", reason, until_ms);
            status.cause = Some(cause_of(gate));
        } else if status.keys.iter().all(|key| key.state != "on") {
            let first = status
                .keys
                .iter()
                .min_by_key(|key| key.until_ms.unwrap_or(i64::MAX));
            status.reason = first.and_then(|key| key.reason.clone());
            status.until_ms = first.and_then(|key| key.until_ms);
            status.cause = Some(match first.map(|key| key.state) {
                Some("cooling") => StateCause::Cooling,
                Some("unusable") | None => StateCause::Misconfigured,
                Some(_) => StateCause::Failing,
            });
            status.state = "paused";
        } else if let Some(reason) = self.down_because() {
            (status.reason, status.cause) = (Some(reason), Some(StateCause::OnTrial));
        }
        status
    }

    pub(super) fn key_statuses(&self, now_ms: i64) -> Vec<KeyStatus> {
        let unusable = self.unusable_keys.iter().map(|(index, reason)| KeyStatus {
            index: *index,
            state: "unusable",
            reason: Some(reason.clone()),
            until_ms: None,
            in_flight: 0,
        });
        let mut keys: Vec<KeyStatus> = self.keys.iter().map(|key| key.status(now_ms)).collect();
        keys.extend(unusable);
        keys.sort_by_key(|key| key.index);
        keys
    }
}

impl Key {
    fn status(&self, now_ms: i64) -> KeyStatus {
        let mut status = KeyStatus {
            index: self.index,
            state: "on",
            reason: None,
            until_ms: None,
            in_flight: self.gate.in_flight(),
        };
        if let Some((until_ms, reason)) = pause(&self.gate, now_ms) {
            (status.until_ms, status.reason) = (until_ms, reason);
            status.state = match cause_of(&self.gate) {
                StateCause::Cooling => "cooling",
                _ => "paused",
            };
        }
        status
    }
}

/// Until when and why a gate is shut, where that is not for want of room.
fn pause(gate: &Gate, now_ms: i64) -> Option<(Option<i64>, Option<String>)> {
    match gate.check(Ceilings::default(), 0, now_ms).err()? {
        Barrier::Open { until_ms } => Some((Some(until_ms), gate.breaker.reason())),
        Barrier::Probing => Some((None, gate.breaker.reason())),
        Barrier::Cooling { until_ms } => {
            let reason = "the upstream asked for a pause".to_owned();
            Some((Some(until_ms), Some(reason)))
        }
        Barrier::Requests { .. } | Barrier::Tokens { .. } | Barrier::Full => None,
    }
}

/// What has shut a gate that is shut.
fn cause_of(gate: &Gate) -> StateCause {
    if gate.breaker.reason().is_some() {
        StateCause::Failing
    } else {
        StateCause::Cooling
    }
}

/// A state's name in the records and on the API.
fn name(state: ChannelState) -> &'static str {
    match state {
        ChannelState::On => "on",
        ChannelState::Draining => "draining",
        ChannelState::Paused => "paused",
        ChannelState::Off => "off",
    }
}
