//! Images, recordings, videos and files as clients send them. A part that would be written otherwise
//! keeps its spelling.

use serde_json::{Map, Value, json};

use super::parts::{part, within};
use super::spelling;
use crate::DialectId;
use crate::canonical::{Failure, Media, MediaClass, MediaSource, Part, PartKind};
use crate::data_url::{self, DataUrl};
use crate::json::{take, take_object, take_string};
use crate::media_type;

const ID: DialectId = DialectId::ChatCompletions;

pub(super) fn read_image(mut map: Map<String, Value>) -> Result<Part, Failure> {
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

pub(super) fn read_audio(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let mut audio = take_object(&mut map, "input_audio")?
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

pub(super) fn read_video(mut map: Map<String, Value>) -> Result<Part, Failure> {
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

pub(super) fn read_file(mut map: Map<String, Value>) -> Result<Part, Failure> {
    let mut file = take_object(&mut map, "file")?
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
