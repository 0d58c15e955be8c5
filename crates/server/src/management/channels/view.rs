//! A channel as the interface shows one, with how it is doing beside. Keys are a number only.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::channels::{Channel, ChannelState};
use store::rollups::{self, Grain};
use store::{ChannelId, channel_keys};

use super::masks::{masked_overrides, masked_proxy};
use crate::app::App;
use crate::channels::{ChannelStatus, KeyStatus, StateCause};
use crate::management::frame::{ApiError, Moment};

/// How far back errors are counted.
const WINDOW_MS: i64 = 3_600_000;

/// A channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Channel")]
pub struct ChannelView {
    /// The channel's id.
    pub id: i64,
    /// Its unique name.
    pub name: String,
    /// The provider's id.
    #[serde(rename = "type")]
    pub provider: String,
    /// Where the provider is reached; empty: its own address.
    pub base_url: String,
    /// Models that clients may ask for, as `alias=upstream name` where the names differ.
    pub models: Vec<String>,
    /// The same differences by alias.
    pub model_mapping: BTreeMap<String, String>,
    /// Groups that may use it; empty: all.
    pub groups: Vec<String>,
    /// Higher ones are tried first.
    pub priority: i64,
    /// The share among channels of one priority.
    pub weight: i64,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// `on`, `draining`, `paused` (by the gateway) or `off`.
    pub state: String,
    /// Why it is not on, or not surely.
    pub state_reason: Option<String>,
    /// What kind of reason that is; `null` while all is well.
    pub state_cause: Option<StateCause>,
    /// How much it may be used.
    pub limits: LimitsView,
    /// How long it may take.
    pub timeouts: TimeoutsView,
    /// Headers and body fields to set or drop; credentials in headers are masked.
    pub overrides: Option<Value>,
    /// The proxy to go through; its password is masked.
    pub proxy: Option<String>,
    /// Narrows what the provider speaks; `null`: all of it.
    pub dialects: Option<Vec<String>>,
    /// How many keys it has.
    pub key_count: i64,
    /// Whether the configuration file declares it; then it is not changed here.
    pub is_declared: bool,
    /// When it was made.
    pub created_at: Moment,
    /// When it was last changed.
    pub updated_at: Moment,
    /// How it is doing.
    pub health: HealthView,
}

/// Limits; `null` is no limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LimitsView {
    /// Calls a minute.
    pub rpm: Option<i64>,
    /// Model tokens a minute.
    pub tpm: Option<i64>,
    /// Calls at once.
    pub concurrency: Option<i64>,
}

/// Timeouts; `null` is the gateway's own.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the interface names the unit")]
pub struct TimeoutsView {
    /// To connect.
    pub connect_ms: Option<i64>,
    /// To the first byte of the reply.
    pub first_byte_ms: Option<i64>,
    /// Between two pieces of the reply.
    pub idle_ms: Option<i64>,
}

/// How a channel is doing on this node, and over the last hour on all.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct HealthView {
    /// When the gateway tries a paused channel again.
    pub paused_until: Option<Moment>,
    /// The moving average to the first byte.
    pub latency_ms: Option<f64>,
    /// Calls under way on this node.
    pub in_flight: u32,
    /// Tries in the last hour.
    pub attempts: i64,
    /// Tries that failed.
    pub failures: i64,
    /// Their share from 0 to 1; `null` without tries.
    pub error_rate: Option<f64>,
    /// Its keys.
    pub keys: Vec<KeyHealth>,
}

/// How a key is doing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyHealth {
    /// Its position, from 0.
    pub index: usize,
    /// `on`, `paused`, `cooling` or `unusable`.
    pub state: String,
    /// Why it is not on.
    pub reason: Option<String>,
    /// When it is tried again.
    pub until: Option<Moment>,
    /// Calls under way on this node.
    pub in_flight: u32,
}

/// Channels as the interface shows them, with two queries however many they are.
pub async fn views(app: &App, channels: Vec<Channel>) -> Result<Vec<ChannelView>, ApiError> {
    let records = app.store().read();
    let counts = channel_keys::counts(records).await?;
    let now = app.clock().now_ms();
    let mut tries: HashMap<ChannelId, (i64, i64)> = HashMap::new();
    let attempts = rollups::channel_attempts(records, Grain::Minute, now - WINDOW_MS, now, None);
    for row in attempts.await? {
        let sums = tries.entry(row.channel_id).or_default();
        sums.0 += row.attempts;
        sums.1 += row.failures;
    }
    let show = |channel: Channel| {
        let keys = counts.get(&channel.id).copied().unwrap_or(0);
        let status = app.channels().status(channel.id);
        let sums = tries.get(&channel.id).copied().unwrap_or_default();
        view(channel, keys, status, sums)
    };
    Ok(channels.into_iter().map(show).collect())
}

/// One channel as the interface shows it, after a change that is on disk.
pub async fn view_of(app: &App, channel: Channel) -> Result<ChannelView, ApiError> {
    let mut views = views(app, vec![channel]).await?;
    views.pop().ok_or_else(ApiError::broken)
}

/// The settings alone, for comparing: no health, and keys only as a number.
pub fn settings(channel: Channel, key_count: i64) -> ChannelView {
    view(channel, key_count, None, (0, 0))
}

fn view(
    channel: Channel,
    key_count: i64,
    status: Option<ChannelStatus>,
    (attempts, failures): (i64, i64),
) -> ChannelView {
    let mapping = &channel.model_mapping.0;
    let spelled = |model: &String| match mapping.get(model) {
        Some(upstream) if upstream != model => format!("{model}={upstream}"),
        _ => model.clone(),
    };
    let (state, reason) = match &status {
        Some(status) => (status.state, status.reason.clone()),
        None => (state_name(channel.state), channel.state_reason.clone()),
    };
    ChannelView {
        id: channel.id.0,
        models: channel.models.0.iter().map(spelled).collect(),
        model_mapping: channel.model_mapping.0,
        name: channel.name,
        provider: channel.provider,
        base_url: channel.base_url,
        groups: channel.groups.0,
        priority: channel.priority,
        weight: channel.weight,
        tags: channel.tags.0,
        state: state.to_owned(),
        state_reason: reason,
        state_cause: status.as_ref().and_then(|status| status.cause),
        limits: LimitsView {
            rpm: channel.rpm,
            tpm: channel.tpm,
            concurrency: channel.concurrency,
        },
        timeouts: TimeoutsView {
            connect_ms: channel.connect_timeout_ms,
            first_byte_ms: channel.first_byte_timeout_ms,
            idle_ms: channel.idle_timeout_ms,
        },
        overrides: channel
            .overrides
            .map(|document| masked_overrides(&document.0)),
        proxy: channel.proxy.as_deref().map(masked_proxy),
        dialects: channel.dialects.map(|document| document.0),
        key_count,
        is_declared: channel.is_declared,
        created_at: Moment(channel.created_at),
        updated_at: Moment(channel.updated_at),
        health: health(status, attempts, failures),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a share of tries needs no more precision"
)]
fn health(status: Option<ChannelStatus>, attempts: i64, failures: i64) -> HealthView {
    let error_rate = (attempts > 0).then(|| failures as f64 / attempts as f64);
    let Some(status) = status else {
        return HealthView::default();
    };
    HealthView {
        paused_until: status.until_ms.map(Moment),
        latency_ms: status.latency_ms,
        in_flight: status.in_flight,
        attempts,
        failures,
        error_rate,
        keys: status.keys.into_iter().map(key_health).collect(),
    }
}

pub(super) fn key_health(key: KeyStatus) -> KeyHealth {
    KeyHealth {
        index: key.index,
        state: key.state.to_owned(),
        reason: key.reason,
        until: key.until_ms.map(Moment),
        in_flight: key.in_flight,
    }
}

/// A state's name on the interface.
pub fn state_name(state: ChannelState) -> &'static str {
    match state {
        ChannelState::On => "on",
        ChannelState::Draining => "draining",
        ChannelState::Paused => "paused",
        ChannelState::Off => "off",
    }
}
