//! Writes tools; those of one namespace are gathered again.

use serde_json::{Map, Value, json};

use super::marks::{DECLARED_IN_INPUT, ITEM, overlay};
use super::part_write::Spelling;
use crate::DialectId;
use crate::canonical::{HostedTool, HostedToolKind, Schema, Tool, ToolKind};

/// Writes a list of tools. Those that an input item declares are not repeated beside it.
pub(super) fn write_tools(tools: &[Tool], spelling: Spelling) -> Vec<Value> {
    let mut list: Vec<Value> = Vec::with_capacity(tools.len());
    let mut open: Option<&str> = None;
    for tool in tools {
        let mark = tool.extra.get(ITEM).filter(|_| spelling == Spelling::Own);
        if mark.and_then(Value::as_str) == Some(DECLARED_IN_INPUT) {
            continue;
        }
        let Some(written) = write_tool(tool, spelling) else {
            continue;
        };
        let Some(namespace) = tool.namespace.as_deref() else {
            open = None;
            list.push(written);
            continue;
        };
        if open != Some(namespace) || mark.is_some() {
            list.push(namespace_head(namespace, mark));
            open = Some(namespace);
        }
        if let Some(Value::Array(inner)) = list.last_mut().and_then(|last| last.get_mut("tools")) {
            inner.push(written);
        }
    }
    list
}

fn namespace_head(name: &str, mark: Option<&Value>) -> Value {
    let mut map = match mark {
        Some(Value::Object(fields)) => fields.clone(),
        _ => Map::from_iter([
            ("type".to_owned(), json!("namespace")),
            ("name".to_owned(), json!(name)),
            ("description".to_owned(), json!(name)),
        ]),
    };
    map.insert("tools".to_owned(), Value::Array(Vec::new()));
    Value::Object(map)
}

fn write_tool(tool: &Tool, spelling: Spelling) -> Option<Value> {
    let mut map = Map::new();
    match &tool.kind {
        ToolKind::Hosted(hosted) => return write_hosted(hosted),
        ToolKind::Function { parameters, strict } => {
            put_head(&mut map, "function", tool);
            put_function(&mut map, parameters.as_ref(), *strict, spelling);
        }
        ToolKind::Custom { format } => {
            put_head(&mut map, "custom", tool);
            if let Some(format) = format {
                map.insert("format".to_owned(), format.clone());
            }
        }
    }
    if spelling == Spelling::Own {
        overlay(&mut map, &tool.extra);
    }
    Some(Value::Object(map))
}

fn put_head(map: &mut Map<String, Value>, kind: &str, tool: &Tool) {
    map.insert("type".to_owned(), json!(kind));
    map.insert("name".to_owned(), json!(tool.name));
    if let Some(description) = &tool.description {
        map.insert("description".to_owned(), json!(description));
    }
}

fn put_function(
    map: &mut Map<String, Value>,
    parameters: Option<&Schema>,
    strict: Option<bool>,
    spelling: Spelling,
) {
    let is_own = spelling == Spelling::Own;
    match parameters {
        Some(schema) => {
            map.insert("parameters".to_owned(), schema.value.clone());
        }
        None if is_own => {}
        None => {
            let nothing = json!({"type": "object", "properties": {}});
            map.insert("parameters".to_owned(), nothing);
        }
    }
    // Left out, this vendor tries to be strict; no other dialect means that by silence.
    if let Some(strict) = strict.or((!is_own).then_some(false)) {
        map.insert("strict".to_owned(), Value::Bool(strict));
    }
}

fn write_hosted(tool: &HostedTool) -> Option<Value> {
    if tool.dialect == DialectId::Responses {
        return Some(tool.raw.clone());
    }
    match &tool.kind {
        HostedToolKind::WebSearch {
            allowed_domains,
            user_location,
            context_size,
            ..
        } => {
            let mut map = Map::from_iter([("type".to_owned(), json!("web_search"))]);
            if !allowed_domains.is_empty() {
                let filters = json!({"allowed_domains": allowed_domains});
                map.insert("filters".to_owned(), filters);
            }
            if let Some(Value::Object(place)) = user_location {
                let mut place = place.clone();
                place.insert("type".to_owned(), json!("approximate"));
                map.insert("user_location".to_owned(), Value::Object(place));
            }
            if let Some(size) = context_size {
                map.insert("search_context_size".to_owned(), json!(size));
            }
            Some(Value::Object(map))
        }
        HostedToolKind::CodeExecution => {
            Some(json!({"type": "code_interpreter", "container": {"type": "auto"}}))
        }
        HostedToolKind::UrlFetch | HostedToolKind::Other => None,
    }
}
