//! One call as the log keeps it.

use std::borrow::Cow;

use sea_orm::FromQueryResult;
use serde::Deserialize;

use crate::document::Document;
use crate::ids::{ChannelId, TokenId, UserId};
use crate::text::Text;
use crate::written_as_list;

/// One call, from its first byte in to its charge.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult, Deserialize)]
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
    /// What the call cost beyond its charge and nobody pays: a loss of the operator. In a record that is not in the
    /// database yet: what it cost beyond its reservation, of which the wallet may still pay a part.
    #[serde(default)]
    pub loss_nanos: Option<i64>,
}

written_as_list!(LoggedCall: created_at, request_id, user_id, token_id, endpoint, model, upstream_model, channel_id, status, error_cause, error_message, is_stream, source, ip, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, other_usage, is_estimated, charge_nanos, price_lines, first_byte_ms, total_ms, attempts, loss_nanos);

/// Units that are no text tokens, for example `audio_seconds`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OtherUsage {
    /// What was counted.
    pub kind: String,
    /// How many of it.
    pub units: i64,
}

written_as_list!(OtherUsage: kind, units);

/// One line of a charge; decimal text, because lines are exact and only their sum is rounded.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PriceLine {
    /// What is paid for, for example `input`.
    pub kind: Cow<'static, str>,
    /// How many units.
    pub units: i64,
    /// The price, in dollars.
    pub price_usd: String,
    /// What the line adds to the charge, in dollars.
    pub amount_usd: String,
}

written_as_list!(PriceLine: kind, units, price_usd, amount_usd);

/// One try on one channel.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Attempt {
    /// Where it went.
    pub channel_id: ChannelId,
    /// Which of the channel's keys was used.
    #[serde(default)]
    pub key_index: Option<i64>,
    /// The upstream's status, if it gave one.
    #[serde(default)]
    pub status: Option<i64>,
    /// What went wrong; none for the try that succeeded.
    #[serde(default)]
    pub error: Option<String>,
    /// When it began, counted from the call's beginning.
    pub started_after_ms: i64,
    /// How long connecting took; none on a connection that was open.
    #[serde(default)]
    pub connect_ms: Option<i64>,
    /// From its beginning to the upstream's first byte.
    #[serde(default)]
    pub first_byte_ms: Option<i64>,
    /// From its beginning to its end.
    pub total_ms: i64,
}

written_as_list!(Attempt: channel_id, key_index, status, error, started_after_ms, connect_ms, first_byte_ms, total_ms);

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: serde::de::DeserializeOwned>(text: &str) -> T {
        serde_json::from_str(text).expect("a record")
    }

    #[test]
    fn records_are_lists_in_the_order_of_their_fields() {
        let line = r#"["input",210,"0.00000015","0.0000315"]"#;
        let attempt = r#"[7,1,200,"timeout",2,3,4,5]"#;
        let call = format!(
            r#"[1,"id",2,3,"/v1/x","m","u",4,200,"cause","words",true,"api","ip",5,6,7,8,9,[["image",1]],true,10,[{line}],11,12,[{attempt}],13]"#
        );
        let found: LoggedCall = read(&call);
        assert_eq!(serde_json::to_string(&found).expect("text"), call);
        assert_eq!((found.created_at, found.total_ms), (1, 12));
        // Records of versions that knew of no losses end before.
        let without = call.replace(",13]", "]");
        assert_eq!(read::<LoggedCall>(&without).loss_nanos, None);
    }

    #[test]
    fn records_of_earlier_versions_have_names_and_are_read_as_well() {
        let line: PriceLine = read(
            r#"{"kind":"input","units":210,"price_usd":"0.00000015","amount_usd":"0.0000315"}"#,
        );
        assert_eq!(line, read(r#"["input",210,"0.00000015","0.0000315"]"#));
        let attempt: Attempt =
            read(r#"{"channel_id":1,"status":200,"started_after_ms":2,"total_ms":3}"#);
        assert_eq!(attempt, read("[1,null,200,null,2,null,null,3]"));
        assert_eq!(
            read::<OtherUsage>(r#"{"kind":"image","units":1}"#),
            read(r#"["image",1]"#)
        );
    }
}
