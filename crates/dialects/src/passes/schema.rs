//! JSON schemas between dialects. A schema is rewritten only where the target would refuse it: tools
//! that are not strict stay as the client wrote them, and the same schema always gives the same
//! text, so that prompt caches hit.

use std::cell::Cell;
use std::collections::HashSet;

use serde_json::{Map, Number, Value, json};

use super::Target;
use crate::DialectId;
use crate::canonical::{OutputFormat, Request, Schema, SchemaForm, ToolKind};

/// References are followed this deep; deeper ones (or circles) become a plain object.
const MAX_INLINE_DEPTH: usize = 16;
/// Bytes that references of one request may add to it, each node with its text. Further references
/// become plain objects: references to references multiply, and so does a long text that many name.
const MAX_INLINED_BYTES: usize = 1 << 20;
/// Counted for each JSON value, besides its text.
const NODE_BYTES: usize = 32;

/// Rules that no vendor enforces.
const UNENFORCED: [&str; 14] = [
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
];

/// Puts every schema of the request into a form that the target takes.
pub(super) fn fit(request: &mut Request, target: &Target) {
    let left = &Cell::new(MAX_INLINED_BYTES);
    for tool in &mut request.tools {
        let ToolKind::Function { parameters, strict } = &mut tool.kind else {
            continue;
        };
        if let Some(schema) = parameters {
            if target.dialect == DialectId::Messages {
                name_type(&mut schema.value);
            }
            fit_one(schema, target, *strict == Some(true), left);
        }
        parameters.take_if(|schema| is_bare_open_api(schema));
    }
    match &mut request.output {
        OutputFormat::JsonSchema { schema, .. } => fit_one(schema, target, true, left),
        OutputFormat::Enum { schema } => fit_one(schema, target, false, left),
        _ => {}
    }
}

fn fit_one(schema: &mut Schema, target: &Target, is_enforced: bool, left: &Cell<usize>) {
    match target.dialect {
        DialectId::GenerateContent if schema.form == SchemaForm::OpenApi => {}
        DialectId::GenerateContent if target.can.json_schema => {
            remove_marks(&mut schema.value);
            drop_unenforced(&mut schema.value);
        }
        DialectId::GenerateContent => {
            let root = std::mem::take(&mut schema.value);
            schema.value = to_open_api(&root, &root, 0, left);
            schema.form = SchemaForm::OpenApi;
        }
        DialectId::Messages if is_enforced => {
            let mut value = to_json_schema(schema);
            limit_for_messages(&mut value);
            *schema = Schema::json(value);
        }
        _ => *schema = Schema::json(to_json_schema(schema)),
    }
}

/// Messages wants to read of every tool that it takes an object.
fn name_type(schema: &mut Value) {
    if let Value::Object(map) = schema
        && map.get("type").is_none_or(Value::is_null)
    {
        map.insert("type".to_owned(), json!("object"));
    }
}

/// Older generate-content models refuse a tool's object without properties; without parameters the
/// tool says the same.
fn is_bare_open_api(schema: &Schema) -> bool {
    let properties = schema.value.get("properties").and_then(Value::as_object);
    schema.form == SchemaForm::OpenApi
        && properties.is_none_or(Map::is_empty)
        && schema.value.get("anyOf").is_none()
}

fn drop_unenforced(value: &mut Value) {
    let Value::Object(map) = value else { return };
    map.retain(|key, _| !UNENFORCED.contains(&key.as_str()));
    each_inner(map, &mut drop_unenforced);
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

/// How a member of a schema holds other schemas.
#[derive(Clone, Copy)]
enum Holds {
    Named,
    Listed,
    One,
}

impl Holds {
    fn of(key: &str) -> Option<Self> {
        Some(match key {
            "properties" | "$defs" | "definitions" | "patternProperties" | "defs" => Self::Named,
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => Self::Listed,
            "items" | "additionalProperties" | "not" | "contains" | "if" | "then" | "else" => {
                Self::One
            }
            _ => return None,
        })
    }
}

/// Visits the schemas directly inside a schema object.
fn each_inner(map: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (key, value) in map.iter_mut() {
        match (Holds::of(key), value) {
            (Some(Holds::Named), Value::Object(inner)) => inner.values_mut().for_each(&mut *visit),
            (Some(Holds::Listed), Value::Array(list)) => list.iter_mut().for_each(&mut *visit),
            (Some(Holds::One), inner) if inner.is_object() => visit(inner),
            _ => {}
        }
    }
}

/// Reports whether a test holds for all schemas directly inside a schema object.
fn all_inner(map: &Map<String, Value>, test: fn(&Value) -> bool) -> bool {
    map.iter()
        .all(|(key, value)| match (Holds::of(key), value) {
            (Some(Holds::Named), Value::Object(inner)) => inner.values().all(test),
            (Some(Holds::Listed), Value::Array(list)) => list.iter().all(test),
            (Some(Holds::One), inner) if inner.is_object() => test(inner),
            _ => true,
        })
}

/// Lower-case types and no `propertyOrdering`; for the `OpenAPI` subset also `nullable` and counts in
/// strings.
fn fold_spelling(value: &mut Value, open_api: bool) {
    let Value::Object(map) = value else { return };
    if let Some(Value::String(kind)) = map.get_mut("type") {
        kind.make_ascii_lowercase();
    }
    map.shift_remove("propertyOrdering");
    if open_api {
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

/// Whether a schema keeps the rules of strict mode: one object at the root, every object closed and
/// all of its properties required, every list with its items.
pub(super) fn is_strict(schema: &Value) -> bool {
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    is_object && schema.get("anyOf").is_none() && is_strict_inside(schema)
}

fn is_strict_inside(schema: &Value) -> bool {
    let Value::Object(map) = schema else {
        return true;
    };
    let is_never = |key: &str| matches!(key, "oneOf" | "allOf") || UNENFORCED.contains(&key);
    if map.keys().any(|key| is_never(key)) {
        return false;
    }
    if has_type(map, "array") && !map.contains_key("items") {
        return false;
    }
    if let Some(Value::Object(properties)) = map.get("properties") {
        let required = map.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let required: HashSet<&str> = required.collect();
        if map.get("additionalProperties") != Some(&Value::Bool(false))
            || !properties
                .keys()
                .all(|name| required.contains(name.as_str()))
        {
            return false;
        }
    } else if map.get("type").and_then(Value::as_str) == Some("object") {
        return false;
    }
    all_inner(map, is_strict_inside)
}

/// Whether a schema is of this type, alone or among others.
fn has_type(map: &Map<String, Value>, wanted: &str) -> bool {
    match map.get("type") {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some(wanted)),
        _ => false,
    }
}

/// Messages enforces a subset: objects are closed, and what it cannot check is told in words.
fn limit_for_messages(value: &mut Value) {
    let Value::Object(map) = value else { return };
    tell_rules(map);
    if let Some(choices) = map.shift_remove("oneOf") {
        map.entry("anyOf").or_insert(choices);
    }
    if map.contains_key("properties") || has_type(map, "object") {
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if has_type(map, "array") {
        map.entry("items").or_insert_with(|| json!({}));
    }
    each_inner(map, &mut limit_for_messages);
}

/// Rules that messages enforces nowhere, beside those that nobody does.
const TOLD: [&str; 11] = [
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
];
/// Formats of texts that it does enforce.
const MESSAGES_FORMATS: [&str; 10] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Moves what messages does not enforce into the description, always in the same order.
fn tell_rules(map: &mut Map<String, Value>) {
    let mut told: Vec<&str> = TOLD.into_iter().chain(UNENFORCED).collect();
    let is_few = |count: &Value| count.as_u64().is_some_and(|count| count <= 1);
    if !map.get("minItems").is_none_or(is_few) {
        told.push("minItems");
    }
    let format = map.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| !MESSAGES_FORMATS.contains(&format)) {
        told.push("format");
    }
    if map.contains_key("prefixItems") {
        // Beside these, `items` is about the rest alone.
        told.extend(["prefixItems", "items"]);
    }
    let rules = told.into_iter().filter_map(|key| {
        let rule = map.shift_remove(key)?;
        Some(format!("{key}: {rule}"))
    });
    let rules: Vec<String> = rules.collect();
    if rules.is_empty() {
        return;
    }
    let note = format!("({})", rules.join(", "));
    let text = match map.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {note}"),
        None => note,
    };
    map.insert("description".to_owned(), Value::String(text));
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

/// The `OpenAPI` subset that older generate-content models take. `left` counts down the bytes that
/// references may still add.
fn to_open_api(schema: &Value, root: &Value, depth: usize, left: &Cell<usize>) -> Value {
    let Value::Object(map) = schema else {
        return json!({"type": "STRING"});
    };
    if depth > MAX_INLINE_DEPTH {
        return json!({"type": "OBJECT"});
    }
    if let Some(Value::String(reference)) = map.get("$ref") {
        let found = resolve(root, reference).filter(|found| spend(found, left));
        return found.map_or_else(
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

/// Takes the size of a schema off what is left. One that does not fit takes everything, so that no
/// size is computed in vain a second time.
fn spend(schema: &Value, left: &Cell<usize>) -> bool {
    let take = |bytes: usize| {
        let rest = left.get().checked_sub(bytes + NODE_BYTES);
        left.set(rest.unwrap_or(0));
        rest.is_some()
    };
    match schema {
        Value::String(text) => take(text.len()),
        Value::Array(list) => take(0) && list.iter().all(|value| spend(value, left)),
        Value::Object(map) => {
            take(0)
                && map
                    .iter()
                    .all(|(key, value)| take(key.len()) && spend(value, left))
        }
        _ => take(0),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_is_told_in_words_what_it_does_not_enforce() {
        let mut schema = json!({"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]},
            "dependentRequired": {"a": ["b"]}, "unevaluatedProperties": false, "properties": {
                "contains": {"type": ["array", "null"], "contains": {"const": 1}},
                "pair": {"type": "array", "description": "Two.", "items": false,
                    "prefixItems": [{"type": "string"}, {"type": "number"}]},
                "when": {"type": "string", "format": "date"},
                "color": {"type": "string", "format": "color"}}});
        limit_for_messages(&mut schema);
        let told = "(if: {\"required\":[\"a\"]}, then: {\"required\":[\"b\"]}, \
            dependentRequired: {\"a\":[\"b\"]}, unevaluatedProperties: false)";
        let pair =
            "Two. (prefixItems: [{\"type\":\"string\"},{\"type\":\"number\"}], items: false)";
        let expected = json!({"type": "object", "properties": {
            "contains": {"type": ["array", "null"], "description": "(contains: {\"const\":1})", "items": {}},
            "pair": {"type": "array", "description": pair, "items": {}},
            "when": {"type": "string", "format": "date"},
            "color": {"type": "string", "description": "(format: \"color\")"}},
            "description": told, "additionalProperties": false});
        assert_eq!(schema, expected);
    }

    #[test]
    fn rules_that_nobody_enforces_are_dropped_at_every_depth_and_names_are_not() {
        let mut schema = json!({"type": "object", "propertyNames": {"pattern": "a"},
            "$defs": {"if": {"not": {"type": "null"}, "type": "string"}},
            "properties": {"not": {"$ref": "#/$defs/if"}, "contains": {"type": "array",
                "contains": {"const": 1}, "items": {"anyOf": [{"type": "object",
                    "patternProperties": {"x": {}}, "unevaluatedProperties": false}]}}},
            "required": ["not", "contains"]});
        drop_unenforced(&mut schema);
        let expected = json!({"type": "object", "$defs": {"if": {"type": "string"}},
            "properties": {"not": {"$ref": "#/$defs/if"}, "contains": {"type": "array",
                "items": {"anyOf": [{"type": "object"}]}}},
            "required": ["not", "contains"]});
        assert_eq!(schema, expected);
    }

    #[test]
    fn strict_mode_has_no_unenforced_rules_no_open_lists_and_one_root() {
        let closed = |property: Value| {
            json!({"type": "object", "properties": {"a": property}, "required": ["a"],
                "additionalProperties": false})
        };
        assert!(is_strict(&closed(
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]})
        )));
        assert!(!is_strict(&closed(json!({"type": "array"}))));
        assert!(!is_strict(&closed(
            json!({"type": "string", "contains": {}})
        )));
        let mut root = closed(json!({"type": "string"}));
        root["anyOf"] = json!([{"type": "object"}]);
        assert!(!is_strict(&root));
    }
}
