//! Parts, written as content blocks of a request. What has no word here is left out: a pass has
//! already said so to the client.

use serde_json::{Map, Value, json};

use super::extra::restore;
use super::{ID, media};
use crate::canonical::{
    Annotation, CacheMark, ContentShape, Part, PartKind, Thinking, ThinkingForm, ToolCall,
    ToolResult,
};

/// Writes a list of parts. `same` says that they were read from this dialect.
pub(super) fn write_blocks(parts: &[Part], same: bool) -> Vec<Value> {
    let blocks = parts.iter().filter_map(|part| write_block(part, same));
    blocks.collect()
}

fn write_block(part: &Part, same: bool) -> Option<Value> {
    let mut map = match &part.kind {
        PartKind::Text { text, annotations } => write_text(text, annotations, same)?,
        PartKind::Refusal(text) => write_text(text, &[], same)?,
        PartKind::Media(media) => media::write(media, same)?,
        PartKind::Thinking(thinking) => return write_thinking(part, thinking, same),
        PartKind::ToolCall(call) => write_call(call),
        PartKind::ToolResult(result) => write_result(result, same),
        PartKind::Hosted(hosted) if hosted.dialect == ID => hosted.raw.as_object()?.clone(),
        PartKind::Hosted(_) => return None,
    };
    if let Some(mark) = &part.cache {
        map.insert("cache_control".to_owned(), write_mark(mark));
    }
    if same {
        restore(&mut map, &part.extra);
    }
    Some(Value::Object(map))
}

/// Writes a cache mark; other dialects' marks become the vendor's default one.
pub(super) fn write_mark(mark: &CacheMark) -> Value {
    match (&mark.raw, mark.ttl.as_deref()) {
        (Some((dialect, raw)), _) if *dialect == ID => raw.clone(),
        (_, Some(ttl @ ("5m" | "1h"))) => json!({"type": "ephemeral", "ttl": ttl}),
        _ => json!({"type": "ephemeral"}),
    }
}

fn block(kind: &str) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("type".to_owned(), kind.into());
    map
}

fn write_text(text: &str, annotations: &[Annotation], same: bool) -> Option<Map<String, Value>> {
    if text.is_empty() && !same {
        // The vendor refuses empty text.
        return None;
    }
    let mut map = block("text");
    map.insert("text".to_owned(), text.into());
    let citations: Vec<Value> = annotations.iter().filter_map(citation).cloned().collect();
    if !citations.is_empty() {
        map.insert("citations".to_owned(), Value::Array(citations));
    }
    Some(map)
}

/// An annotation in this dialect's own words; another dialect's has none, because the vendor
/// wants an index that only it can make.
pub(super) fn citation(annotation: &Annotation) -> Option<&Value> {
    match annotation {
        Annotation::Url {
            raw: Some((dialect, raw)),
            ..
        }
        | Annotation::Other { dialect, raw } => (*dialect == ID).then_some(raw),
        Annotation::Url { raw: None, .. } => None,
    }
}

/// Thinking goes back to the vendor that signed it and to nobody else; the vendor refuses it
/// without its signature, and never takes a cache mark on it.
fn write_thinking(part: &Part, thinking: &Thinking, same: bool) -> Option<Value> {
    let signature = part.signature.as_ref()?.for_upstream(ID)?;
    let mut map = if thinking.form == ThinkingForm::Redacted {
        let mut map = block("redacted_thinking");
        map.insert("data".to_owned(), signature.into());
        map
    } else {
        let mut map = block("thinking");
        map.insert("thinking".to_owned(), thinking.text.clone().into());
        map.insert("signature".to_owned(), signature.into());
        map
    };
    if same {
        restore(&mut map, &part.extra);
    }
    Some(Value::Object(map))
}

fn write_call(call: &ToolCall) -> Map<String, Value> {
    let mut map = block("tool_use");
    map.insert("id".to_owned(), call.id.clone().into());
    map.insert("name".to_owned(), call.name.clone().into());
    map.insert("input".to_owned(), call.arguments.object());
    map
}

fn write_result(result: &ToolResult, same: bool) -> Map<String, Value> {
    let mut map = block("tool_result");
    map.insert("tool_use_id".to_owned(), result.call_id.clone().into());
    if let Some(is_error) = result.is_error.filter(|is_error| *is_error || same) {
        map.insert("is_error".to_owned(), is_error.into());
    }
    if let Some(content) = write_result_content(result, same) {
        map.insert("content".to_owned(), content);
    }
    map
}

fn write_result_content(result: &ToolResult, same: bool) -> Option<Value> {
    if let Some(text) = plain_text(&result.parts)
        && (!same || result.shape == ContentShape::Text)
    {
        return (same || !text.is_empty()).then(|| text.into());
    }
    let blocks = write_blocks(&result.parts, same);
    let keep_empty = same && result.shape == ContentShape::Parts;
    (keep_empty || !blocks.is_empty()).then_some(Value::Array(blocks))
}

/// The text of content that is one bare piece of it: no marks, no citations, nothing beside it.
pub(super) fn plain_text(parts: &[Part]) -> Option<&str> {
    let [part] = parts else { return None };
    match &part.kind {
        PartKind::Text { text, annotations }
            if annotations.is_empty() && part.cache.is_none() && part.extra.is_empty() =>
        {
            Some(text)
        }
        _ => None,
    }
}
