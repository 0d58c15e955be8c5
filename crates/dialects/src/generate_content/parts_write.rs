//! Parts on their way out, to the vendor or to a client.

use serde_json::{Map, Value, json};

use super::HERE;
use crate::canonical::{
    Arguments, ContentShape, Extra, Media, MediaSource, Part, PartKind, ToolCall, ToolResult,
};
use crate::{data_url, media_type};

/// Who reads the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The vendor: only its own signatures.
    Upstream,
    /// A client: foreign signatures in envelopes.
    Client,
}

/// Writes one part; `None` where this dialect has no word for it. `native` says that the part came
/// from this dialect, so that its own fields are written again.
pub(super) fn write(part: &Part, reader: Reader, native: bool) -> Option<Value> {
    let mut out = if native {
        part.extra.clone()
    } else {
        Extra::new()
    };
    match &part.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => set(&mut out, "text", json!(text)),
        PartKind::Thinking(thinking) => {
            set(&mut out, "text", json!(thinking.text));
            set(&mut out, "thought", json!(true));
        }
        PartKind::Media(media) => write_media(media, &mut out, native)?,
        PartKind::ToolCall(call) => write_call(call, &mut out),
        PartKind::ToolResult(result) => write_result(result, &mut out, native),
        PartKind::Hosted(hosted) if hosted.dialect == HERE => match &hosted.raw {
            Value::Object(raw) => out.extend(raw.clone()),
            _ => return None,
        },
        PartKind::Hosted(_) => return None,
    }
    if let Some(signature) = &part.signature {
        let text = match reader {
            Reader::Upstream => signature.for_upstream(HERE).map(str::to_owned),
            Reader::Client => Some(signature.for_client(HERE).into_owned()),
        };
        if let Some(text) = text {
            set(&mut out, "thoughtSignature", json!(text));
        }
    }
    Some(Value::Object(out))
}

fn set(out: &mut Map<String, Value>, key: &str, value: Value) {
    out.insert(key.to_owned(), value);
}

/// The inner object of a part, with what its source dialect kept beside it.
fn inner(out: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match out.shift_remove(key) {
        Some(Value::Object(kept)) => kept,
        _ => Map::new(),
    }
}

fn write_media(media: &Media, out: &mut Map<String, Value>, native: bool) -> Option<()> {
    if let (Some(detail), false) = (&media.detail, native) {
        let level = match detail.as_str() {
            "low" => Some("MEDIA_RESOLUTION_LOW"),
            "high" | "original" => Some("MEDIA_RESOLUTION_HIGH"),
            _ => None,
        };
        if let Some(level) = level {
            set(out, "mediaResolution", json!({"level": level}));
        }
    }
    let key = match &media.source {
        MediaSource::Inline { .. } | MediaSource::Text(_) => "inlineData",
        MediaSource::Url { .. } | MediaSource::File { dialect: HERE, .. } => "fileData",
        MediaSource::File { .. } | MediaSource::Parts(_) => return None,
    };
    let mut data = inner(out, key);
    match &media.source {
        MediaSource::Inline {
            mime,
            data: content,
        } => {
            set(&mut data, "mimeType", json!(mime));
            set(&mut data, "data", json!(content));
        }
        MediaSource::Text(text) => {
            set(&mut data, "mimeType", json!("text/plain"));
            set(&mut data, "data", json!(data_url::encode(text)));
        }
        MediaSource::Url { url, mime } => {
            // The vendor wants a type beside every address.
            let guessed = || media_type::of_name(url).map(str::to_owned);
            if let Some(mime) = mime.clone().or_else(guessed) {
                set(&mut data, "mimeType", json!(mime));
            }
            set(&mut data, "fileUri", json!(url));
        }
        MediaSource::File { id, .. } => set(&mut data, "fileUri", json!(id)),
        MediaSource::Parts(_) => {}
    }
    if let (Some(name), true) = (&media.name, native) {
        set(&mut data, "displayName", json!(name));
    }
    set(out, key, Value::Object(data));
    Some(())
}

fn write_call(call: &ToolCall, out: &mut Map<String, Value>) {
    let mut function = inner(out, "functionCall");
    if !call.id.is_empty() {
        set(&mut function, "id", json!(call.id));
    }
    set(&mut function, "name", json!(call.name));
    set(&mut function, "args", args(&call.arguments));
    set(out, "functionCall", Value::Object(function));
}

/// Arguments are an object here, whatever they were.
pub(super) fn args(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Json(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| json!({ "_raw": text }))
        }
        Arguments::Broken(text) => json!({ "_raw": text }),
        Arguments::Free(text) => json!({ "input": text }),
    }
}

fn write_result(result: &ToolResult, out: &mut Map<String, Value>, native: bool) {
    let mut function = inner(out, "functionResponse");
    if !result.call_id.is_empty() {
        set(&mut function, "id", json!(result.call_id));
    }
    set(
        &mut function,
        "name",
        json!(result.name.as_deref().unwrap_or_default()),
    );
    if !native || !function.contains_key("response") {
        set(&mut function, "response", response(result));
    }
    let media: Vec<Value> = result
        .parts
        .iter()
        .filter(|part| matches!(part.kind, PartKind::Media(_)))
        .filter_map(|part| write(part, Reader::Upstream, native))
        .collect();
    if !media.is_empty() {
        set(&mut function, "parts", Value::Array(media));
    }
    set(out, "functionResponse", Value::Object(function));
}

/// The response object that says what a result says.
fn response(result: &ToolResult) -> Value {
    let text: String = result.parts.iter().filter_map(Part::as_text).collect();
    if result.is_error == Some(true) {
        return json!({ "error": text });
    }
    if result.shape == ContentShape::Absent {
        return json!({ "output": "" });
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(object @ Value::Object(_)) => object,
        Ok(value @ Value::Array(_)) => json!({ "output": value }),
        // Numbers and words that happen to be JSON are still what the tool said, as text.
        _ => json!({ "output": text }),
    }
}
