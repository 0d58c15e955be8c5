//! `response_format`: the form that the answer must have.

use serde_json::{Map, Value, json};

use super::body::Body;
use super::spelling;
use crate::canonical::{OutputFormat, Request, Schema};
use crate::json::take;

const FIELD: &str = "response_format";

/// Takes the format out of a request's body; one of an unknown type stays there.
pub fn read(map: &mut Map<String, Value>, request: &mut Request) {
    let Some(value) = take(map, FIELD) else {
        return;
    };
    request.output = read_format(&value).unwrap_or_default();
    let written = write_format(&request.output);
    spelling::keep(&mut request.extra, FIELD, value, written.as_ref());
}

fn read_format(value: &Value) -> Option<OutputFormat> {
    match value.get("type")?.as_str()? {
        "text" => Some(OutputFormat::PlainText),
        "json_object" => Some(OutputFormat::JsonObject),
        "json_schema" => Some(read_schema(value.get("json_schema").unwrap_or(value))),
        _ => None,
    }
}

fn read_schema(inner: &Value) -> OutputFormat {
    let word = |key: &str| inner.get(key).and_then(Value::as_str).map(str::to_owned);
    OutputFormat::JsonSchema {
        name: word("name"),
        description: word("description"),
        schema: Schema::json(inner.get("schema").cloned().unwrap_or_else(|| json!({}))),
        strict: inner.get("strict").and_then(Value::as_bool),
    }
}

/// Puts the format into a request's body.
pub fn write(request: &Request, body: &mut Body<'_>, same: bool) {
    let original = same
        .then(|| {
            // A type that we do not know says nothing to us, and everything to its own dialect.
            spelling::original(&request.extra, FIELD, &request.output, |value| {
                Some(read_format(value).unwrap_or_default())
            })
        })
        .flatten();
    if let Some(value) = original.or_else(|| write_format(&request.output)) {
        body.insert(FIELD, value);
    }
}

fn write_format(format: &OutputFormat) -> Option<Value> {
    match format {
        OutputFormat::Text => None,
        OutputFormat::PlainText => Some(json!({"type":"text"})),
        OutputFormat::JsonObject => Some(json!({"type":"json_object"})),
        OutputFormat::JsonSchema {
            name,
            description,
            schema,
            strict,
        } => {
            let mut inner = Map::new();
            inner.insert(
                "name".to_owned(),
                name.as_deref().unwrap_or("response").into(),
            );
            if let Some(description) = description {
                inner.insert("description".to_owned(), description.as_str().into());
            }
            if let Some(strict) = strict {
                inner.insert("strict".to_owned(), Value::Bool(*strict));
            }
            inner.insert("schema".to_owned(), schema.value.clone());
            Some(json!({"type":"json_schema","json_schema":inner}))
        }
        OutputFormat::Enum { schema } => {
            let schema = &schema.value;
            Some(json!({"type":"json_schema","json_schema":{"name":"response","schema":schema}}))
        }
    }
}
