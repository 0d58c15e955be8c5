//! Reads tools. A namespace is flattened into its tools; each tool remembers where it was declared,
//! so that the same declaration can be written again.

use serde_json::{Map, Value, json};

use super::marks::{DECLARED_IN_INPUT, ITEM};
use crate::canonical::{
    Failure, HostedTool, HostedToolKind, Part, PartKind, Schema, Tool, ToolKind, Turn,
};
use crate::{DialectId, json};

const ID: DialectId = DialectId::Responses;

/// Reads a list of tools.
pub(super) fn read_tools(list: Vec<Value>) -> Result<Vec<Tool>, Failure> {
    let mut tools = Vec::with_capacity(list.len());
    for (index, tool) in list.into_iter().enumerate() {
        read_tool(tool, &mut tools).map_err(|failure| {
            let field = failure.param.unwrap_or_default();
            let dot = if field.is_empty() { "" } else { "." };
            Failure::bad_request(format!("tools[{index}]{dot}{field}"), failure.message)
        })?;
    }
    Ok(tools)
}

fn read_tool(tool: Value, tools: &mut Vec<Tool>) -> Result<(), Failure> {
    let Value::Object(mut map) = tool else {
        return Err(Failure::bad_request("", "A tool must be an object."));
    };
    map.shift_remove(ITEM);
    let kind = match map.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        _ => return Err(Failure::bad_request("type", "A tool needs a `type`.")),
    };
    match kind.as_str() {
        "function" => tools.push(read_function(map)?),
        "custom" => tools.push(read_custom(map)?),
        "namespace" => read_namespace(map, tools)?,
        _ => tools.push(read_hosted(&kind, map)),
    }
    Ok(())
}

fn required_name(map: &mut Map<String, Value>) -> Result<String, Failure> {
    json::take_string(map, "name")?
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Failure::bad_request("name", "A tool needs a `name`."))
}

fn read_function(mut map: Map<String, Value>) -> Result<Tool, Failure> {
    map.shift_remove("type");
    Ok(Tool {
        name: required_name(&mut map)?,
        description: json::take_string(&mut map, "description")?,
        namespace: None,
        kind: ToolKind::Function {
            parameters: json::take(&mut map, "parameters").map(Schema::json),
            strict: json::take_bool(&mut map, "strict")?,
        },
        cache: None,
        extra: map,
    })
}

fn read_custom(mut map: Map<String, Value>) -> Result<Tool, Failure> {
    map.shift_remove("type");
    Ok(Tool {
        name: required_name(&mut map)?,
        description: json::take_string(&mut map, "description")?,
        namespace: None,
        kind: ToolKind::Custom {
            format: json::take(&mut map, "format"),
        },
        cache: None,
        extra: map,
    })
}

/// Each tool of a namespace becomes a tool of its own; the first one keeps the declaration's other
/// fields. A namespace without tools stays as it is.
fn read_namespace(mut map: Map<String, Value>, tools: &mut Vec<Tool>) -> Result<(), Failure> {
    let inner = match map.get("tools") {
        Some(Value::Array(inner)) if !inner.is_empty() => {
            json::take_array(&mut map, "tools")?.unwrap_or_default()
        }
        _ => {
            tools.push(read_hosted("namespace", map));
            return Ok(());
        }
    };
    let name = match map.get("name") {
        Some(Value::String(name)) => name.clone(),
        _ => return Err(Failure::bad_request("name", "A namespace needs a `name`.")),
    };
    let first = tools.len();
    for tool in inner {
        read_tool(tool, tools)?;
    }
    for tool in &mut tools[first..] {
        tool.namespace = Some(name.clone());
    }
    if let Some(tool) = tools.get_mut(first) {
        tool.extra.insert(ITEM.to_owned(), Value::Object(map));
    }
    Ok(())
}

fn read_hosted(kind: &str, map: Map<String, Value>) -> Tool {
    let meaning = match kind {
        kind if kind.starts_with("web_search") => web_search(&map),
        "code_interpreter" => HostedToolKind::CodeExecution,
        _ => HostedToolKind::Other,
    };
    Tool {
        name: String::new(),
        description: None,
        namespace: None,
        kind: ToolKind::Hosted(HostedTool {
            dialect: ID,
            kind: meaning,
            raw: Value::Object(map),
        }),
        cache: None,
        extra: Map::new(),
    }
}

fn web_search(map: &Map<String, Value>) -> HostedToolKind {
    let domains = |key: &str| -> Vec<String> {
        let list = map.get("filters").and_then(|filters| filters.get(key));
        let list = list.and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|domain| domain.as_str().map(str::to_owned))
            .collect()
    };
    let location = map.get("user_location").and_then(Value::as_object);
    let places = ["city", "region", "country", "timezone"];
    let user_location = location.map(|location| {
        let known = location
            .iter()
            .filter(|(key, value)| places.contains(&key.as_str()) && !value.is_null());
        Value::Object(
            known
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        )
    });
    HostedToolKind::WebSearch {
        allowed_domains: domains("allowed_domains"),
        blocked_domains: domains("blocked_domains"),
        user_location,
        context_size: map
            .get("search_context_size")
            .and_then(Value::as_str)
            .map(str::to_owned),
    }
}

/// Tools that input items declare (`additional_tools`) or have found (`tool_search_output`) join
/// the list, so that a model of another dialect may call them. The items stay where they are.
pub(super) fn join_declared(turns: &[Turn], tools: &mut Vec<Tool>) -> Result<(), Failure> {
    for (index, turn) in turns.iter().enumerate() {
        let [
            Part {
                kind: PartKind::Hosted(item),
                ..
            },
        ] = turn.parts.as_slice()
        else {
            continue;
        };
        let has_tools = matches!(
            item.raw.get("type").and_then(Value::as_str),
            Some("additional_tools" | "tool_search_output")
        );
        let Some(Value::Array(list)) = item.raw.get("tools").filter(|_| has_tools) else {
            continue;
        };
        let declared = read_tools(list.clone()).map_err(|failure| {
            let field = failure.param.unwrap_or_default();
            Failure::bad_request(format!("input[{index}].{field}"), failure.message)
        })?;
        for mut tool in declared {
            let is_known = tools
                .iter()
                .any(|other| other.name == tool.name && other.namespace == tool.namespace);
            if tool.name.is_empty() || !is_known {
                tool.extra.insert(ITEM.to_owned(), json!(DECLARED_IN_INPUT));
                tools.push(tool);
            }
        }
    }
    Ok(())
}
