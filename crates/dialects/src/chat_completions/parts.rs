//! Content parts: text, images, recordings, files, refusals. What is written here is what this
//! dialect has a word for; any other part gives nothing.

use serde_json::{Map, Value, json};

use super::{media_read, media_write, spelling};
use crate::DialectId;
use crate::canonical::{CacheMark, Failure, Hosted, MediaSource, Part, PartKind};
use crate::json::{take, take_string};

const ID: DialectId = DialectId::ChatCompletions;

/// The names under which cache marks travel on a part.
const CACHE_FIELDS: [&str; 2] = ["prompt_cache_breakpoint", "cache_control"];

/// Puts a failure's field under its place in the body.
pub fn within(place: &str, mut failure: Failure) -> Failure {
    failure.param = Some(match failure.param {
        Some(field) if field.starts_with('[') => format!("{place}{field}"),
        Some(field) if !field.is_empty() => format!("{place}.{field}"),
        _ => place.to_owned(),
    });
    failure
}

/// Reads a list of content parts.
pub fn read_list(items: Vec<Value>) -> Result<Vec<Part>, Failure> {
    items
        .into_iter()
        .enumerate()
        .map(|(at, item)| read(item).map_err(|failure| within(&format!("[{at}]"), failure)))
        .collect()
}

/// Reads one content part.
pub fn read(value: Value) -> Result<Part, Failure> {
    let mut map = match value {
        Value::Object(map) => map,
        Value::String(text) => return Ok(Part::text(text)),
        _ => {
            return Err(Failure::bad_request(
                "",
                "A content part must be an object.",
            ));
        }
    };
    let kind = match map.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        _ if map.contains_key("text") => "text".to_owned(),
        _ => {
            return Err(Failure::bad_request(
                "type",
                "A content part needs a `type`.",
            ));
        }
    };
    match kind.as_str() {
        "text" | "input_text" | "output_text" => read_text(map),
        "refusal" => read_refusal(map),
        "image_url" => media_read::read_image(map),
        "input_audio" => media_read::read_audio(map),
        "file" => media_read::read_file(map),
        "video_url" => media_read::read_video(map),
        _ => {
            let cache = take_cache(&mut map);
            let raw = Value::Object(map);
            let mut part = Part::new(PartKind::Hosted(Hosted { dialect: ID, raw }));
            part.cache = cache;
            Ok(part)
        }
    }
}

/// A part whose known fields are gone from `map`: the rest is its extra.
pub(super) fn part(kind: PartKind, mut map: Map<String, Value>) -> Part {
    map.shift_remove("type");
    let cache = take_cache(&mut map);
    Part {
        kind,
        cache,
        signature: None,
        extra: map,
    }
}

fn read_text(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let text = take_string(&mut map, "text")?
        .ok_or_else(|| Failure::bad_request("text", "A text part needs `text`."))?;
    let annotations = Vec::new();
    Ok(part(PartKind::Text { text, annotations }, map))
}

fn read_refusal(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let text = take_string(&mut map, "refusal")?.unwrap_or_default();
    Ok(part(PartKind::Refusal(text), map))
}

/// Takes the cache marks off a part or a tool.
pub fn take_cache(map: &mut Map<String, Value>) -> Option<CacheMark> {
    let mut raw = Map::new();
    for field in CACHE_FIELDS {
        if let Some(value) = take(map, field) {
            raw.insert(field.to_owned(), value);
        }
    }
    let ttl = raw
        .values()
        .find_map(|value| value.get("ttl").and_then(Value::as_str))
        .map(str::to_owned);
    (!raw.is_empty()).then(|| CacheMark {
        ttl,
        raw: Some((ID, Value::Object(raw))),
    })
}

/// Writes a cache mark: this dialect's own as it was, another's as a breakpoint.
pub fn write_cache(map: &mut Map<String, Value>, cache: Option<&CacheMark>) {
    match cache.map(|cache| &cache.raw) {
        None => {}
        Some(Some((ID, Value::Object(raw)))) => {
            for (key, value) in raw {
                map.insert(key.clone(), value.clone());
            }
        }
        Some(_) => {
            map.insert(CACHE_FIELDS[0].to_owned(), json!({"mode":"explicit"}));
        }
    }
}

/// Writes a part into a content list. `same` says that the part was read from this dialect.
pub fn write(part: &Part, same: bool, out: &mut Vec<Value>) {
    if same && let Some(original) = as_sent(part) {
        out.push(finished(original, part, same));
        return;
    }
    match &part.kind {
        PartKind::Text { text, .. } => {
            out.push(finished(json!({"type":"text","text":text}), part, same));
        }
        PartKind::Refusal(text) => {
            out.push(finished(
                json!({"type":"refusal","refusal":text}),
                part,
                same,
            ));
        }
        PartKind::Hosted(Hosted { dialect: ID, raw }) => {
            out.push(finished(raw.clone(), part, same));
        }
        PartKind::Media(media) => match &media.source {
            MediaSource::Parts(parts) => parts.iter().for_each(|inner| write(inner, false, out)),
            _ => out.extend(media_write::write(media).map(|value| finished(value, part, same))),
        },
        PartKind::Thinking(_)
        | PartKind::ToolCall(_)
        | PartKind::ToolResult(_)
        | PartKind::Hosted(_) => {}
    }
}

/// The part as its client sent it, as long as that still says what the part says.
fn as_sent(part: &Part) -> Option<Value> {
    spelling::original(&part.extra, spelling::AS_SENT, &part.kind, |original| {
        read(original.clone()).ok().map(|part| part.kind)
    })
}

fn finished(mut value: Value, part: &Part, same: bool) -> Value {
    if let Value::Object(map) = &mut value {
        // The vendor takes breakpoints on text alone; its own clients' marks stay where they are.
        if same || part.as_text().is_some_and(|text| !text.is_empty()) {
            write_cache(map, part.cache.as_ref());
        }
        if same {
            spelling::add_extra(map, &part.extra);
        }
    }
    value
}
