//! A call as the interface shows it.

use std::collections::HashMap;

use billing::pricing::{format_dollars, quota_of_nanos};
use schemars::JsonSchema;
use serde::Serialize;
use store::names::{Named, names};
use store::request_log::{Attempt, LoggedCall};
use store::{ConnectionTrait, Result};

use crate::management::frame::{Identity, Moment};

/// One call, from its first byte in to its charge.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Call")]
pub struct CallView {
    /// The reply header `x-request-id`.
    pub request_id: String,
    /// When it ended and was charged.
    pub created_at: Moment,
    /// Who pays.
    pub user_id: i64,
    /// The name of who pays.
    pub username: Option<String>,
    /// The token that was used.
    pub token_id: Option<i64>,
    /// The token's name.
    pub token_name: Option<String>,
    /// The endpoint's path.
    pub endpoint: String,
    /// The model that was asked for.
    pub model: String,
    /// The model that the upstream was asked for.
    pub upstream_model: Option<String>,
    /// The channel that served it, or the last one tried; its name, while it exists.
    pub channel: Option<String>,
    /// That channel's id.
    pub channel_id: Option<i64>,
    /// The status that the client got.
    pub status: i64,
    /// A short word for what went wrong.
    pub error_cause: Option<String>,
    /// The text that the client got.
    pub error_message: Option<String>,
    /// Whether the reply was streamed.
    pub stream: bool,
    /// What was used.
    pub usage: UsageView,
    /// Whether the gateway counted because the upstream did not say.
    pub estimated: bool,
    /// What it cost, in dollars.
    pub charge_usd: String,
    /// What it cost, in quota units.
    pub quota: i64,
    /// What it cost beyond its reservation and nobody paid, in dollars: a loss of the operator; `null`: nothing.
    pub loss_usd: Option<String>,
    /// The same in quota units.
    pub loss: Option<i64>,
    /// The lines that the charge is the sum of.
    pub price_lines: Vec<PriceLineView>,
    /// Every try on a channel, in order.
    pub attempts: Vec<AttemptView>,
    /// From its beginning to the first byte of the reply.
    pub first_byte_ms: Option<i64>,
    /// From its beginning to its end.
    pub total_ms: i64,
    /// The client's address.
    pub ip: Option<String>,
    /// Where it came from, for example `api` or `playground`.
    pub source: String,
}

/// What a call used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallUsage")]
pub struct UsageView {
    /// Input tokens that were not read from a cache.
    pub input_tokens: i64,
    /// Output tokens, reasoning included.
    pub output_tokens: i64,
    /// Input tokens read from the upstream's cache.
    pub cache_read_tokens: i64,
    /// Input tokens written to the upstream's cache.
    pub cache_write_tokens: i64,
    /// Output tokens that were reasoning.
    pub reasoning_tokens: i64,
    /// Units that are no text tokens.
    pub other: Vec<UnitsView>,
}

/// Units that are no text tokens.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallUnits")]
pub struct UnitsView {
    /// What was counted.
    pub kind: String,
    /// How many.
    pub units: i64,
}

/// One line of a charge.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceLine")]
pub struct PriceLineView {
    /// What is paid for.
    pub kind: String,
    /// How many units.
    pub units: i64,
    /// The price of one, in dollars.
    pub price_usd: String,
    /// What the line adds, in dollars.
    pub amount_usd: String,
}

/// One try on one channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
pub struct AttemptView {
    /// The channel's name, while it exists.
    pub channel: Option<String>,
    /// The channel's id.
    pub channel_id: i64,
    /// Which of its keys was used.
    pub key_index: Option<i64>,
    /// The upstream's status, where it gave one.
    pub status: Option<i64>,
    /// What went wrong.
    pub error: Option<String>,
    /// When it began, counted from the call's beginning.
    pub started_after_ms: i64,
    /// How long connecting took; none on a connection that was open.
    pub connect_ms: Option<i64>,
    /// From its beginning to the upstream's first byte.
    pub first_byte_ms: Option<i64>,
    /// From its beginning to its end.
    pub total_ms: i64,
}

/// Calls as the interface shows them to this viewer, with three queries however many they are.
pub async fn views(
    records: &impl ConnectionTrait,
    viewer: &Identity,
    calls: Vec<LoggedCall>,
) -> Result<Vec<CallView>> {
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let users = calls.iter().map(|call| call.user_id.0);
    let tokens = calls.iter().filter_map(|call| call.token_id);
    let of_calls = calls.iter().filter_map(|call| call.channel_id);
    let tries = calls.iter().flat_map(|call| &call.attempts.0);
    let channels = of_calls.chain(tries.map(|attempt| attempt.channel_id));
    let known = Known::of(
        records,
        users,
        tokens.map(|id| id.0),
        channels.map(|id| id.0),
    )
    .await?;
    let mut calls: Vec<CallView> = calls.into_iter().map(|call| known.call(call)).collect();
    if !viewer.is_administrator() {
        hide_upstream_texts(&mut calls);
    }
    Ok(calls)
}

/// Leaves the cause of each try's error. The text behind it can be the upstream's own, which is for administrators.
fn hide_upstream_texts(calls: &mut [CallView]) {
    for attempt in calls.iter_mut().flat_map(|call| &mut call.attempts) {
        if let Some(error) = &mut attempt.error
            && let Some(end) = error.find(": ")
        {
            error.truncate(end);
        }
    }
}

/// Names of what calls mention by id.
pub(super) struct Known {
    pub(super) users: HashMap<i64, String>,
    pub(super) tokens: HashMap<i64, String>,
    pub(super) channels: HashMap<i64, String>,
}

impl Known {
    /// The names of these, with one query for each kind.
    pub(super) async fn of(
        records: &impl ConnectionTrait,
        users: impl Iterator<Item = i64>,
        tokens: impl Iterator<Item = i64>,
        channels: impl Iterator<Item = i64>,
    ) -> Result<Self> {
        Ok(Self {
            users: names(records, Named::Users, users).await?,
            tokens: names(records, Named::Tokens, tokens).await?,
            channels: names(records, Named::Channels, channels).await?,
        })
    }

    fn call(&self, call: LoggedCall) -> CallView {
        let (token, channel) = (call.token_id, call.channel_id);
        let attempts = call.attempts.0.into_iter();
        CallView {
            request_id: call.request_id.into(),
            created_at: Moment(call.created_at),
            user_id: call.user_id.0,
            username: self.users.get(&call.user_id.0).cloned(),
            token_id: token.map(|id| id.0),
            token_name: token.and_then(|id| self.tokens.get(&id.0).cloned()),
            endpoint: call.endpoint.into(),
            model: call.model.into(),
            upstream_model: call.upstream_model.map(Into::into),
            channel: channel.and_then(|id| self.channels.get(&id.0).cloned()),
            channel_id: channel.map(|id| id.0),
            status: call.status,
            error_cause: call.error_cause.map(Into::into),
            error_message: call.error_message.map(Into::into),
            stream: call.is_stream,
            usage: UsageView {
                input_tokens: call.input_tokens,
                output_tokens: call.output_tokens,
                cache_read_tokens: call.cache_read_tokens,
                cache_write_tokens: call.cache_write_tokens,
                reasoning_tokens: call.reasoning_tokens,
                other: call.other_usage.0.into_iter().map(units).collect(),
            },
            estimated: call.is_estimated,
            charge_usd: format_dollars(call.charge_nanos),
            quota: quota_of_nanos(call.charge_nanos),
            loss_usd: call.loss_nanos.map(format_dollars),
            loss: call.loss_nanos.map(quota_of_nanos),
            price_lines: call.price_lines.0.into_iter().map(price_line).collect(),
            attempts: attempts.map(|attempt| self.attempt(attempt)).collect(),
            first_byte_ms: call.first_byte_ms,
            total_ms: call.total_ms,
            ip: call.ip.map(Into::into),
            source: call.source.into(),
        }
    }

    fn attempt(&self, attempt: Attempt) -> AttemptView {
        AttemptView {
            channel: self.channels.get(&attempt.channel_id.0).cloned(),
            channel_id: attempt.channel_id.0,
            key_index: attempt.key_index,
            status: attempt.status,
            error: attempt.error,
            started_after_ms: attempt.started_after_ms,
            connect_ms: attempt.connect_ms,
            first_byte_ms: attempt.first_byte_ms,
            total_ms: attempt.total_ms,
        }
    }
}

fn units(used: store::request_log::OtherUsage) -> UnitsView {
    UnitsView {
        kind: used.kind,
        units: used.units,
    }
}

fn price_line(line: store::request_log::PriceLine) -> PriceLineView {
    PriceLineView {
        kind: line.kind.into_owned(),
        units: line.units,
        price_usd: line.price_usd,
        amount_usd: line.amount_usd,
    }
}
