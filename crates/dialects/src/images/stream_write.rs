//! A stream made of a whole answer, for a client that asked for one where the upstream has none: one
//! finished image an event, and no unfinished ones.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::ImageOperation;
use crate::canonical::Failure;
use crate::json;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    data: Vec<Item<'a>>,
    #[serde(borrow, default)]
    created: Option<&'a RawValue>,
    #[serde(borrow, default)]
    size: Option<&'a RawValue>,
    #[serde(borrow, default)]
    quality: Option<&'a RawValue>,
    #[serde(borrow, default)]
    background: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output_format: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default)]
    b64_json: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    url: Option<Cow<'a, str>>,
}

/// Writes the stream. The whole usage stands in the last event and zeros in the others: a client
/// that adds them up counts it once.
pub fn write_stream(body: &[u8], operation: ImageOperation) -> Result<Vec<u8>, Failure> {
    let unreadable = || Failure::upstream("The upstream's answer has no images.");
    let body: Body<'_> = serde_json::from_slice(body).map_err(|_| unreadable())?;
    let Some(last) = body.data.len().checked_sub(1) else {
        return Err(unreadable());
    };
    let name = match operation {
        ImageOperation::Generate => "image_generation.completed",
        ImageOperation::Edit | ImageOperation::Vary => "image_edit.completed",
    };
    let mut out = Vec::new();
    for (index, item) in body.data.iter().enumerate() {
        out.extend_from_slice(format!("event: {name}\ndata: {{\"type\":\"{name}\"").as_bytes());
        for (key, text) in [("b64_json", &item.b64_json), ("url", &item.url)] {
            if let Some(text) = text {
                out.extend_from_slice(format!(",\"{key}\":").as_bytes());
                json::write_str(&mut out, text);
            }
        }
        for (key, raw) in [
            ("created_at", body.created),
            ("size", body.size),
            ("quality", body.quality),
            ("background", body.background),
            ("output_format", body.output_format),
        ] {
            if let Some(raw) = raw {
                out.extend_from_slice(format!(",\"{key}\":{}", raw.get()).as_bytes());
            }
        }
        if let Some(usage) = body.usage {
            let usage = if index == last {
                usage.get().replace(['\n', '\r'], " ")
            } else {
                json::text(&zeros(usage))
            };
            out.extend_from_slice(format!(",\"usage\":{usage}").as_bytes());
        }
        out.extend_from_slice(b"}\n\n");
    }
    Ok(out)
}

/// The same usage with nothing in it.
fn zeros(usage: &RawValue) -> Value {
    fn empty(value: &mut Value) {
        match value {
            Value::Number(number) => *number = 0.into(),
            Value::Object(map) => map.values_mut().for_each(empty),
            _ => {}
        }
    }
    let mut usage = serde_json::from_str(usage.get()).unwrap_or_else(|_| json!(Map::new()));
    empty(&mut usage);
    usage
}
