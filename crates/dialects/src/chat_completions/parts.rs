//! Content parts: text, images, recordings, files, refusals. What is written here is what this
//! dialect has a word for; any other part gives nothing.

use serde_json::{Map, Value, json};

use super::spelling;
use crate::DialectId;
use crate::canonical::{
    CacheMark, Failure, Hosted, Media, MediaClass, MediaSource, Part, PartKind,
};
use crate::data_url::{self, DataUrl};
use crate::json::{take, take_string};
use crate::media_type;

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
        "image_url" => read_image(map),
        "input_audio" => read_audio(map),
        "file" => read_file(map),
        "video_url" => read_video(map),
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
fn part(kind: PartKind, mut map: Map<String, Value>) -> Part {
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

fn read_image(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let (url, detail, rest) = match take(&mut map, "image_url") {
        Some(Value::String(url)) => (url, None, Map::new()),
        Some(Value::Object(mut image)) => {
            let url = take_string(&mut image, "url").map_err(|f| within("image_url", f))?;
            let detail = take_string(&mut image, "detail").map_err(|f| within("image_url", f))?;
            (url.unwrap_or_default(), detail, image)
        }
        _ => (String::new(), None, Map::new()),
    };
    if url.is_empty() {
        return Err(Failure::bad_request(
            "image_url.url",
            "An image needs a `url`.",
        ));
    }
    let (source, is_plain) = source_of_url(&url, None);
    let mut media = Media::new(MediaClass::Image, source);
    media.detail = detail.filter(|detail| !detail.is_empty());
    let as_sent = (!is_plain || !rest.is_empty()).then(|| {
        let mut image = rest;
        image.insert("url".to_owned(), url.into());
        if let Some(detail) = &media.detail {
            image.insert("detail".to_owned(), detail.as_str().into());
        }
        json!({"type":"image_url","image_url":image})
    });
    Ok(media_part(media, map, as_sent))
}

fn read_audio(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let mut audio = crate::json::take_object(&mut map, "input_audio")?
        .ok_or_else(|| Failure::bad_request("input_audio", "Audio needs `input_audio`."))?;
    let data = take_string(&mut audio, "data").map_err(|f| within("input_audio", f))?;
    let Some(data) = data.filter(|data| !data.is_empty()) else {
        return Err(Failure::bad_request(
            "input_audio.data",
            "Audio needs its `data`.",
        ));
    };
    let format = take_string(&mut audio, "format").map_err(|f| within("input_audio", f))?;
    let (mime, content, is_plain) = match (DataUrl::read(&data), &format) {
        (Some(url), _) => (url.mime, url.data, false),
        (None, Some(format)) => {
            let mime = media_type::of_audio_format(format);
            let is_plain = media_type::audio_format(&mime) == format && audio.is_empty();
            (mime, data.clone(), is_plain)
        }
        (None, None) => (
            media_type::sniff_audio(&data).to_owned(),
            data.clone(),
            false,
        ),
    };
    let as_sent = (!is_plain).then(|| {
        audio.insert("data".to_owned(), data.into());
        if let Some(format) = format {
            audio.insert("format".to_owned(), format.into());
        }
        json!({"type":"input_audio","input_audio":audio})
    });
    let source = MediaSource::Inline {
        mime,
        data: content,
    };
    let media = Media::new(MediaClass::Audio, source);
    Ok(media_part(media, map, as_sent))
}

fn read_video(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let video = take(&mut map, "video_url");
    let url = match &video {
        Some(Value::String(url)) => url.as_str(),
        Some(Value::Object(object)) => object.get("url").and_then(Value::as_str).unwrap_or(""),
        _ => "",
    };
    if url.is_empty() {
        return Err(Failure::bad_request(
            "video_url.url",
            "A video needs a `url`.",
        ));
    }
    let (source, _) = source_of_url(url, None);
    let as_sent = json!({"type":"video_url","video_url":video});
    Ok(media_part(
        Media::new(MediaClass::Video, source),
        map,
        Some(as_sent),
    ))
}

fn read_file(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let mut file = crate::json::take_object(&mut map, "file")?
        .ok_or_else(|| Failure::bad_request("file", "A file part needs `file`."))?;
    let inside = |failure| within("file", failure);
    let name = take_string(&mut file, "filename").map_err(inside)?;
    let id = take_string(&mut file, "file_id").map_err(inside)?;
    let data = take_string(&mut file, "file_data").map_err(inside)?;
    let (source, is_plain) = match (&data, &id) {
        (Some(data), _) if !data.is_empty() => source_of_file(data, name.as_deref()),
        (_, Some(id)) => (
            MediaSource::File {
                id: id.clone(),
                dialect: ID,
            },
            true,
        ),
        _ => {
            let text = "A file needs `file_data` or `file_id`.";
            return Err(Failure::bad_request("file.file_data", text));
        }
    };
    let class = class_of_source(&source, name.as_deref());
    let is_plain = is_plain
        && class == MediaClass::Document
        && !is_text(&source)
        && file.is_empty()
        && (name.is_some() || matches!(source, MediaSource::File { .. }))
        && !(data.is_some() && id.is_some());
    let mut media = Media::new(class, source);
    media.name.clone_from(&name);
    let as_sent = (!is_plain).then(|| {
        for (key, value) in [("filename", name), ("file_id", id), ("file_data", data)] {
            if let Some(value) = value {
                file.insert(key.to_owned(), value.into());
            }
        }
        json!({"type":"file","file":file})
    });
    Ok(media_part(media, map, as_sent))
}

fn media_part(media: Media, map: Map<String, Value>, as_sent: Option<Value>) -> Part {
    let mut part = part(PartKind::Media(media), map);
    if let Some(as_sent) = as_sent {
        part.extra.insert(spelling::AS_SENT.to_owned(), as_sent);
    }
    part
}

/// Where an address points, and whether it would be written the same again.
fn source_of_url(url: &str, mime: Option<&str>) -> (MediaSource, bool) {
    if let Some(read) = DataUrl::read(url) {
        let is_plain = read.is_spelled(url);
        let DataUrl { mime, data } = read;
        return (MediaSource::Inline { mime, data }, is_plain);
    }
    let source = MediaSource::Url {
        url: url.to_owned(),
        mime: mime.map(str::to_owned),
    };
    (source, true)
}

/// `file_data` is a data URL; clients of other gateways also put bare base64 or an address there.
fn source_of_file(data: &str, name: Option<&str>) -> (MediaSource, bool) {
    let mime = name.and_then(media_type::of_name);
    if data.starts_with("data:") || data.contains("://") {
        return source_of_url(data, mime);
    }
    let mime = mime.unwrap_or("application/pdf").to_owned();
    // What is no base64 at all is the vendor's to refuse.
    let data = data_url::standard_base64(data).unwrap_or_else(|| data.to_owned());
    (MediaSource::Inline { mime, data }, false)
}

fn class_of_source(source: &MediaSource, name: Option<&str>) -> MediaClass {
    match source {
        MediaSource::Inline { mime, .. } => media_type::class_of(mime),
        MediaSource::Url { url, mime } => mime
            .as_deref()
            .or_else(|| media_type::of_name(name.unwrap_or(url)))
            .or_else(|| media_type::of_name(url))
            .map_or(MediaClass::Document, media_type::class_of),
        _ => MediaClass::Document,
    }
}

fn is_text(source: &MediaSource) -> bool {
    matches!(source, MediaSource::Inline { mime, .. } if mime.starts_with("text/"))
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
        PartKind::Media(media) => write_media(media, part, same, out),
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

fn write_media(media: &Media, part: &Part, same: bool, out: &mut Vec<Value>) {
    let value = match (&media.source, media.class) {
        (MediaSource::Text(text), _) => text_document(media, text),
        (MediaSource::Parts(parts), _) => {
            for inner in parts {
                write(inner, false, out);
            }
            return;
        }
        (MediaSource::File { id, dialect: ID }, _) => {
            let mut file = json!({"file_id":id});
            if let Some(name) = &media.name {
                file["filename"] = name.as_str().into();
            }
            json!({"type":"file","file":file})
        }
        (MediaSource::Inline { mime, data }, MediaClass::Image) => {
            image(media, &data_url::write(mime, data))
        }
        (MediaSource::Url { url, .. }, MediaClass::Image) => image(media, url),
        (MediaSource::Inline { mime, data }, MediaClass::Audio) => {
            let format = media_type::audio_format(mime);
            json!({"type":"input_audio","input_audio":{"data":data,"format":format}})
        }
        (MediaSource::Inline { mime, data }, MediaClass::Document) => {
            inline_document(media, mime, data)
        }
        (MediaSource::Url { url, .. }, MediaClass::Document | MediaClass::Audio) => {
            file(media, url)
        }
        (MediaSource::File { .. }, _) | (_, MediaClass::Video) => return,
    };
    out.push(finished(value, part, same));
}

fn image(media: &Media, url: &str) -> Value {
    let mut image = json!({"url":url});
    if let Some(detail) = &media.detail {
        image["detail"] = detail.as_str().into();
    }
    json!({"type":"image_url","image_url":image})
}

fn file(media: &Media, data: &str) -> Value {
    let name = media.name.as_deref().or(media.title.as_deref());
    json!({"type":"file","file":{"filename":name.unwrap_or("document.pdf"),"file_data":data}})
}

/// The vendor takes PDF alone as a file, so that a text becomes words.
fn inline_document(media: &Media, mime: &str, data: &str) -> Value {
    match data_url::text_of(mime, data) {
        Some(text) => text_document(media, &text),
        None => file(media, &data_url::write(mime, data)),
    }
}

fn text_document(media: &Media, text: &str) -> Value {
    let words = match media.name.as_deref().or(media.title.as_deref()) {
        Some(name) => format!("File: {name}\n\n{text}"),
        None => text.to_owned(),
    };
    json!({"type":"text","text":words})
}
