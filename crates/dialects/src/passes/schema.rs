//! JSON schemas between dialects. A schema is rewritten only where the target would refuse it: tools
//! that are not strict stay as the client wrote them, and the same schema always gives the same
//! text, so that prompt caches hit.

use std::cell::Cell;

use serde_json::{Map, Number, Value, json};

use super::Target;
use crate::DialectId;
use crate::canonical::{OutputFormat, Request, Schema, SchemaForm, ToolKind};

/// References are followed this deep; deeper ones (or circles) become a plain object.
const MAX_INLINE_DEPTH: usize = 16;
/// So many schemas are written in place of one with references; the rest become plain objects.
const MAX_INLINED: usize = 10_000;

/// Puts every schema of the request into a form that the target takes.
pub(super) fn fit(request: &mut Request, target: &Target) {
    for tool in &mut request.tools {
        if let ToolKind::Function { parameters, .. } = &mut tool.kind
            && let Some(schema) = parameters
        {
            fit_one(schema, target, false);
        }
    }
    match &mut request.output {
        OutputFormat::JsonSchema { schema, .. } => fit_one(schema, target, true),
        OutputFormat::Enum { schema } => fit_one(schema, target, false),
        _ => {}
    }
}

fn fit_one(schema: &mut Schema, target: &Target, is_output: bool) {
    match target.dialect {
        DialectId::GenerateContent if schema.form == SchemaForm::OpenApi => {}
        DialectId::GenerateContent if target.can.json_schema => {
            remove_marks(&mut schema.value);
        }
        DialectId::GenerateContent => {
            let root = schema.value.clone();
            schema.value = to_open_api(&schema.value, &root, 0, &Cell::new(MAX_INLINED));
            schema.form = SchemaForm::OpenApi;
        }
        DialectId::Messages if is_output => {
            *schema = Schema::json(for_messages_output(to_json_schema(schema)));
        }
        _ => *schema = Schema::json(to_json_schema(schema)),
    }
}

/// A dialect's schema as plain JSON Schema.
pub(super) fn to_json_schema(schema: &Schema) -> Value {
    // Clients write upper-case types into plain JSON schemas too, so both forms are folded.
    let mut value = schema.value.clone();
    fold_spelling(&mut value, schema.form == SchemaForm::OpenApi);
    remove_marks(&mut value);
    value
}

fn remove_marks(value: &mut Value) {
    if let Value::Object(map) = value {
        map.shift_remove("$schema");
    }
}

/// Visits the schemas directly inside a schema object.
fn each_inner(map: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (key, value) in map.iter_mut() {
        match (key.as_str(), value) {
            (
                "properties" | "$defs" | "definitions" | "patternProperties" | "defs",
                Value::Object(inner),
            ) => {
                inner.values_mut().for_each(&mut *visit);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(&mut *visit);
            }
            (
                "items" | "additionalProperties" | "not" | "contains" | "if" | "then" | "else",
                inner,
            ) if inner.is_object() => {
                visit(inner);
            }
            _ => {}
        }
    }
}

/// Lower-case types; for the `OpenAPI` subset also `nullable`, counts in strings and `propertyOrdering`.
fn fold_spelling(value: &mut Value, open_api: bool) {
    let Value::Object(map) = value else { return };
    if let Some(Value::String(kind)) = map.get_mut("type") {
        kind.make_ascii_lowercase();
    }
    if open_api {
        map.shift_remove("propertyOrdering");
        // Formats that only this subset knows; the type and the enum say as much.
        let own = |format: &str| matches!(format, "enum" | "int32" | "int64" | "float" | "double");
        if map.get("format").and_then(Value::as_str).is_some_and(own) {
            map.shift_remove("format");
        }
        if map.shift_remove("nullable") == Some(Value::Bool(true)) {
            make_nullable(map);
        }
        for key in [
            "minItems",
            "maxItems",
            "minLength",
            "maxLength",
            "minProperties",
            "maxProperties",
        ] {
            let number = map
                .get(key)
                .and_then(Value::as_str)
                .and_then(|text| text.parse::<u64>().ok());
            if let Some(number) = number {
                map.insert(key.to_owned(), json!(number));
            }
        }
        for key in ["minimum", "maximum"] {
            let text = map.get(key).and_then(Value::as_str);
            if let Some(number) = text.and_then(|text| text.parse::<Number>().ok()) {
                map.insert(key.to_owned(), Value::Number(number));
            }
        }
    }
    each_inner(map, &mut |inner| fold_spelling(inner, open_api));
}

fn make_nullable(map: &mut Map<String, Value>) {
    match map.get_mut("type") {
        Some(kind @ Value::String(_)) => *kind = json!([kind.take(), "null"]),
        _ => {
            if let Some(Value::Array(list)) = map.get_mut("anyOf") {
                list.push(json!({"type": "null"}));
            }
        }
    }
}

/// Whether a schema keeps the rules of strict mode: an object at the root, every object closed and
/// all of its properties required.
pub(super) fn is_strict(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object") && is_strict_inside(schema)
}

fn is_strict_inside(schema: &Value) -> bool {
    const NEVER: [&str; 7] = [
        "oneOf",
        "allOf",
        "not",
        "if",
        "patternProperties",
        "propertyNames",
        "dependentRequired",
    ];
    let Value::Object(map) = schema else {
        return true;
    };
    if NEVER.iter().any(|key| map.contains_key(*key)) {
        return false;
    }
    if let Some(Value::Object(properties)) = map.get("properties") {
        let required = map.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            required.is_some_and(|list| list.iter().any(|entry| entry.as_str() == Some(name)))
        };
        if map.get("additionalProperties") != Some(&Value::Bool(false))
            || !properties.keys().all(is_required)
        {
            return false;
        }
    } else if map.get("type").and_then(Value::as_str) == Some("object") {
        return false;
    }
    let mut strict = true;
    each_inner(&mut map.clone(), &mut |inner| {
        strict &= is_strict_inside(inner);
    });
    strict
}

/// Messages enforces a subset: objects are closed, and what it cannot check is told in words.
fn for_messages_output(mut schema: Value) -> Value {
    limit_for_messages(&mut schema);
    schema
}

fn limit_for_messages(value: &mut Value) {
    const TOLD: [&str; 14] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "not",
        "patternProperties",
        "propertyNames",
    ];
    let Value::Object(map) = value else { return };
    let mut told = Vec::new();
    for key in TOLD {
        if let Some(rule) = map.shift_remove(key) {
            told.push(format!("{key}: {rule}"));
        }
    }
    let few = |v: &Value| v.as_u64().is_some_and(|n| n <= 1);
    if map.get("minItems").is_some_and(|v| !few(v))
        && let Some(rule) = map.shift_remove("minItems")
    {
        told.push(format!("minItems: {rule}"));
    }
    if let Some(choices) = map.shift_remove("oneOf") {
        map.entry("anyOf").or_insert(choices);
    }
    if map.contains_key("properties") || map.get("type").and_then(Value::as_str) == Some("object") {
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if !told.is_empty() {
        let note = format!("({})", told.join(", "));
        let text = match map.get("description").and_then(Value::as_str) {
            Some(text) => format!("{text} {note}"),
            None => note,
        };
        map.insert("description".to_owned(), Value::String(text));
    }
    each_inner(map, &mut limit_for_messages);
}

/// Members that the `OpenAPI` subset has as they are.
const KEPT: [&str; 15] = [
    "title",
    "description",
    "nullable",
    "required",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "default",
    "minProperties",
    "maxProperties",
    "propertyOrdering",
];
/// Formats that it knows.
const FORMATS: [&str; 6] = ["enum", "date-time", "int32", "int64", "float", "double"];

/// The `OpenAPI` subset that older generate-content models take. `left` counts down the schemas
/// that may still be written: references to references could multiply without end.
fn to_open_api(schema: &Value, root: &Value, depth: usize, left: &Cell<usize>) -> Value {
    let Value::Object(map) = schema else {
        return json!({"type": "STRING"});
    };
    if depth > MAX_INLINE_DEPTH || left.get() == 0 {
        return json!({"type": "OBJECT"});
    }
    left.set(left.get() - 1);
    if let Some(Value::String(reference)) = map.get("$ref") {
        return resolve(root, reference).map_or_else(
            || json!({"type": "OBJECT"}),
            |found| to_open_api(found, root, depth + 4, left),
        );
    }
    let mut out = Map::new();
    let inner = |value: &Value| to_open_api(value, root, depth + 1, left);
    for (key, value) in map {
        open_api_member(key, value, &inner, &mut out);
    }
    if out.get("type").and_then(Value::as_str) == Some("ARRAY") && !out.contains_key("items") {
        out.insert("items".to_owned(), json!({"type": "STRING"}));
    }
    Value::Object(out)
}

/// Says one member of a schema; `inner` rewrites the schemas in it.
fn open_api_member(
    key: &str,
    value: &Value,
    inner: &dyn Fn(&Value) -> Value,
    out: &mut Map<String, Value>,
) {
    let mut set = |key: &str, value: Value| out.insert(key.to_owned(), value);
    match (key, value) {
        ("type", _) => open_api_type(value, out),
        ("properties", Value::Object(properties)) => {
            let properties = properties.iter();
            let folded = properties.map(|(name, value)| (name.clone(), inner(value)));
            set(key, folded.collect());
        }
        ("items", value) => {
            set(key, inner(value));
        }
        ("anyOf" | "oneOf", Value::Array(list)) => {
            let is_null = |s: &&Value| s.get("type").and_then(Value::as_str) == Some("null");
            let (nulls, rest): (Vec<_>, Vec<_>) = list.iter().partition(is_null);
            if !nulls.is_empty() {
                set("nullable", Value::Bool(true));
            }
            set("anyOf", rest.into_iter().map(inner).collect());
        }
        ("allOf", Value::Array(list)) => {
            for part in list.iter().map(inner) {
                merge_schema(out, part);
            }
        }
        ("const", Value::String(_)) => {
            set("enum", json!([value]));
        }
        ("enum", Value::Array(list)) if list.iter().all(Value::is_string) => {
            set(key, value.clone());
        }
        ("format", Value::String(format)) if FORMATS.contains(&format.as_str()) => {
            set(key, value.clone());
        }
        _ if KEPT.contains(&key) => {
            set(key, value.clone());
        }
        _ => {}
    }
}

fn open_api_type(value: &Value, out: &mut Map<String, Value>) {
    let upper = |kind: &str| Value::String(kind.to_ascii_uppercase());
    match value {
        Value::String(kind) => {
            out.insert("type".to_owned(), upper(kind));
        }
        Value::Array(kinds) => {
            let mut named = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|kind| *kind != "null");
            if let Some(kind) = named.next() {
                out.insert("type".to_owned(), upper(kind));
            }
            if kinds.iter().any(|kind| kind.as_str() == Some("null")) {
                out.insert("nullable".to_owned(), Value::Bool(true));
            }
        }
        _ => {}
    }
}

fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

fn merge_schema(out: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { return };
    for (key, value) in part {
        match (out.get_mut(&key), value) {
            (Some(Value::Object(mine)), Value::Object(more)) => mine.extend(more),
            (Some(Value::Array(mine)), Value::Array(more)) => mine.extend(more),
            (Some(_), _) => {}
            (None, value) => {
                out.insert(key, value);
            }
        }
    }
}
