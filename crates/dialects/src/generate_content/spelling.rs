//! The vendor's parser takes every field in `camelCase` and in `snake_case`; clients use both. Bodies
//! are folded to `camelCase` object by object, so that data of the client's own (arguments, schemas,
//! labels) keeps its spelling.

use serde_json::{Map, Value};

/// Folds the keys of one object.
pub(super) fn fold(map: &mut Map<String, Value>) {
    if !map
        .keys()
        .any(|key| key.contains('_') && !key.starts_with('_'))
    {
        return;
    }
    *map = std::mem::take(map)
        .into_iter()
        .map(|(key, value)| (camel(&key), value))
        .collect();
}

/// Folds the keys of an object, if it is one.
pub(super) fn folded(mut value: Value) -> Value {
    if let Value::Object(map) = &mut value {
        fold(map);
    }
    value
}

fn camel(key: &str) -> String {
    if key.starts_with('_') {
        return key.to_owned();
    }
    let mut words = key.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// A count that may come as a string (64-bit integers do).
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn snake_case_is_folded_one_level_deep() {
        let folded = folded(json!({"inline_data": {"mime_type": "a"}, "text": "b", "_x_y": 1}));
        assert_eq!(
            folded,
            json!({"inlineData": {"mime_type": "a"}, "text": "b", "_x_y": 1})
        );
    }

    #[test]
    fn counts_come_as_numbers_or_text() {
        assert_eq!(count(&json!("12")), Some(12));
        assert_eq!(count(&json!(12)), Some(12));
        assert_eq!(count(&json!("x")), None);
    }
}
