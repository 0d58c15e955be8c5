//! Images, recordings and files as content parts.

use serde_json::{Value, json};

use crate::canonical::{Media, MediaClass, MediaSource};
use crate::{DialectId, data_url, media_type};

const ID: DialectId = DialectId::ChatCompletions;

/// Writes media as a content part, where this dialect has a word for it.
pub(super) fn write(media: &Media) -> Option<Value> {
    Some(match (&media.source, media.class) {
        (MediaSource::Text(text), _) => text_document(media, text),
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
        (MediaSource::File { .. } | MediaSource::Parts(_), _) | (_, MediaClass::Video) => {
            return None;
        }
    })
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
