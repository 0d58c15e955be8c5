//! Writes the content parts of messages and of tool results towards an upstream.

use serde_json::{Map, Value, json};

use super::annotations;
use super::marks::overlay;
use super::part_read::{usual_kind, usual_text_kind};
use crate::canonical::{Media, MediaClass, MediaSource, Part, PartKind, Role};
use crate::{DialectId, data_url, media_type};

/// How much of a request's own spelling is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// The request came in this dialect: extra fields are written again.
    Own,
    /// It came in another.
    Foreign,
}

/// Writes a part into a content list; what this dialect has no word for is left out.
pub(super) fn write_part(part: &Part, role: Role, spelling: Spelling, list: &mut Vec<Value>) {
    let map = match &part.kind {
        PartKind::Text { text, annotations } => {
            let mut map = begun(usual_text_kind(role));
            map.insert("text".to_owned(), Value::String(text.clone()));
            if spelling == Spelling::Own && !annotations.is_empty() {
                let written = annotations
                    .iter()
                    .filter_map(|annotation| annotations::write(annotation, || length(text)));
                map.insert("annotations".to_owned(), written.collect());
            }
            map
        }
        PartKind::Refusal(text) => {
            let mut map = begun("refusal");
            map.insert("refusal".to_owned(), Value::String(text.clone()));
            map
        }
        PartKind::Media(media) => {
            if let MediaSource::Parts(parts) = &media.source {
                for part in parts {
                    write_part(part, role, spelling, list);
                }
                return;
            }
            if role == Role::Assistant && spelling == Spelling::Foreign {
                return;
            }
            match write_media(media, part, role, spelling) {
                Some(map) => map,
                None => return,
            }
        }
        PartKind::Hosted(hosted) if hosted.dialect == DialectId::Responses => {
            list.push(hosted.raw.clone());
            return;
        }
        _ => return,
    };
    list.push(finished(map, part, spelling));
}

/// The number of characters in a text.
pub(super) fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

fn begun(kind: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), Value::String(kind.to_owned()))])
}

fn finished(mut map: Map<String, Value>, part: &Part, spelling: Spelling) -> Value {
    if spelling == Spelling::Own {
        overlay(&mut map, &part.extra);
        // Data in an address field and an address in a data field: the client's own field stays.
        for (kept, other) in [("file_data", "file_url"), ("file_url", "file_data")] {
            if part.extra.contains_key(kept) {
                map.shift_remove(other);
            }
        }
    }
    if let Some(mark) = &part.cache {
        let raw = match &mark.raw {
            Some((DialectId::Responses, raw)) => raw.clone(),
            _ => json!({"mode": "explicit"}),
        };
        map.insert("prompt_cache_breakpoint".to_owned(), raw);
    }
    Value::Object(map)
}

fn write_media(
    media: &Media,
    part: &Part,
    role: Role,
    spelling: Spelling,
) -> Option<Map<String, Value>> {
    // A picture may have come as a file: its own spelling decides.
    let kind = match part.extra.get("type").and_then(Value::as_str) {
        Some(kind) if spelling == Spelling::Own => kind,
        _ => usual_kind(&part.kind, role),
    };
    match kind {
        "input_image" => write_image(media),
        "input_audio" => write_audio(media, spelling),
        "input_file" if media.class == MediaClass::Video && spelling == Spelling::Foreign => None,
        _ => write_file(media, spelling),
    }
}

fn write_image(media: &Media) -> Option<Map<String, Value>> {
    let mut map = begun("input_image");
    match &media.source {
        MediaSource::Inline { mime, data } => {
            let url = data_url::write(mime, data);
            map.insert("image_url".to_owned(), Value::String(url));
        }
        MediaSource::Url { url, .. } => {
            map.insert("image_url".to_owned(), Value::String(url.clone()));
        }
        MediaSource::File { id, dialect } => put_file_id(&mut map, id, *dialect)?,
        MediaSource::Text(_) | MediaSource::Parts(_) => return None,
    }
    if let Some(detail) = &media.detail {
        map.insert("detail".to_owned(), Value::String(detail.clone()));
    }
    Some(map)
}

/// A file id means something to the vendor that made it; chat completions is the same vendor.
fn put_file_id(map: &mut Map<String, Value>, id: &str, dialect: DialectId) -> Option<()> {
    matches!(dialect, DialectId::Responses | DialectId::ChatCompletions).then(|| {
        map.insert("file_id".to_owned(), Value::String(id.to_owned()));
    })
}

fn write_audio(media: &Media, spelling: Spelling) -> Option<Map<String, Value>> {
    let MediaSource::Inline { mime, data } = &media.source else {
        return None;
    };
    let format = match media_type::audio_format(mime) {
        format @ ("mp3" | "wav") => format,
        _ if spelling == Spelling::Own => mime.trim_start_matches("audio/"),
        _ => return None,
    };
    let mut map = begun("input_audio");
    let audio = json!({"data": data, "format": format});
    map.insert("input_audio".to_owned(), audio);
    Some(map)
}

fn write_file(media: &Media, spelling: Spelling) -> Option<Map<String, Value>> {
    let mut map = begun("input_file");
    let mut name = media.name.as_deref().or(media.title.as_deref());
    match &media.source {
        MediaSource::Inline { mime, data } => {
            let url = data_url::write(mime, data);
            map.insert("file_data".to_owned(), Value::String(url));
            // The vendor refuses data without a name.
            let usual = if mime == "text/plain" {
                "document.txt"
            } else {
                "document.pdf"
            };
            if spelling == Spelling::Foreign {
                name = name.or(Some(usual));
            }
        }
        MediaSource::Text(text) => {
            let url = data_url::write("text/plain", &data_url::encode(text));
            map.insert("file_data".to_owned(), Value::String(url));
            name = name.or(Some("document.txt"));
        }
        MediaSource::Url { url, .. } => {
            map.insert("file_url".to_owned(), Value::String(url.clone()));
            // The vendor takes a name only beside data; a client of its own says what it says.
            name = name.filter(|_| spelling == Spelling::Own);
        }
        MediaSource::File { id, dialect } => put_file_id(&mut map, id, *dialect)?,
        MediaSource::Parts(_) => return None,
    }
    if spelling == Spelling::Own {
        name = media.name.as_deref();
    }
    if let Some(name) = name {
        map.insert("filename".to_owned(), Value::String(name.to_owned()));
    }
    if let Some(detail) = &media.detail {
        map.insert("detail".to_owned(), Value::String(detail.clone()));
    }
    Some(map)
}
