//! Which channels a call would try now and in which order, and why not the others. Looks at the
//! snapshot and at health, and changes neither.

use providers::Operation;
use serde::Serialize;
use store::ChannelId;
use store::channels::ChannelState;

use super::channel::Channel;
use super::health::Barrier;
use super::select::{barrier, shares};
use super::snapshot::{Found, Snapshot, Way};
use super::status::{KeyStatus, name};

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
    /// A stable word for the reason.
    pub reason: &'static str,
    /// More of it, where there is more to say.
    pub detail: Option<String>,
    /// When that ends, in unix milliseconds, where it ends by itself.
    pub until_ms: Option<i64>,
}

/// How well a model is served for a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The model.
    pub model: String,
    /// The group.
    pub group: String,
    /// Channels that serve it and are switched on.
    pub channels: usize,
    /// Those that would take a call now.
    pub healthy: usize,
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
    if let Found::Ways(ways) = snapshot.find(model, group) {
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
        reason: "misconfigured",
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

/// How well every model is served for these groups.
pub fn coverage(snapshot: &Snapshot, groups: &[String], now_ms: i64) -> Vec<Coverage> {
    let mut all = Vec::new();
    for model in snapshot.all_models() {
        for group in groups {
            let Found::Ways(ways) = snapshot.find(model, group) else {
                continue;
            };
            let serving = || ways.tiers.iter().flat_map(|tier| &tier.ways);
            all.push(Coverage {
                model: model.to_owned(),
                group: group.clone(),
                channels: serving().count(),
                healthy: serving()
                    .filter(|way| barrier(way, Operation::Generate, 0, now_ms).is_ok())
                    .count(),
            });
        }
    }
    all
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
        is_probe: channel.health.gate.breaker.reason().is_some(),
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
        return excluded(channel, "operation", None, None);
    }
    let at = |wait_ms: u64| i64::try_from(wait_ms).ok().map(|wait| now_ms + wait);
    let (reason, until_ms) = match barrier(way, operation, 0, now_ms) {
        Err(Barrier::Open { until_ms }) => ("broken", Some(until_ms)),
        Err(Barrier::Probing) => ("probing", None),
        Err(Barrier::Cooling { until_ms }) => ("cooling_down", Some(until_ms)),
        Err(Barrier::Requests { wait_ms }) => ("requests_per_minute", at(wait_ms)),
        Err(Barrier::Tokens { wait_ms }) => ("tokens_per_minute", at(wait_ms)),
        Err(Barrier::Full) => ("concurrency", None),
        Ok(()) => ("changed", None),
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
        return excluded(channel, "model_missing", Some(detail), until_ms);
    }
    excluded(channel, reason, channel.status(now_ms).reason, until_ms)
}

/// Why a channel is not among those that are looked at; none where it is.
fn why_not(channel: &Channel, group: &str, model: &str) -> Option<Excluded> {
    if channel.upstream_model(model).is_none() {
        return Some(excluded(channel, "model", None, None));
    }
    if channel.state != ChannelState::On {
        let detail = channel.state_reason.clone();
        return Some(excluded(channel, name(channel.state), detail, None));
    }
    (!channel.serves(group)).then(|| excluded(channel, "group", None, None))
}

fn excluded(
    channel: &Channel,
    reason: &'static str,
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
