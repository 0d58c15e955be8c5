//! Texts and JSON values in a form that can be compared.

use serde_json::{Map, Value};

/// A value as text with sorted keys; a string that holds JSON counts as what it holds.
pub fn canon(value: &Value) -> String {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) => sorted(&inner).to_string(),
            Err(_) => text.clone(),
        },
        other => sorted(other).to_string(),
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let pairs = keys.into_iter().map(|key| (key.clone(), sorted(&map[key])));
            Value::Object(pairs.collect())
        }
        other => other.clone(),
    }
}

/// A call's arguments; free text that had to be wrapped as `{"input": text}` counts as that text.
pub fn arguments(value: &Value) -> String {
    let text = canon(value);
    if let Ok(Value::Object(map)) = serde_json::from_str(&text)
        && map.len() == 1
        && let Some(input @ Value::String(_)) = map.get("input")
    {
        return canon(input);
    }
    text
}

/// The text in any content: a string, a part, or a list of them. Thoughts are no text.
pub fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect(),
        Value::Object(part) if part.get("thought") != Some(&Value::Bool(true)) => {
            string(part.get("text"))
        }
        _ => String::new(),
    }
}

/// A tool's result as text; one wrapped in an object with a single field counts as what it wraps.
pub fn result_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(Value::String(inner)) => inner,
            Ok(inner) => result_text(&inner),
            Err(_) => text.clone(),
        },
        Value::Object(map) if map.len() == 1 => map.values().map(result_text).collect(),
        Value::Array(parts) if !parts.is_empty() && parts.iter().all(is_text_part) => {
            result_text(&Value::String(text_of(value)))
        }
        other => canon(other),
    }
}

fn is_text_part(part: &Value) -> bool {
    part.get("text").is_some()
}

/// A string field, empty where it is absent.
pub fn string(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The members of a list, none where there is no list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The first of these fields that is there.
pub fn pick<'a>(value: &'a Value, names: &[&str]) -> &'a Value {
    let found = names.iter().map(|name| &value[*name]);
    found
        .into_iter()
        .find(|field| !field.is_null())
        .unwrap_or(&Value::Null)
}

/// Keywords that some vendors refuse, so that a careful gateway may leave them out or move them into
/// a description.
const OPTIONAL_KEYWORDS: [&str; 17] = [
    "additionalProperties",
    "$schema",
    "strict",
    "propertyOrdering",
    "format",
    "title",
    "description",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "prefixItems",
    "defer_loading",
    "cache_control",
    "prompt_cache_breakpoint",
];

/// A schema with the spellings folded that dialects are known to change.
pub fn schema(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(schema).collect(),
        Value::Object(map) => {
            let kept = map
                .iter()
                .filter(|(key, _)| !OPTIONAL_KEYWORDS.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| fold_member(key, value)).collect())
        }
        other => other.clone(),
    }
}

fn fold_member(key: &str, value: &Value) -> (String, Value) {
    let value = match (key, value) {
        ("type", Value::String(name)) => Value::String(name.to_lowercase()),
        ("properties", Value::Object(map)) => {
            let folded = map
                .iter()
                .map(|(name, value)| (name.clone(), schema(value)));
            Value::Object(folded.collect::<Map<_, _>>())
        }
        _ => schema(value),
    };
    (key.to_owned(), value)
}
