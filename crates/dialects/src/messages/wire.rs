//! The frames of a stream as the vendor writes them. Text is borrowed from the frame; members that
//! are rare or open-ended stay raw; `null` is the same as nothing.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::usage::{Counters, hosted_calls};

/// Any frame: which members are there depends on `kind`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamEvent<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(super) kind: Cow<'a, str>,
    pub(super) index: Option<u32>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow)]
    pub(super) usage: Option<UsageReport<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// What a delta frame adds, to a block or to the message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) text: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) thinking: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) signature: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) partial_json: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) citation: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) stop_reason: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) stop_sequence: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) stop_details: Option<&'a RawValue>,
}

/// The head of the answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) model: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) usage: Option<UsageReport<'a>>,
}

/// Counters so far.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageReport<'a> {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation: Option<CacheCreation>,
    output_tokens_details: Option<OutputDetails>,
    server_tool_use: Option<Map<String, Value>>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) service_tier: Cow<'a, str>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CacheCreation {
    ephemeral_5m_input_tokens: Option<u64>,
    ephemeral_1h_input_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OutputDetails {
    thinking_tokens: Option<u64>,
}

impl UsageReport<'_> {
    /// The report as counters.
    pub(super) fn counters(&self) -> Counters {
        let split = self.cache_creation.as_ref();
        let details = self.output_tokens_details.as_ref();
        Counters {
            input: self.input_tokens,
            written: self.cache_creation_input_tokens,
            written_5m: split.and_then(|split| split.ephemeral_5m_input_tokens),
            written_1h: split.and_then(|split| split.ephemeral_1h_input_tokens),
            read: self.cache_read_input_tokens,
            output: self.output_tokens,
            thinking: details.and_then(|details| details.thinking_tokens),
            hosted_tools: self
                .server_tool_use
                .as_ref()
                .map(hosted_calls)
                .unwrap_or_default(),
        }
    }
}

/// Text, borrowed where it has no escapes; `null` is empty text.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
    deserializer.deserialize_any(TextVisitor)
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text or null")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(""))
    }
}
