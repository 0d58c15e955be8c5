//! One call as the log keeps it.

use sea_orm::FromQueryResult;
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::ids::{ChannelId, TokenId, UserId};
use crate::text::Text;

/// One call, from its first byte in to its charge.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult, Serialize, Deserialize)]
pub struct LoggedCall {
    /// When the call ended and was charged, in unix milliseconds; lists go by this.
    pub created_at: i64,
    /// The id that the client got as `x-request-id`.
    pub request_id: Text,
    /// Who pays.
    pub user_id: UserId,
    /// The token that was used; none for calls that need none.
    pub token_id: Option<TokenId>,
    /// The endpoint's path, for example `/v1/messages`.
    pub endpoint: Text,
    /// The model that the client asked for.
    pub model: Text,
    /// The model that the upstream was asked for.
    pub upstream_model: Option<Text>,
    /// The channel that served the call, or the last one tried.
    pub channel_id: Option<ChannelId>,
    /// The HTTP status that the client got.
    pub status: i64,
    /// A short stable word for what went wrong, for example `rate_limit_exceeded`.
    pub error_cause: Option<Text>,
    /// The text that the client got.
    pub error_message: Option<Text>,
    /// Whether the reply was streamed.
    pub is_stream: bool,
    /// Where the call came from, for example `api` or `playground`.
    pub source: Text,
    /// The client's address.
    pub ip: Option<Text>,
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
    pub other_usage: Document<Vec<OtherUsage>>,
    /// Whether we counted because the upstream did not say.
    pub is_estimated: bool,
    /// What the call cost.
    pub charge_nanos: i64,
    /// The lines that the charge is the sum of.
    pub price_lines: Document<Vec<PriceLine>>,
    /// From the call's beginning to the first byte of the reply.
    pub first_byte_ms: Option<i64>,
    /// From the call's beginning to its end.
    pub total_ms: i64,
    /// Its tries, in the order they were made.
    pub attempts: Document<Vec<Attempt>>,
}

/// Units that are no text tokens, for example `audio_seconds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherUsage {
    /// What was counted.
    pub kind: String,
    /// How many of it.
    pub units: i64,
}

/// One line of a charge; decimal text, because lines are exact and only their sum is rounded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceLine {
    /// What is paid for, for example `input`.
    pub kind: String,
    /// How many units.
    pub units: i64,
    /// The price, in dollars.
    pub price_usd: String,
    /// What the line adds to the charge, in dollars.
    pub amount_usd: String,
}

/// One try on one channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Where it went.
    pub channel_id: ChannelId,
    /// Which of the channel's keys was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_index: Option<i64>,
    /// The upstream's status, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i64>,
    /// What went wrong; none for the try that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it began, counted from the call's beginning.
    pub started_after_ms: i64,
    /// How long connecting took; none on a connection that was open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_ms: Option<i64>,
    /// From its beginning to the upstream's first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<i64>,
    /// From its beginning to its end.
    pub total_ms: i64,
}
