//! The events of a stream as they are on the wire. Everything borrows from the frame; a field that
//! is rarely needed stays raw, and a field of an unexpected type does no harm.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};
use serde_json::value::RawValue;

type Raw<'a> = Option<&'a RawValue>;

/// Any event. Fields that an event does not have are absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EventWire<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'a, str>,
    pub output_index: Option<u32>,
    pub content_index: Option<u32>,
    pub summary_index: Option<u32>,
    #[serde(borrow)]
    pub delta: Raw<'a>,
    #[serde(borrow)]
    pub logprobs: Raw<'a>,
    #[serde(borrow)]
    pub item: Raw<'a>,
    #[serde(borrow)]
    pub part: Raw<'a>,
    #[serde(borrow)]
    pub annotation: Raw<'a>,
    #[serde(borrow)]
    pub text: Raw<'a>,
    #[serde(borrow)]
    pub refusal: Raw<'a>,
    #[serde(borrow)]
    pub arguments: Raw<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
    #[serde(borrow)]
    pub response: Raw<'a>,
    #[serde(borrow)]
    pub error: Raw<'a>,
    #[serde(borrow)]
    pub code: Raw<'a>,
    #[serde(borrow)]
    pub message: Raw<'a>,
    #[serde(borrow)]
    pub param: Raw<'a>,
}

/// An output item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ItemWire<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub id: Raw<'a>,
    #[serde(borrow)]
    pub call_id: Raw<'a>,
    #[serde(borrow)]
    pub name: Raw<'a>,
    #[serde(borrow)]
    pub namespace: Raw<'a>,
    #[serde(borrow)]
    pub arguments: Raw<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
    #[serde(borrow)]
    pub summary: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub encrypted_content: Raw<'a>,
}

/// A part of a message or of a reasoning item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PartWire<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub text: Raw<'a>,
    #[serde(borrow)]
    pub refusal: Raw<'a>,
    #[serde(borrow)]
    pub annotations: Raw<'a>,
}

/// The response object of the first and the last events.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResponseWire<'a> {
    #[serde(borrow)]
    pub id: Raw<'a>,
    #[serde(borrow)]
    pub model: Raw<'a>,
    #[serde(borrow)]
    pub created_at: Raw<'a>,
    #[serde(borrow)]
    pub status: Raw<'a>,
    #[serde(borrow)]
    pub incomplete_details: Raw<'a>,
    #[serde(borrow)]
    pub error: Raw<'a>,
    #[serde(borrow)]
    pub service_tier: Raw<'a>,
    #[serde(borrow)]
    pub usage: Raw<'a>,
    #[serde(borrow)]
    pub output: Raw<'a>,
}

/// An error, wherever it stands.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorWire<'a> {
    #[serde(borrow)]
    pub code: Raw<'a>,
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub message: Raw<'a>,
    #[serde(borrow)]
    pub param: Raw<'a>,
}

/// Why an answer is incomplete.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct IncompleteWire<'a> {
    #[serde(borrow)]
    pub reason: Raw<'a>,
}

/// Reads a raw field as an object of this shape; anything else counts as an empty one.
pub(super) fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// A raw field as text; anything but a string is empty.
pub(super) fn words(raw: Raw<'_>) -> Cow<'_, str> {
    let text = raw.map_or("", RawValue::get);
    let inner = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let Some(inner) = inner else {
        return Cow::Borrowed("");
    };
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    match serde_json::from_str::<String>(text) {
        Ok(text) => Cow::Owned(text),
        // Half of a surrogate pair: a replacement character is better than a broken stream.
        Err(_) => match serde_json::from_str::<Bytes>(text) {
            Ok(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes.0).into_owned()),
            Err(_) => Cow::Borrowed(""),
        },
    }
}

/// A string's bytes, halves of surrogate pairs included.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesVisitor;

        impl Visitor<'_> for BytesVisitor {
            type Value = Bytes;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }

        deserializer.deserialize_bytes(BytesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(frame: &str) -> String {
        let event: EventWire<'_> = serde_json::from_str(frame).expect("an event");
        words(event.delta).into_owned()
    }

    #[test]
    fn words_are_borrowed_where_they_can_be() {
        let event: EventWire<'_> = serde_json::from_str(r#"{"delta":"plain é"}"#).expect("JSON");
        assert!(matches!(words(event.delta), Cow::Borrowed("plain é")));
        assert_eq!(read(r#"{"delta":"a\n\"b\" \u00e9\u0000"}"#), "a\n\"b\" é\0");
    }

    #[test]
    fn odd_values_do_no_harm() {
        assert_eq!(read(r#"{"delta":null}"#), "");
        assert_eq!(read(r#"{"delta":{"type":"x"}}"#), "");
        assert!(read(r#"{"delta":"a\ud83d"}"#).starts_with("a\u{fffd}"));
    }
}
