//! Values that fit a JSON schema: for tool calls and structured answers of the demo models.

use serde_json::{Map, Value, json};

/// Schemas are followed this deep; deeper ones are left empty.
const MAX_DEPTH: usize = 8;

/// A value that fits this schema, as plain as can be.
pub(super) fn sample(schema: &Value) -> Value {
    fill(schema, schema, 0)
}

fn fill(schema: &Value, root: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let found = reference
            .strip_prefix('#')
            .and_then(|path| root.pointer(path));
        return found.map_or(Value::Null, |found| fill(found, root, depth + 1));
    }
    if let Some(value) = schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
        return value.clone();
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(key).and_then(|list| list.get(0)) {
            return fill(first, root, depth + 1);
        }
    }
    match type_of(schema).as_str() {
        "string" => json!("demo"),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "null" => Value::Null,
        "array" => {
            let item = schema
                .get("items")
                .map(|items| fill(items, root, depth + 1));
            Value::Array(item.into_iter().collect())
        }
        _ => {
            let fields = schema.get("properties").and_then(Value::as_object);
            let filled = fields.into_iter().flatten();
            let filled = filled.map(|(key, field)| (key.clone(), fill(field, root, depth + 1)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
    }
}

fn type_of(schema: &Value) -> String {
    let kind = schema.get("type");
    let first = kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
    first.unwrap_or("object").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_fits_its_schema() {
        let schema = json!({"type": "object", "$defs": {"unit": {"enum": ["C", "F"]}},
            "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 3},
                "unit": {"$ref": "#/$defs/unit"}, "tags": {"type": "ARRAY", "items": {"type": "STRING"}}}});
        assert_eq!(
            sample(&schema),
            json!({"city": "demo", "days": 3, "unit": "C", "tags": ["demo"]})
        );
    }

    #[test]
    fn a_schema_that_holds_itself_comes_to_an_end() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        assert!(sample(&schema).is_object());
    }
}
