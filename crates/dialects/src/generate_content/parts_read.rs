//! Parts, as requests and answers hold them.

use serde_json::{Map, Value};

use super::{HERE, spelling};
use crate::Signature;
use crate::canonical::{
    Arguments, ContentShape, Extra, Hosted, Media, MediaClass, MediaSource, Part, PartKind,
    Thinking, ThinkingForm, ToolCall, ToolResult,
};
use crate::{json, media_type};

/// Who wrote the parts: their signatures are read accordingly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// A client's history: a signature may be one of our envelopes.
    Client,
    /// The vendor.
    Upstream,
}

/// Reads a list of parts; a bare string is one text part.
pub(super) fn read_all(parts: Value, author: Author) -> Vec<Part> {
    match parts {
        Value::Array(list) => list.into_iter().map(|part| read(part, author)).collect(),
        Value::Null => Vec::new(),
        other => vec![read(other, author)],
    }
}

/// Reads one part. What is no part that we know is kept whole.
pub(super) fn read(part: Value, author: Author) -> Part {
    let mut map = match spelling::folded(part) {
        Value::Object(map) => map,
        Value::String(text) => return Part::text(text),
        other => return hosted(other),
    };
    let signature = map
        .shift_remove("thoughtSignature")
        .and_then(|value| match value {
            Value::String(text) if author == Author::Client => {
                Some(Signature::from_client(HERE, &text))
            }
            Value::String(text) => Some(Signature::native(HERE, text)),
            _ => None,
        });
    let mut part = Part {
        signature,
        ..read_data(map)
    };
    if author == Author::Client && part.signature == Some(Signature::none()) {
        part.signature = None;
    }
    part
}

fn read_data(mut map: Map<String, Value>) -> Part {
    if let Some(Value::String(text)) = map.shift_remove("text") {
        return text_part(text, map);
    }
    if map.get("thought") == Some(&Value::Bool(true)) {
        // A sketch that a model has made while it thought is no part of its answer.
        return hosted(Value::Object(map));
    }
    if let Some(Value::Object(data)) = map.shift_remove("inlineData") {
        return inline_part(data, map);
    }
    if let Some(Value::Object(data)) = map.shift_remove("fileData") {
        return file_part(data, map);
    }
    if let Some(Value::Object(call)) = map.shift_remove("functionCall") {
        return call_part(call, map);
    }
    if let Some(Value::Object(response)) = map.shift_remove("functionResponse") {
        return result_part(response, map);
    }
    hosted(Value::Object(map))
}

fn hosted(raw: Value) -> Part {
    Part::new(PartKind::Hosted(Hosted { dialect: HERE, raw }))
}

fn with_extra(kind: PartKind, extra: Extra) -> Part {
    Part {
        extra,
        ..Part::new(kind)
    }
}

fn text_part(text: String, mut rest: Map<String, Value>) -> Part {
    if rest.get("thought") == Some(&Value::Bool(true)) {
        rest.shift_remove("thought");
        let thinking = Thinking {
            text,
            form: ThinkingForm::Summary,
        };
        return with_extra(PartKind::Thinking(thinking), rest);
    }
    with_extra(
        PartKind::Text {
            text,
            annotations: Vec::new(),
        },
        rest,
    )
}

fn inline_part(mut data: Map<String, Value>, mut rest: Map<String, Value>) -> Part {
    spelling::fold(&mut data);
    let mime = take_text(&mut data, "mimeType").unwrap_or_default();
    let content = take_text(&mut data, "data").unwrap_or_default();
    let mut media = Media::new(
        media_type::class_of(&mime),
        MediaSource::Inline {
            mime,
            data: content,
        },
    );
    media.name = take_text(&mut data, "displayName");
    media.detail = detail_of(&rest);
    keep(&mut rest, "inlineData", data);
    with_extra(PartKind::Media(media), rest)
}

fn file_part(mut data: Map<String, Value>, mut rest: Map<String, Value>) -> Part {
    spelling::fold(&mut data);
    let mime = take_text(&mut data, "mimeType");
    let uri = take_text(&mut data, "fileUri").unwrap_or_default();
    let class = mime
        .as_deref()
        .map_or(MediaClass::Document, media_type::class_of);
    let mut media = if is_vendor_file(&uri) {
        // The vendor's own files carry a type that belongs to the reference.
        if let Some(mime) = mime {
            data.insert("mimeType".to_owned(), Value::String(mime));
        }
        Media::new(
            class,
            MediaSource::File {
                id: uri,
                dialect: HERE,
            },
        )
    } else {
        Media::new(class, MediaSource::Url { url: uri, mime })
    };
    media.name = take_text(&mut data, "displayName");
    media.detail = detail_of(&rest);
    keep(&mut rest, "fileData", data);
    with_extra(PartKind::Media(media), rest)
}

/// Files that were uploaded to the vendor: `files/…`, or that under the vendor's own host.
fn is_vendor_file(uri: &str) -> bool {
    uri.starts_with("files/")
        || (uri.starts_with("https://generativelanguage.googleapis.com/")
            && uri.contains("/files/"))
}

fn detail_of(rest: &Map<String, Value>) -> Option<String> {
    let level = rest.get("mediaResolution")?.get("level")?.as_str()?;
    match level.rsplit('_').next()? {
        "LOW" => Some("low".to_owned()),
        "HIGH" => Some("high".to_owned()),
        _ => None,
    }
}

fn call_part(mut call: Map<String, Value>, mut rest: Map<String, Value>) -> Part {
    let id = take_text(&mut call, "id").unwrap_or_default();
    let name = take_text(&mut call, "name").unwrap_or_default();
    let arguments = match json::take(&mut call, "args") {
        None => Arguments::Json("{}".to_owned()),
        Some(args) => json::arguments(&json::text(&args)),
    };
    keep(&mut rest, "functionCall", call);
    let call = ToolCall {
        id,
        name,
        namespace: None,
        arguments,
    };
    with_extra(PartKind::ToolCall(call), rest)
}

fn result_part(mut result: Map<String, Value>, mut rest: Map<String, Value>) -> Part {
    let call_id = take_text(&mut result, "id").unwrap_or_default();
    let name = take_text(&mut result, "name");
    let response = json::take(&mut result, "response");
    let media = json::take(&mut result, "parts").map(|parts| read_all(parts, Author::Client));
    let (is_error, text) = meaning_of(response.as_ref());
    let mut parts: Vec<Part> = text.map(Part::text).into_iter().collect();
    parts.extend(media.into_iter().flatten());
    if let Some(response) = response {
        // The same dialect gets the object back as it was.
        result.insert("response".to_owned(), response);
    }
    keep(&mut rest, "functionResponse", result);
    let shape = if parts.len() == 1 {
        ContentShape::Text
    } else {
        ContentShape::Parts
    };
    let result = ToolResult {
        call_id,
        name,
        is_error,
        is_free: false,
        parts,
        shape,
    };
    with_extra(PartKind::ToolResult(result), rest)
}

/// What a response object says: one field `output` or `result` is the result itself, one field
/// `error` is a failure, anything else is the result as a whole.
fn meaning_of(response: Option<&Value>) -> (Option<bool>, Option<String>) {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => json::text(other),
    };
    match response {
        None => (None, None),
        Some(Value::Object(map)) if map.len() == 1 => {
            let (key, value) = map
                .iter()
                .next()
                .map_or(("", &Value::Null), |(k, v)| (k, v));
            match key {
                "output" | "result" => (None, Some(plain(value))),
                "error" => (Some(true), Some(plain(value))),
                _ => (None, response.map(json::text)),
            }
        }
        Some(other) => (None, Some(plain(other))),
    }
}

fn take_text(map: &mut Map<String, Value>, key: &str) -> Option<String> {
    match map.get(key) {
        Some(Value::String(_)) => match map.shift_remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Keeps what is left of an inner object with the part.
fn keep(rest: &mut Map<String, Value>, key: &str, left: Map<String, Value>) {
    if !left.is_empty() {
        rest.insert(key.to_owned(), Value::Object(left));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_function_response_is_read_by_its_single_field() {
        for (response, error, text) in [
            (json!({"output": "4 C"}), None, "4 C"),
            (json!({"result": [1]}), None, "[1]"),
            (json!({"error": "no"}), Some(true), "no"),
            (json!({"temp": 4}), None, r#"{"temp":4}"#),
        ] {
            let part = json!({"functionResponse": {"name": "f", "response": response}});
            let PartKind::ToolResult(result) = read(part, Author::Client).kind else {
                panic!()
            };
            assert_eq!(result.is_error, error);
            assert_eq!(result.parts[0].as_text(), Some(text));
        }
    }

    #[test]
    fn snake_case_parts_are_read() {
        let part = json!({"inline_data": {"mime_type": "image/png", "data": "AA=="}});
        let PartKind::Media(media) = read(part, Author::Client).kind else {
            panic!()
        };
        assert_eq!(media.class, MediaClass::Image);
    }

    #[test]
    fn an_unknown_part_and_a_sketch_are_kept_whole() {
        let sketch =
            json!({"inlineData": {"mimeType": "image/png", "data": "AA=="}, "thought": true});
        for raw in [json!({"toolCall": {"id": "t1"}}), sketch] {
            let part = read(raw.clone(), Author::Upstream);
            assert_eq!(part.kind, PartKind::Hosted(Hosted { dialect: HERE, raw }));
        }
    }
}
