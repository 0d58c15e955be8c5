//! Which channels a call would try now and in which order, and why not the others. Looks at the
//! snapshot and at health, and changes neither.

use std::collections::BTreeSet;

use providers::Operation;
use schemars::JsonSchema;
use serde::Serialize;
use store::ChannelId;
use store::channels::ChannelState;

use super::channel::Channel;
use super::health::Barrier;
use super::select::{barrier, shares};
use super::snapshot::Snapshot;
use super::status::KeyStatus;
use super::ways::{Found, Way, Ways};

/// The whole answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The model that was asked for.
    pub model: String,
    /// The group that asks.
    pub group: String,
    /// What is to be done.
    pub operation: &'static str,
    /// Who is tried: tier after tier.
    pub tiers: Vec<ExplainedTier>,
    /// Everybody else.
    pub excluded: Vec<Excluded>,
}

/// Channels of one priority.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedTier {
    /// The priority.
    pub priority: i64,
    /// Who would take the call, the likeliest first.
    pub candidates: Vec<Candidate>,
}

/// A channel that would take the call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// The channel.
    pub channel_id: ChannelId,
    /// Its name.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// What the upstream calls the model.
    pub upstream_model: String,
    /// Its weight.
    pub weight: u32,
    /// How likely it is the first of its tier: weight, latency and load together, from 0 to 1.
    pub share: f64,
    /// The call would be the probe of a breaker.
    pub is_probe: bool,
    /// The moving average to the first byte.
    pub latency_ms: Option<f64>,
    /// Calls under way on this node.
    pub in_flight: u32,
    /// Dialects whose paths the upstream does not know: calls in them are converted.
    pub lacks_dialects: Vec<&'static str>,
    /// Its keys.
    pub keys: Vec<KeyStatus>,
}

/// A channel that would not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// The channel.
    pub channel_id: ChannelId,
    /// Its name.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Its priority.
    pub priority: i64,
    /// Why not.
    pub reason: Reason,
    /// More of it, where there is more to say.
    pub detail: Option<String>,
    /// When that ends, in unix milliseconds, where it ends by itself.
    pub until_ms: Option<i64>,
}

/// Why a channel would not take a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ExclusionReason")]
pub enum Reason {
    /// It does not serve the model.
    Model,
    /// It is not for the group.
    Group,
    /// It does not do this with the model.
    Operation,
    /// The upstream did not know the model of late.
    ModelMissing,
    /// Somebody lets it finish what runs.
    Draining,
    /// Somebody has paused it.
    Paused,
    /// Somebody has switched it off.
    Off,
    /// It cannot be used as it is set up.
    Misconfigured,
    /// It failed too often of late.
    Broken,
    /// It failed of late, and another call tries it now.
    Probing,
    /// The upstream asked for a pause.
    CoolingDown,
    /// It has had its calls of this minute.
    RequestsPerMinute,
    /// It has had its tokens of this minute.
    TokensPerMinute,
    /// As many calls run as may.
    Concurrency,
    /// It changed while somebody looked.
    Changed,
}

impl Reason {
    fn of(state: ChannelState) -> Self {
        match state {
            ChannelState::On => Self::Changed,
            ChannelState::Draining => Self::Draining,
            ChannelState::Paused => Self::Paused,
            ChannelState::Off => Self::Off,
        }
    }
}

/// How well a model is served for a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The model, or a pattern.
    pub model: String,
    /// The group.
    pub group: String,
    /// Channels that serve it and are switched on.
    pub channels: usize,
    /// Those that would take a call now and have not failed before it: the same that keeps a model from
    /// being an incident.
    pub healthy: usize,
    /// Those that failed and would be tried with the next call, to see whether they are back.
    pub on_trial: usize,
}

/// Explains a call.
pub fn explain(
    snapshot: &Snapshot,
    (group, model): (&str, &str),
    operation: Operation,
    now_ms: i64,
) -> Explanation {
    let mut tiers = Vec::new();
    let mut excluded = Vec::new();
    if let Found::Ways(ways) = snapshot.look_up(model, group) {
        for tier in &ways.tiers {
            let (open, shut): (Vec<&Way>, Vec<&Way>) = tier.ways.iter().partition(|way| {
                way.offers(operation) && barrier(way, operation, 0, now_ms).is_ok()
            });
            let shut = shut.into_iter().map(|way| why_shut(way, operation, now_ms));
            excluded.extend(shut);
            if !open.is_empty() {
                tiers.push(ExplainedTier {
                    priority: tier.priority,
                    candidates: candidates(&open, now_ms),
                });
            }
        }
    }
    excluded.extend(
        snapshot
            .channels()
            .filter_map(|channel| why_not(channel, group, model)),
    );
    excluded.extend(snapshot.broken().iter().map(|broken| Excluded {
        channel_id: broken.id,
        name: broken.name.clone(),
        provider: broken.provider.clone(),
        priority: broken.priority,
        reason: Reason::Misconfigured,
        detail: Some(broken.reason.clone()),
        until_ms: None,
    }));
    Explanation {
        model: model.to_owned(),
        group: group.to_owned(),
        operation: operation.name(),
        tiers,
        excluded,
    }
}

/// How well every model is served for these groups, and every pattern.
pub fn coverage(snapshot: &Snapshot, groups: &[String], now_ms: i64) -> Vec<Coverage> {
    // Channels that cannot be used as they are set up shall be missed, too.
    let broken = snapshot.broken().iter().flat_map(|broken| &broken.models);
    let named = snapshot.all_models().map(str::to_owned);
    let models = named.chain(snapshot.all_patterns());
    let models: BTreeSet<String> = models.chain(broken.cloned()).collect();
    let mut all = Vec::new();
    for model in models {
        for group in groups {
            if let Found::Ways(ways) = snapshot.look_up(&model, group) {
                all.push(covered(snapshot, (&model, group), &ways, now_ms));
            }
        }
    }
    all
}

fn covered(
    snapshot: &Snapshot,
    (model, group): (&str, &str),
    ways: &Ways,
    now_ms: i64,
) -> Coverage {
    let serving = || ways.tiers.iter().flat_map(|tier| &tier.ways);
    let open = serving().filter(|way| barrier(way, Operation::Generate, 0, now_ms).is_ok());
    let (failed, sound): (Vec<&Way>, Vec<&Way>) =
        open.partition(|way| way.channel.down_because().is_some());
    let broken = snapshot.broken().iter();
    let broken = broken.filter(|broken| broken.serves(model, group));
    Coverage {
        model: model.to_owned(),
        group: group.to_owned(),
        channels: serving().count() + broken.count(),
        healthy: sound.len(),
        on_trial: failed.len(),
    }
}

fn candidates(open: &[&Way], now_ms: i64) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = open
        .iter()
        .zip(shares(open, now_ms))
        .map(|(way, share)| candidate(way, share, now_ms))
        .collect();
    candidates.sort_by(|left, right| right.share.total_cmp(&left.share));
    candidates
}

fn candidate(way: &Way, share: f64, now_ms: i64) -> Candidate {
    let channel = &way.channel;
    Candidate {
        channel_id: channel.id,
        name: channel.name.to_string(),
        provider: channel.provider.to_string(),
        upstream_model: way.upstream_model.to_string(),
        weight: channel.weight,
        share,
        is_probe: channel.down_because().is_some(),
        latency_ms: channel.health.latency.milliseconds(),
        in_flight: channel.health.gate.in_flight(),
        lacks_dialects: channel.health.spoken.lacking(|| now_ms).names(),
        keys: channel.key_statuses(now_ms),
    }
}

/// Why a channel that serves the model for the group would not take the call.
fn why_shut(way: &Way, operation: Operation, now_ms: i64) -> Excluded {
    let channel = &way.channel;
    if !way.offers(operation) {
        return excluded(channel, Reason::Operation, None, None);
    }
    let at = |wait_ms: u64| i64::try_from(wait_ms).ok().map(|wait| now_ms + wait);
    let (reason, until_ms) = match barrier(way, operation, 0, now_ms) {
        Err(Barrier::Open { until_ms }) => (Reason::Broken, Some(until_ms)),
        Err(Barrier::Probing) => (Reason::Probing, None),
        Err(Barrier::Cooling { until_ms }) => (Reason::CoolingDown, Some(until_ms)),
        Err(Barrier::Requests { wait_ms }) => (Reason::RequestsPerMinute, at(wait_ms)),
        Err(Barrier::Tokens { wait_ms }) => (Reason::TokensPerMinute, at(wait_ms)),
        Err(Barrier::Full) => (Reason::Concurrency, None),
        Ok(()) => (Reason::Changed, None),
    };
    if channel
        .health
        .lacks_until(operation, &way.upstream_model, now_ms)
        .is_some()
    {
        let detail = format!(
            "the upstream did not know the model `{}`, or cannot do this with it",
            way.upstream_model
        );
        return excluded(channel, Reason::ModelMissing, Some(detail), until_ms);
    }
    excluded(channel, reason, channel.status(now_ms).reason, until_ms)
}

/// Why a channel is not among those that are looked at; none where it is.
fn why_not(channel: &Channel, group: &str, model: &str) -> Option<Excluded> {
    if channel.upstream_model(model).is_none() {
        return Some(excluded(channel, Reason::Model, None, None));
    }
    if channel.state != ChannelState::On {
        let detail = channel.state_reason.clone();
        return Some(excluded(channel, Reason::of(channel.state), detail, None));
    }
    (!channel.serves(group)).then(|| excluded(channel, Reason::Group, None, None))
}

fn excluded(
    channel: &Channel,
    reason: Reason,
    detail: Option<String>,
    until_ms: Option<i64>,
) -> Excluded {
    Excluded {
        channel_id: channel.id,
        name: channel.name.to_string(),
        provider: channel.provider.to_string(),
        priority: channel.priority,
        reason,
        detail,
        until_ms,
    }
}
