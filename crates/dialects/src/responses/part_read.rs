//! Reads the content parts of messages and of tool results. A part of a kind that we do not know
//! stays as it is.

use serde_json::{Map, Value};

use super::annotations;
use crate::canonical::{
    CacheMark, Failure, Hosted, Media, MediaClass, MediaSource, Part, PartKind, Role,
};
use crate::data_url::{self, DataUrl};
use crate::{DialectId, json, media_type};

/// The kind of a text part that a turn of this role has unless it says otherwise.
pub(super) fn usual_text_kind(role: Role) -> &'static str {
    match role {
        Role::Assistant => "output_text",
        Role::User | Role::System => "input_text",
    }
}

/// Reads a list of parts; `place` names the list for error texts.
pub(super) fn read_parts(
    list: Vec<Value>,
    role: Role,
    place: &dyn Fn() -> String,
) -> Result<Vec<Part>, Failure> {
    list.into_iter()
        .enumerate()
        .map(|(index, part)| {
            read_part(part, role).map_err(|failure| {
                let field = failure.param.unwrap_or_default();
                let dot = if field.is_empty() { "" } else { "." };
                Failure::bad_request(format!("{}[{index}]{dot}{field}", place()), failure.message)
            })
        })
        .collect()
}

fn read_part(part: Value, role: Role) -> Result<Part, Failure> {
    let Value::Object(mut map) = part else {
        return Err(Failure::bad_request(
            "",
            "A content part must be an object.",
        ));
    };
    let Some(kind) = json::take_string(&mut map, "type")? else {
        return Err(Failure::bad_request(
            "type",
            "A content part needs a `type`.",
        ));
    };
    let cache = take_cache_mark(&mut map);
    let mut part = match kind.as_str() {
        "input_text" | "output_text" | "text" => read_text(&mut map)?,
        "refusal" => Part::new(PartKind::Refusal(required(&mut map, "refusal")?)),
        "input_image" | "input_file" | "input_audio" => match read_media(&kind, &mut map)? {
            Some(media) => Part::new(PartKind::Media(media)),
            None => return Ok(untouched(&kind, map, cache)),
        },
        _ => return Ok(untouched(&kind, map, cache)),
    };
    if kind != usual_kind(&part.kind, role) {
        map.insert("type".to_owned(), Value::String(kind));
    }
    part.cache = cache;
    part.extra.extend(map);
    part.extra.shift_remove(super::ITEM);
    Ok(part)
}

/// The kind that this part is written with unless it says otherwise.
pub(super) fn usual_kind(part: &PartKind, role: Role) -> &'static str {
    match part {
        PartKind::Refusal(_) => "refusal",
        PartKind::Media(media) => match media.class {
            MediaClass::Image => "input_image",
            MediaClass::Audio => "input_audio",
            MediaClass::Document | MediaClass::Video => "input_file",
        },
        _ => usual_text_kind(role),
    }
}

fn untouched(kind: &str, mut map: Map<String, Value>, cache: Option<CacheMark>) -> Part {
    map.insert("type".to_owned(), Value::String(kind.to_owned()));
    if let Some(CacheMark {
        raw: Some((_, raw)),
        ..
    }) = cache
    {
        map.insert("prompt_cache_breakpoint".to_owned(), raw);
    }
    Part::new(PartKind::Hosted(Hosted {
        dialect: DialectId::Responses,
        raw: Value::Object(map),
    }))
}

fn take_cache_mark(map: &mut Map<String, Value>) -> Option<CacheMark> {
    let raw = json::take(map, "prompt_cache_breakpoint")?;
    Some(CacheMark {
        ttl: None,
        raw: Some((DialectId::Responses, raw)),
    })
}

fn required(map: &mut Map<String, Value>, key: &str) -> Result<String, Failure> {
    json::take_string(map, key)?
        .ok_or_else(|| Failure::bad_request(key, format!("`{key}` is required.")))
}

fn read_text(map: &mut Map<String, Value>) -> Result<Part, Failure> {
    let text = required(map, "text")?;
    let mut part = Part::text(text);
    if let PartKind::Text { annotations, .. } = &mut part.kind
        && let Some(Value::Array(list)) = map.get_mut("annotations")
        && !list.is_empty()
    {
        annotations.extend(std::mem::take(list).into_iter().map(annotations::read));
        map.shift_remove("annotations");
    }
    Ok(part)
}

/// Media of a part; `None` where it does not say where its content is.
fn read_media(kind: &str, map: &mut Map<String, Value>) -> Result<Option<Media>, Failure> {
    match kind {
        "input_image" => read_image(map),
        "input_file" => read_file(map),
        _ => Ok(read_audio(map)),
    }
}

fn read_image(map: &mut Map<String, Value>) -> Result<Option<Media>, Failure> {
    let source = if let Some(url) = json::take_string(map, "image_url")? {
        address(map, "image_url", url)
    } else if let Some(id) = json::take_string(map, "file_id")? {
        file(id)
    } else {
        return Ok(None);
    };
    let mut media = Media::new(MediaClass::Image, source);
    media.detail = json::take_string(map, "detail")?;
    Ok(Some(media))
}

fn read_file(map: &mut Map<String, Value>) -> Result<Option<Media>, Failure> {
    let name = json::take_string(map, "filename")?;
    let source = if let Some(data) = json::take_string(map, "file_data")? {
        file_content(map, data, name.as_deref())
    } else if let Some(url) = json::take_string(map, "file_url")? {
        address(map, "file_url", url)
    } else if let Some(id) = json::take_string(map, "file_id")? {
        file(id)
    } else {
        if let Some(name) = name {
            map.insert("filename".to_owned(), Value::String(name));
        }
        return Ok(None);
    };
    let mime = match &source {
        MediaSource::Inline { mime, .. } => Some(mime.as_str()),
        _ => name.as_deref().and_then(media_type::of_name),
    };
    let class = media_type::class_of(mime.unwrap_or_default());
    let mut media = Media::new(class, source);
    media.name = name;
    media.detail = json::take_string(map, "detail")?;
    Ok(Some(media))
}

/// The vendor takes data URLs here; clients also send bare base64 or a link.
fn file_content(map: &mut Map<String, Value>, data: String, name: Option<&str>) -> MediaSource {
    if data.contains("://") || data.starts_with("data:") {
        return address(map, "file_data", data);
    }
    let mime = name.and_then(media_type::of_name);
    let Some(standard) = data_url::standard_base64(&data) else {
        return address(map, "file_data", data);
    };
    map.insert("file_data".to_owned(), Value::String(data));
    MediaSource::Inline {
        mime: mime.unwrap_or("application/pdf").to_owned(),
        data: standard,
    }
}

/// A link or a data URL. Where the writer would spell it differently, the field stays in `map`.
fn address(map: &mut Map<String, Value>, key: &str, url: String) -> MediaSource {
    let Some(parsed) = DataUrl::read(&url) else {
        if key == "file_data" {
            map.insert(key.to_owned(), Value::String(url.clone()));
        }
        return MediaSource::Url { url, mime: None };
    };
    let wanted = if key == "file_url" { "file_data" } else { key };
    if key != wanted || !parsed.is_spelled(&url) {
        map.insert(key.to_owned(), Value::String(url));
    }
    MediaSource::Inline {
        mime: parsed.mime,
        data: parsed.data,
    }
}

fn file(id: String) -> MediaSource {
    MediaSource::File {
        id,
        dialect: DialectId::Responses,
    }
}

fn read_audio(map: &mut Map<String, Value>) -> Option<Media> {
    let audio = map.get("input_audio")?;
    let data = audio.get("data")?.as_str()?.to_owned();
    let format = audio.get("format")?.as_str()?;
    let mime = media_type::of_audio_format(format);
    if audio.as_object().is_some_and(|fields| fields.len() == 2) {
        map.shift_remove("input_audio");
    }
    Some(Media::new(
        MediaClass::Audio,
        MediaSource::Inline { mime, data },
    ))
}
