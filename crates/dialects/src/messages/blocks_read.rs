//! Content blocks, read into parts. Blocks that only this dialect understands (hosted tools, their
//! results, anything new) stay whole.

use serde_json::{Map, Value};

use super::extra::within;
use super::{ID, media};
use crate::Signature;
use crate::canonical::{
    Annotation, Arguments, CacheMark, ContentShape, Failure, Hosted, Part, PartKind, Thinking,
    ThinkingForm, ToolCall, ToolResult,
};
use crate::json::{self, take, take_bool, take_string};

/// Who sent what is read: it decides what a signature's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// A client, which may return one of our envelopes.
    Client,
    /// The vendor itself.
    Upstream,
}

impl Sender {
    pub(super) fn signature(self, text: &str) -> Signature {
        match self {
            Self::Client => Signature::from_client(ID, text),
            Self::Upstream => Signature::native(ID, text),
        }
    }
}

/// Reads a list of blocks.
pub(super) fn read_blocks(blocks: Vec<Value>, sender: Sender) -> Result<Vec<Part>, Failure> {
    let numbered = blocks.into_iter().enumerate();
    numbered
        .map(|(place, block)| {
            read_block(block, sender)
                .map_err(|failure| within(failure, &format!("content.{place}")))
        })
        .collect()
}

/// Reads one block.
pub(super) fn read_block(block: Value, sender: Sender) -> Result<Part, Failure> {
    let Value::Object(mut map) = block else {
        let message = "A content block must be an object.";
        return Err(Failure::bad_request("", message));
    };
    let Some(kind) = map.get("type").and_then(Value::as_str).map(str::to_owned) else {
        return Err(Failure::bad_request(
            "type",
            "A block's `type` is required.",
        ));
    };
    let cache = read_mark(&mut map);
    let mut part = match kind.as_str() {
        "text" => read_text(map)?,
        "thinking" => read_thinking(map, sender)?,
        "redacted_thinking" => read_redacted(map, sender)?,
        "tool_use" => read_call(map)?,
        "tool_result" => read_result(map, sender)?,
        _ if media::is_known(&kind, &map) => {
            let media = media::read(&kind, &mut map, sender)?;
            with_rest(PartKind::Media(media), map)
        }
        _ => Part::new(PartKind::Hosted(Hosted {
            dialect: ID,
            raw: Value::Object(map),
        })),
    };
    part.cache = cache;
    Ok(part)
}

/// Takes a cache mark out of an object.
pub(super) fn read_mark(map: &mut Map<String, Value>) -> Option<CacheMark> {
    let raw = take(map, "cache_control")?;
    let ttl = raw.get("ttl").and_then(Value::as_str).map(str::to_owned);
    Some(CacheMark {
        ttl,
        raw: Some((ID, raw)),
    })
}

fn with_rest(kind: PartKind, mut rest: Map<String, Value>) -> Part {
    rest.shift_remove("type");
    Part {
        extra: rest,
        ..Part::new(kind)
    }
}

fn read_text(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let text = take_string(&mut map, "text")?
        .ok_or_else(|| Failure::bad_request("text", "`text` is required."))?;
    let mut annotations = Vec::new();
    if let Some(Value::Array(citations)) = map.get_mut("citations")
        && !citations.is_empty()
    {
        let length = text.chars().count() as u64;
        let citations = std::mem::take(citations).into_iter();
        annotations.extend(citations.map(|raw| read_citation(raw, length)));
        map.shift_remove("citations");
    }
    Ok(with_rest(PartKind::Text { text, annotations }, map))
}

/// Reads a citation of a text block of this many characters. A citation covers its whole block:
/// the vendor cuts the answer into blocks around them.
pub(super) fn read_citation(raw: Value, length: u64) -> Annotation {
    let is_page = raw.get("type").and_then(Value::as_str) == Some("web_search_result_location");
    match raw.get("url").and_then(Value::as_str) {
        Some(url) if is_page => Annotation::Url {
            url: url.to_owned(),
            title: raw.get("title").and_then(Value::as_str).map(str::to_owned),
            start: Some(0),
            end: Some(length),
            raw: Some((ID, raw)),
        },
        _ => Annotation::Other { dialect: ID, raw },
    }
}

fn read_thinking(mut map: Map<String, Value>, sender: Sender) -> Result<Part, Failure> {
    let thinking = Thinking {
        text: take_string(&mut map, "thinking")?.unwrap_or_default(),
        // What the vendor shows is a summary of the thoughts that the signature holds.
        form: ThinkingForm::Summary,
    };
    let signature = take_string(&mut map, "signature")?;
    let mut part = with_rest(PartKind::Thinking(thinking), map);
    part.signature = signature.map(|text| sender.signature(&text));
    Ok(part)
}

fn read_redacted(mut map: Map<String, Value>, sender: Sender) -> Result<Part, Failure> {
    let data = take_string(&mut map, "data")?
        .ok_or_else(|| Failure::bad_request("data", "`data` is required."))?;
    let thinking = Thinking {
        text: String::new(),
        form: ThinkingForm::Redacted,
    };
    let mut part = with_rest(PartKind::Thinking(thinking), map);
    part.signature = Some(sender.signature(&data));
    Ok(part)
}

fn read_call(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let call = ToolCall {
        id: take_string(&mut map, "id")?.unwrap_or_default(),
        name: take_string(&mut map, "name")?
            .ok_or_else(|| Failure::bad_request("name", "`name` is required."))?,
        namespace: None,
        arguments: read_input(take(&mut map, "input")),
    };
    Ok(with_rest(PartKind::ToolCall(call), map))
}

/// A call's input; some clients send the object as a string.
pub(super) fn read_input(input: Option<Value>) -> Arguments {
    match input {
        None => json::arguments(""),
        Some(Value::String(text)) => json::arguments(&text),
        Some(value) => json::arguments(&json::text(&value)),
    }
}

fn read_result(mut map: Map<String, Value>, sender: Sender) -> Result<Part, Failure> {
    let call_id = take_string(&mut map, "tool_use_id")?
        .ok_or_else(|| Failure::bad_request("tool_use_id", "`tool_use_id` is required."))?;
    let is_error = take_bool(&mut map, "is_error")?;
    let (parts, shape) = match take(&mut map, "content") {
        None => (Vec::new(), ContentShape::Absent),
        Some(Value::String(text)) => (vec![Part::text(text)], ContentShape::Text),
        Some(Value::Array(blocks)) => (read_blocks(blocks, sender)?, ContentShape::Parts),
        Some(_) => {
            let message = "`content` must be text or a list of blocks.";
            return Err(Failure::bad_request("content", message));
        }
    };
    let result = ToolResult {
        call_id,
        name: None,
        is_error,
        is_free: false,
        parts,
        shape,
    };
    Ok(with_rest(PartKind::ToolResult(result), map))
}
