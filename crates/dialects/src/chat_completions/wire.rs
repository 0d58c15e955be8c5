//! The chunks of a streamed answer, typed and borrowed: the hot path of every stream. Only what is
//! used is here; rare members stay raw until somebody needs them.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::value::RawValue;

use crate::frame_wire::{Few, Text, read};

/// One frame.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Chunk<'a> {
    #[serde(borrow)]
    pub id: Option<Text<'a>>,
    #[serde(borrow)]
    pub model: Option<Text<'a>>,
    #[serde(borrow)]
    pub created: Option<&'a RawValue>,
    #[serde(borrow)]
    pub service_tier: Option<Text<'a>>,
    #[serde(borrow)]
    pub choices: Option<Few<ChunkChoice<'a>>>,
    #[serde(borrow)]
    pub usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
    /// The text of an error that has no object of its own.
    #[serde(borrow)]
    pub message: Option<&'a RawValue>,
}

/// A piece of one choice.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChunkChoice<'a> {
    pub index: Option<u32>,
    #[serde(borrow)]
    pub delta: Option<Delta<'a>>,
    /// Some upstreams put the piece here. Rare members are boxed, so that the others move cheaply.
    #[serde(borrow)]
    pub message: Option<Box<Delta<'a>>>,
    #[serde(borrow)]
    pub finish_reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub logprobs: Option<&'a RawValue>,
    /// The piece of a legacy completion.
    #[serde(borrow)]
    pub text: Option<Text<'a>>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
}

/// What a piece says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Delta<'a> {
    #[serde(borrow)]
    pub content: Content<'a>,
    #[serde(borrow)]
    pub reasoning_content: Content<'a>,
    #[serde(borrow)]
    pub reasoning: Content<'a>,
    #[serde(borrow)]
    pub refusal: Option<Text<'a>>,
    #[serde(borrow)]
    pub tool_calls: Option<Vec<CallDelta<'a>>>,
    #[serde(borrow)]
    pub function_call: Option<Box<FunctionDelta<'a>>>,
    #[serde(borrow)]
    pub audio: Option<Box<AudioDelta<'a>>>,
    #[serde(borrow)]
    pub annotations: Option<&'a RawValue>,
    #[serde(borrow)]
    pub images: Option<&'a RawValue>,
}

/// A piece of a tool call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CallDelta<'a> {
    pub index: Option<u32>,
    #[serde(borrow)]
    pub id: Option<Text<'a>>,
    #[serde(borrow)]
    pub function: Option<FunctionDelta<'a>>,
    #[serde(borrow)]
    pub custom: Option<CustomDelta<'a>>,
}

/// A piece of a function's name or arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FunctionDelta<'a> {
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    #[serde(borrow)]
    pub arguments: Content<'a>,
}

/// A piece of a custom call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CustomDelta<'a> {
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    #[serde(borrow)]
    pub input: Option<Text<'a>>,
}

/// A piece of a recording.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AudioDelta<'a> {
    #[serde(borrow)]
    pub id: Option<Text<'a>>,
    #[serde(borrow)]
    pub data: Option<Text<'a>>,
    #[serde(borrow)]
    pub transcript: Option<Text<'a>>,
}

/// Content that is a string in the standard, a list of pieces at some vendors, and an object where
/// an upstream sends a call's arguments unserialised.
#[derive(Debug, Default)]
pub enum Content<'a> {
    /// Nothing, or nothing of use.
    #[default]
    None,
    /// A string.
    Text(Cow<'a, str>),
    /// A list of pieces.
    Pieces(Vec<Piece<'a>>),
    /// An object, as JSON text.
    Object(&'a str),
}

impl Content<'_> {
    /// The string, where it is one.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Object(text) => text,
            _ => "",
        }
    }
}

/// One piece of a content list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Piece<'a> {
    #[serde(borrow)]
    pub text: Option<Text<'a>>,
    #[serde(borrow)]
    pub thinking: Option<Vec<Thought<'a>>>,
}

/// One piece of a thought.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Thought<'a> {
    #[serde(borrow)]
    pub text: Option<Text<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let wrong = |error: serde_json::Error| D::Error::custom(error);
        match raw.as_bytes().first() {
            Some(b'"') if memchr::memchr(b'\\', raw.as_bytes()).is_none() => {
                Ok(Self::Text(Cow::Borrowed(&raw[1..raw.len() - 1])))
            }
            Some(b'"') => {
                let Text(text) = serde_json::from_str(raw).map_err(wrong)?;
                Ok(Self::Text(text))
            }
            Some(b'[') => serde_json::from_str(raw).map(Self::Pieces).map_err(wrong),
            Some(b'{') => Ok(Self::Object(raw)),
            _ => Ok(Self::None),
        }
    }
}

/// Parses a frame. Frames that break small rules (a cut surrogate pair, a member given twice, a byte
/// that is no UTF-8) are set right first.
pub fn parse<T>(data: &[u8], then: impl FnOnce(Option<Chunk<'_>>) -> T) -> T {
    if let Ok(chunk) = read::<Chunk<'_>>(data) {
        return then(Some(chunk));
    }
    let repaired = repair(&String::from_utf8_lossy(data));
    let value = serde_json::from_str::<serde_json::Value>(&repaired);
    match value.ok().filter(serde_json::Value::is_object) {
        Some(value) => {
            let text = crate::json::text(&value);
            then(serde_json::from_str(&text).ok())
        }
        None => then(None),
    }
}

/// Replaces halves of surrogate pairs, which no string can hold.
pub fn repair(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match surrogate(rest) {
            Some(0xD800..=0xDBFF) if is_low(rest.get(6..)) => 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            _ => rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The code unit of an escape `\uXXXX` that this text begins with.
fn surrogate(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

fn is_low(text: Option<&str>) -> bool {
    matches!(text.and_then(surrogate), Some(0xDC00..=0xDFFF))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_borrowed_where_it_has_no_escapes() {
        let data = br#"{"id":"a","choices":[{"delta":{"content":"hi"}}]}"#;
        let chunk: Chunk<'_> = serde_json::from_slice(data).unwrap();
        assert!(matches!(chunk.id, Some(Text(Cow::Borrowed("a")))));
        let choice = chunk.choices.unwrap().into_iter().next().unwrap();
        let delta = choice.delta.unwrap();
        assert!(matches!(delta.content, Content::Text(Cow::Borrowed("hi"))));
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced_and_whole_pairs_stay() {
        assert_eq!(repair(r#""\ud83d""#), r#""\ufffd""#);
        assert_eq!(repair(r#""\ud83d\ude00""#), r#""\ud83d\ude00""#);
        assert_eq!(repair(r#""\\ud83d""#), r#""\\ud83d""#);
        assert_eq!(repair(r#""\ude00é\"#), r#""\ufffdé\"#);
    }

    #[test]
    fn odd_values_do_not_fail_a_frame() {
        let data =
            br#"{"choices":[{"index":0,"index":0,"delta":{"content":[{"type":"text","text":"a"}],
            "reasoning":5,"tool_calls":[{"function":{"arguments":{"a":1.0}}}]}}]}"#;
        parse(data, |chunk| {
            let choices = chunk.expect("a chunk").choices.unwrap();
            let delta = choices.into_iter().next().unwrap().delta.unwrap();
            assert!(matches!(&delta.content, Content::Pieces(pieces) if pieces.len() == 1));
            let call = &delta.tool_calls.as_ref().unwrap()[0];
            let function = call.function.as_ref().unwrap();
            assert_eq!(function.arguments.as_text(), r#"{"a":1.0}"#);
        });
        parse(b"{", |chunk| assert!(chunk.is_none()));
        parse(b"[1]", |chunk| assert!(chunk.is_none()));
    }
}
