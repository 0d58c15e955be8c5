//! What an assistant message holds, in history and in an answer alike: reasoning, text, refusal,
//! generated media, tool calls. Fields without a canonical word stay in the message.

use serde_json::{Map, Value};

use super::parts::{self, within};
use super::{calls, spelling};
use crate::DialectId;
use crate::canonical::{
    Annotation, ContentShape, Failure, Media, MediaClass, MediaSource, Part, PartKind, Thinking,
    ThinkingForm,
};
use crate::json::{take_array, take_object, take_string};
use crate::media_type;

const ID: DialectId = DialectId::ChatCompletions;

/// Takes the parts out of a message; what remains in it is extra.
pub fn read(message: &mut Map<String, Value>) -> Result<(Vec<Part>, ContentShape), Failure> {
    let mut parts = Vec::new();
    parts.extend(take_thinking(message));
    let shape = read_content(message, &mut parts)?;
    if let Some(text) = take_string(message, "refusal")? {
        let mut part = Part::new(PartKind::Refusal(text));
        spelling::mark(&mut part.extra, spelling::FIELD);
        parts.push(part);
    }
    take_annotations(message, &mut parts);
    read_images(message, &mut parts);
    read_audio(message, &mut parts);
    for (at, call) in take_array(message, "tool_calls")?
        .into_iter()
        .flatten()
        .enumerate()
    {
        let place = format!("tool_calls[{at}]");
        parts.push(calls::read(call).map_err(|failure| within(&place, failure))?);
    }
    if let Some(call) = take_object(message, "function_call")? {
        parts.push(calls::read_old(call).map_err(|failure| within("function_call", failure))?);
    }
    Ok((parts, shape))
}

/// Reasoning comes in one of two fields that neither is standard. An array in `reasoning`, and
/// whatever else clients echo back, stays in the message.
fn take_thinking(message: &mut Map<String, Value>) -> Option<Part> {
    for field in ["reasoning_content", "reasoning"] {
        match message.get(field) {
            Some(Value::String(text)) if !text.is_empty() => {}
            _ => continue,
        }
        let text = take_string(message, field).ok().flatten()?;
        let form = ThinkingForm::Raw;
        let mut part = Part::new(PartKind::Thinking(Thinking { text, form }));
        if field != "reasoning_content" {
            part.extra.insert(spelling::FIELD.to_owned(), field.into());
        }
        return Some(part);
    }
    None
}

/// An empty string has a shape but no part: an empty text block is an error elsewhere.
fn read_content(
    message: &mut Map<String, Value>,
    parts: &mut Vec<Part>,
) -> Result<ContentShape, Failure> {
    match message.shift_remove("content") {
        None => Ok(ContentShape::Absent),
        Some(Value::Null) => Ok(ContentShape::Null),
        Some(Value::String(text)) => {
            if !text.is_empty() {
                parts.push(Part::text(text));
            }
            Ok(ContentShape::Text)
        }
        Some(Value::Array(items)) => {
            for (at, item) in items.into_iter().enumerate() {
                let part = match thinking_item(&item) {
                    Some(part) => part,
                    None => parts::read(item)
                        .map_err(|failure| within(&format!("content[{at}]"), failure))?,
                };
                parts.push(part);
            }
            Ok(ContentShape::Parts)
        }
        Some(_) => Err(Failure::bad_request(
            "content",
            "`content` must be a string, a list of parts or null.",
        )),
    }
}

/// Some vendors put reasoning into the content list.
fn thinking_item(item: &Value) -> Option<Part> {
    if item.get("type")?.as_str()? != "thinking" {
        return None;
    }
    let text = match item.get("thinking")? {
        Value::String(text) => text.clone(),
        Value::Array(pieces) => pieces
            .iter()
            .filter_map(|piece| piece.get("text").and_then(Value::as_str))
            .collect(),
        _ => return None,
    };
    let form = ThinkingForm::Raw;
    let mut part = Part::new(PartKind::Thinking(Thinking { text, form }));
    part.extra
        .insert(spelling::AS_SENT.to_owned(), item.clone());
    Some(part)
}

/// Citations belong to the words of the message, so that they need exactly one text to hold them.
fn take_annotations(message: &mut Map<String, Value>, parts: &mut [Part]) {
    let has_some =
        matches!(message.get("annotations"), Some(Value::Array(list)) if !list.is_empty());
    let mut texts = parts.iter_mut().filter_map(|part| match &mut part.kind {
        PartKind::Text { annotations, .. } => Some(annotations),
        _ => None,
    });
    let (true, Some(annotations), None) = (has_some, texts.next(), texts.next()) else {
        return;
    };
    if let Some(Value::Array(list)) = message.shift_remove("annotations") {
        annotations.extend(list.into_iter().map(annotation));
    }
}

/// Reads one citation.
pub fn annotation(raw: Value) -> Annotation {
    let citation = raw.get("url_citation").unwrap_or(&raw);
    let url = citation
        .get("url")
        .and_then(Value::as_str)
        .map(str::to_owned);
    match url {
        Some(url) => Annotation::Url {
            url,
            title: citation
                .get("title")
                .and_then(Value::as_str)
                .map(str::to_owned),
            start: citation.get("start_index").and_then(Value::as_u64),
            end: citation.get("end_index").and_then(Value::as_u64),
            raw: Some((ID, raw)),
        },
        None => Annotation::Other { dialect: ID, raw },
    }
}

/// Generated images come in a list that is not standard but common.
fn read_images(message: &mut Map<String, Value>, parts: &mut Vec<Part>) {
    let Some(Value::Array(images)) = message.get("images") else {
        return;
    };
    let read: Option<Vec<Part>> = images.iter().map(image).collect();
    if let Some(images) = read {
        message.shift_remove("images");
        parts.extend(images);
    }
}

/// Reads a generated image.
pub fn image(value: &Value) -> Option<Part> {
    parts::read(value.clone())
        .ok()
        .filter(|part| matches!(&part.kind, PartKind::Media(_)))
}

/// A generated recording; one that only refers to an earlier answer has no data and stays.
fn read_audio(message: &mut Map<String, Value>, parts: &mut Vec<Part>) {
    let Some(Value::Object(audio)) = message.get_mut("audio") else {
        return;
    };
    let Some(Value::String(data)) = audio.shift_remove("data") else {
        return;
    };
    let id = take_string(audio, "id").ok().flatten();
    let transcript = take_string(audio, "transcript").ok().flatten();
    let mut part = Part::new(PartKind::Media(recording(data, id, transcript)));
    part.extra = std::mem::take(audio);
    message.shift_remove("audio");
    parts.push(part);
}

/// A generated recording: its id is its name, its transcript its context.
pub fn recording(data: String, id: Option<String>, transcript: Option<String>) -> Media {
    let mime = media_type::sniff_audio(&data).to_owned();
    let mut media = Media::new(MediaClass::Audio, MediaSource::Inline { mime, data });
    media.name = id;
    media.context = transcript;
    media
}
