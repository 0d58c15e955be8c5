//! Images and documents: blocks with a `source`.

use serde_json::{Map, Value, json};

use super::ID;
use super::blocks_read::{Sender, read_blocks};
use super::blocks_write::write_blocks;
use super::extra::{keep_rest, within};
use crate::canonical::{Failure, Media, MediaClass, MediaSource, Part};
use crate::json::{take, take_string};
use crate::{data_url, media_type};

/// Whether a block's source is of a kind that the canonical form knows.
pub(super) fn is_known(kind: &str, map: &Map<String, Value>) -> bool {
    let source = map.get("source");
    let member = |key: &str| source.and_then(|source| source.get(key));
    match (kind, member("type").and_then(Value::as_str)) {
        ("image" | "document", Some("base64")) | ("document", Some("text")) => {
            member("data").is_some_and(Value::is_string)
        }
        ("image" | "document", Some("url")) => member("url").is_some_and(Value::is_string),
        ("image" | "document", Some("file")) => member("file_id").is_some_and(Value::is_string),
        ("document", Some("content")) => {
            member("content").is_some_and(|content| content.is_array() || content.is_string())
        }
        _ => false,
    }
}

/// Reads a block whose source [`is_known`]; its known members are taken out of `map`.
pub(super) fn read(
    kind: &str,
    map: &mut Map<String, Value>,
    sender: Sender,
) -> Result<Media, Failure> {
    let class = match kind {
        "image" => MediaClass::Image,
        _ => MediaClass::Document,
    };
    let source = match map.shift_remove("source") {
        Some(Value::Object(mut source)) => {
            let known = read_source(&mut source, sender)?;
            keep_rest(map, "source", source);
            known
        }
        _ => return Err(Failure::bad_request("source", "`source` is required.")),
    };
    let mut media = Media::new(class, source);
    if class == MediaClass::Document {
        media.title = take_string(map, "title")?;
        media.context = take_string(map, "context")?;
        media.citations = take(map, "citations");
    }
    Ok(media)
}

fn read_source(source: &mut Map<String, Value>, sender: Sender) -> Result<MediaSource, Failure> {
    let kind = take_string(source, "type")?.unwrap_or_default();
    let mut text = |key: &str| Ok(take_string(source, key)?.unwrap_or_default());
    Ok(match kind.as_str() {
        "base64" => MediaSource::Inline {
            mime: media_type::plain(&text("media_type")?),
            data: text("data")?,
        },
        "url" => MediaSource::Url {
            url: text("url")?,
            mime: None,
        },
        "file" => MediaSource::File {
            id: text("file_id")?,
            dialect: ID,
        },
        "text" => {
            source.shift_remove("media_type");
            MediaSource::Text(take_string(source, "data")?.unwrap_or_default())
        }
        _ => match take(source, "content") {
            Some(Value::String(text)) => MediaSource::Parts(vec![Part::text(text)]),
            Some(Value::Array(blocks)) => MediaSource::Parts(
                read_blocks(blocks, sender).map_err(|failure| within(failure, "source"))?,
            ),
            _ => MediaSource::Parts(Vec::new()),
        },
    })
}

/// Writes a media block; `None` where this dialect has no word for it.
pub(super) fn write(media: &Media, same: bool) -> Option<Map<String, Value>> {
    let kind = match media.class {
        MediaClass::Image => "image",
        MediaClass::Document => "document",
        MediaClass::Audio | MediaClass::Video => return None,
    };
    let mut map = Map::new();
    map.insert("type".to_owned(), kind.into());
    map.insert("source".to_owned(), write_source(media, same)?);
    if media.class == MediaClass::Document {
        write_document_words(media, &mut map);
    }
    Some(map)
}

fn write_document_words(media: &Media, map: &mut Map<String, Value>) {
    if let Some(title) = media.title.as_ref().or(media.name.as_ref()) {
        map.insert("title".to_owned(), title.clone().into());
    }
    if let Some(context) = &media.context {
        map.insert("context".to_owned(), context.clone().into());
    }
    if let Some(citations) = &media.citations {
        map.insert("citations".to_owned(), citations.clone());
    }
}

fn write_source(media: &Media, same: bool) -> Option<Value> {
    let is_document = media.class == MediaClass::Document;
    Some(match &media.source {
        MediaSource::Inline { mime, data } => {
            // Base64 is for PDF alone here.
            let text = (is_document && !same).then(|| data_url::text_of(mime, data));
            match text.flatten() {
                Some(text) => json!({"type": "text", "media_type": "text/plain", "data": text}),
                None => {
                    json!({"type": "base64", "media_type": media_type::plain(mime), "data": data})
                }
            }
        }
        MediaSource::Url { url, .. } => json!({"type": "url", "url": url}),
        MediaSource::File { id, dialect } if *dialect == ID => {
            json!({"type": "file", "file_id": id})
        }
        MediaSource::Text(text) if is_document => {
            json!({"type": "text", "media_type": "text/plain", "data": text})
        }
        MediaSource::Parts(parts) if is_document => {
            json!({"type": "content", "content": write_blocks(parts, same)})
        }
        MediaSource::File { .. } | MediaSource::Text(_) | MediaSource::Parts(_) => return None,
    })
}
