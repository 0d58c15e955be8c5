//! Small tools for JSON: reading bodies with clear errors, taking known fields out of an object so
//! that the rest stays as `extra`, and writing strings straight into a frame.

use serde_json::{Map, Number, Value};

use crate::canonical::Failure;
use crate::error_body;
pub use crate::json_write::ToJson;
use crate::json_write::write_string;

/// Parses a client's body into an object; a failure names what is wrong.
pub fn read_object(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Failure::bad_request(
            "body",
            "The request body must be a JSON object.",
        )),
        Err(error) => Err(Failure::bad_request(
            "body",
            format!("The request body is not valid JSON: {error}."),
        )),
    }
}

/// Parses an upstream's body into an object.
pub fn read_upstream_object(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(map)) => Ok(map),
        _ => Err(error_body::unusable(
            "The upstream's answer is not a JSON object.",
            body,
        )),
    }
}

/// Takes a field out of an object; `null` counts as absent.
pub fn take(map: &mut Map<String, Value>, key: &str) -> Option<Value> {
    map.shift_remove(key).filter(|value| !value.is_null())
}

/// Takes a string field out; a value of another type is a failure that names the field.
pub fn take_string(map: &mut Map<String, Value>, key: &str) -> Result<Option<String>, Failure> {
    take_as(map, key, "a string", |value| match value {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// Takes a number field out, its spelling kept.
pub fn take_number(map: &mut Map<String, Value>, key: &str) -> Result<Option<Number>, Failure> {
    take_as(map, key, "a number", |value| match value {
        Value::Number(number) => Some(number),
        _ => None,
    })
}

/// Takes a whole number field out.
pub fn take_u64(map: &mut Map<String, Value>, key: &str) -> Result<Option<u64>, Failure> {
    take_as(map, key, "a whole number, not negative", |value| {
        value.as_u64()
    })
}

/// Takes a boolean field out.
pub fn take_bool(map: &mut Map<String, Value>, key: &str) -> Result<Option<bool>, Failure> {
    take_as(map, key, "true or false", |value| value.as_bool())
}

/// Takes a list field out.
pub fn take_array(map: &mut Map<String, Value>, key: &str) -> Result<Option<Vec<Value>>, Failure> {
    take_as(map, key, "a list", |value| match value {
        Value::Array(items) => Some(items),
        _ => None,
    })
}

/// Takes an object field out.
pub fn take_object(
    map: &mut Map<String, Value>,
    key: &str,
) -> Result<Option<Map<String, Value>>, Failure> {
    take_as(map, key, "an object", |value| match value {
        Value::Object(map) => Some(map),
        _ => None,
    })
}

fn take_as<T>(
    map: &mut Map<String, Value>,
    key: &str,
    expected: &str,
    read: impl FnOnce(Value) -> Option<T>,
) -> Result<Option<T>, Failure> {
    let Some(value) = take(map, key) else {
        return Ok(None);
    };
    read(value)
        .map(Some)
        .ok_or_else(|| wrong_type(key, expected))
}

/// The failure of a field whose value is of another type.
pub fn wrong_type(key: &str, expected: &str) -> Failure {
    Failure::bad_request(key, format!("`{key}` must be {expected}."))
}

/// Whether two values say the same: numbers by their text, a `null` member like an absent one.
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            covers(left, right) && right.iter().all(|(key, value)| has(left, key, value))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| same(l, r))
        }
        (left, right) => left == right,
    }
}

fn covers(left: &Map<String, Value>, right: &Map<String, Value>) -> bool {
    left.iter().all(|(key, value)| has(right, key, value))
}

fn has(map: &Map<String, Value>, key: &str, value: &Value) -> bool {
    value.is_null() || map.get(key).is_some_and(|other| same(value, other))
}

/// Writes a string as JSON, quotes included.
pub fn write_str(out: &mut Vec<u8>, text: &str) {
    write_string(out, text);
}

/// Writes any value as JSON.
pub fn write<T: ToJson + ?Sized>(out: &mut Vec<u8>, value: &T) {
    value.write_json(out);
}

/// Escapes what Unicode counts as a line break and JSON does not, in what was written from `start`
/// on: readers that split text into lines would else cut a frame in two.
pub fn escape_line_breaks(out: &mut Vec<u8>, start: usize) {
    let Some((first, ..)) = line_break(&out[start..]) else {
        return;
    };
    let tail = out.split_off(start + first);
    let mut rest = tail.as_slice();
    while let Some((at, length, escaped)) = line_break(rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(escaped);
        rest = &rest[at + length..];
    }
    out.extend_from_slice(rest);
}

/// The first such break: where it stands, how long it is, and its escape.
fn line_break(bytes: &[u8]) -> Option<(usize, usize, &'static [u8; 6])> {
    memchr::memchr2_iter(0xe2, 0xc2, bytes).find_map(|at| match &bytes[at..] {
        [0xe2, 0x80, 0xa8, ..] => Some((at, 3, b"\\u2028")),
        [0xe2, 0x80, 0xa9, ..] => Some((at, 3, b"\\u2029")),
        [0xc2, 0x85, ..] => Some((at, 2, b"\\u0085")),
        _ => None,
    })
}

/// Any value as the bytes of a body.
pub fn bytes<T: ToJson + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    write(&mut out, value);
    out
}

/// A value as JSON text.
pub fn text(value: &Value) -> String {
    serde_json::to_string(value).expect("a JSON value always serialises")
}

/// Reads a call's arguments from the text that a vendor or client gave: nothing is an empty
/// object, an object stays as it is, a string that holds an object is unwrapped once, any other
/// value is wrapped, and what is no JSON is kept as broken text.
pub fn arguments(text: &str) -> crate::canonical::Arguments {
    use crate::canonical::Arguments;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Arguments::Json("{}".to_owned());
    }
    match serde_json::from_str::<&serde_json::value::RawValue>(trimmed) {
        Ok(raw) if raw.get().starts_with('{') => Arguments::Json(trimmed.to_owned()),
        Ok(raw) if raw.get().starts_with('"') => match serde_json::from_str::<String>(raw.get()) {
            Ok(inner) if inner.trim_start().starts_with('{') => match arguments(&inner) {
                Arguments::Json(json) => Arguments::Json(json),
                _ => Arguments::Json(format!("{{\"value\":{trimmed}}}")),
            },
            _ => Arguments::Json(format!("{{\"value\":{trimmed}}}")),
        },
        Ok(_) => Arguments::Json(format!("{{\"value\":{trimmed}}}")),
        Err(_) => Arguments::Broken(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::canonical::Arguments;

    #[test]
    fn arguments_keep_their_text_and_are_always_an_object() {
        let object = |text: &str| Arguments::Json(text.to_owned());
        assert_eq!(arguments(""), object("{}"));
        assert_eq!(arguments(" \n"), object("{}"));
        assert_eq!(
            arguments(r#"{"a":1.0,"b":9007199254740993}"#),
            object(r#"{"a":1.0,"b":9007199254740993}"#)
        );
        assert_eq!(arguments(r#""{\"a\":1}""#), object(r#"{"a":1}"#));
        assert_eq!(arguments("[1]"), object(r#"{"value":[1]}"#));
        assert_eq!(arguments(r#"{"a":"\ud800"}"#), object(r#"{"a":"\ud800"}"#));
        assert_eq!(
            arguments(r#"{"a":"#),
            Arguments::Broken(r#"{"a":"#.to_owned())
        );
    }

    #[test]
    fn line_breaks_that_json_lets_through_are_escaped() {
        let mut out = "\u{2028}".as_bytes().to_vec();
        let start = out.len();
        write_str(&mut out, "a\u{2028}\u{2029}b\u{85}\u{a0}…");
        escape_line_breaks(&mut out, start);
        assert_eq!(out, "\u{2028}\"a\\u2028\\u2029b\\u0085\u{a0}…\"".as_bytes());
    }

    #[test]
    fn a_wrong_type_is_named() {
        let mut map = read_object(br#"{"n":"x","s":null}"#).unwrap();
        assert_eq!(
            take_number(&mut map, "n").unwrap_err().param.as_deref(),
            Some("n")
        );
        assert_eq!(take_string(&mut map, "s"), Ok(None));
    }

    #[test]
    fn a_null_member_counts_as_absent_and_nothing_else_does() {
        assert!(same(&json!({"a":1,"b":null}), &json!({"a":1})));
        assert!(same(&json!([{"a":1}]), &json!([{"a":1,"c":null}])));
        assert!(!same(&json!({"a":""}), &json!({})));
        assert!(!same(&json!([null]), &json!([])));
    }

    #[test]
    fn numbers_are_compared_by_their_text() {
        let one: Value = serde_json::from_str("1.0").unwrap();
        assert!(!same(&one, &json!(1)));
    }
}
