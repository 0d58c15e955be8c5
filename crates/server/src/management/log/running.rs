//! Calls under way, beside the live tail of those that have ended.

use std::borrow::Cow;

use serde::Serialize;
use store::request_log::LogFilter;
use store::{ConnectionTrait, Result};

use super::view::Known;
use crate::in_flight::Running;
use crate::management::frame::Moment;

/// So many are told at once, the oldest first.
const MOST: usize = 100;

/// Calls under way.
#[derive(Debug, Serialize)]
pub struct RunningCalls {
    /// The oldest of them.
    calls: Vec<RunningView>,
    /// How many more there are.
    more: usize,
}

/// A call under way.
#[derive(Debug, Serialize)]
pub struct RunningView {
    /// The reply header `x-request-id`.
    request_id: String,
    /// When it came.
    began_at: Moment,
    /// Who pays.
    user_id: i64,
    /// The name of who pays.
    username: Option<String>,
    /// The token that is used.
    token_id: i64,
    /// The token's name.
    token_name: Option<String>,
    /// The endpoint's path.
    endpoint: Cow<'static, str>,
    /// The model that was asked for.
    model: String,
    /// The channel that it is on; its name.
    channel: Option<String>,
    /// That channel's id.
    channel_id: Option<i64>,
    /// Whether a stream was asked for.
    stream: bool,
    /// Tries that have ended.
    tries: usize,
    /// Whether the client has the beginning of an answer.
    is_answering: bool,
    /// Where it comes from, for example `api` or `playground`.
    source: Cow<'static, str>,
    /// The client's address.
    ip: String,
}

/// Whether a call is among those that are looked for. What only an end tells of is not there yet.
pub(super) fn is_wanted(call: &Running, filter: &LogFilter, now: i64) -> bool {
    let is_about_ends = filter.status.is_some()
        || filter.status_class.is_some()
        || filter.error_cause.is_some()
        || filter.min_charge_nanos.is_some();
    let same = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|text| text == is);
    let upstream = call.upstream_model.as_deref().unwrap_or_default();
    !is_about_ends
        && filter.from_ms.is_none_or(|from| now >= from)
        && filter.until_ms.is_none_or(|until| now < until)
        && filter.user_id.is_none_or(|id| id == call.user_id)
        && filter.token_id.is_none_or(|id| id == call.token_id)
        && filter
            .channel_id
            .is_none_or(|id| Some(id) == call.channel_id)
        && same(&filter.model, &call.model)
        && same(&filter.upstream_model, upstream)
        && same(&filter.endpoint, &call.endpoint)
        && filter.is_stream.is_none_or(|is| is == call.is_stream)
        && filter
            .min_total_ms
            .is_none_or(|ms| now - call.began_ms >= ms)
        && same(&filter.source, &call.source)
        && same(&filter.ip, &call.ip.to_string())
        && same(&filter.request_id, &call.request_id)
}

/// Calls as the interface shows them.
pub(super) async fn views(
    records: &impl ConnectionTrait,
    mut calls: Vec<Running>,
) -> Result<RunningCalls> {
    let more = calls.len().saturating_sub(MOST);
    calls.truncate(MOST);
    let users = calls.iter().map(|call| call.user_id.0);
    let tokens = calls.iter().map(|call| call.token_id.0);
    let channels = calls.iter().filter_map(|call| call.channel_id);
    let known = Known::of(records, users, tokens, channels.map(|id| id.0)).await?;
    let view = |call: Running| RunningView {
        request_id: call.request_id.to_string(),
        began_at: Moment(call.began_ms),
        user_id: call.user_id.0,
        username: known.users.get(&call.user_id.0).cloned(),
        token_id: call.token_id.0,
        token_name: known.tokens.get(&call.token_id.0).cloned(),
        endpoint: call.endpoint,
        model: call.model,
        channel: call
            .channel_id
            .and_then(|id| known.channels.get(&id.0).cloned()),
        channel_id: call.channel_id.map(|id| id.0),
        stream: call.is_stream,
        tries: call.tries,
        is_answering: call.is_answering,
        source: call.source,
        ip: call.ip.to_string(),
    };
    Ok(RunningCalls {
        calls: calls.into_iter().map(view).collect(),
        more,
    })
}
