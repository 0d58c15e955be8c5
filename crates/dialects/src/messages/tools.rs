//! Tools and the choice among them. A tool without a type, or of the type `custom`, is a function;
//! every other type is the vendor's own and stays as it came.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::ID;
use super::blocks_read::read_mark;
use super::blocks_write::write_mark;
use super::extra::{restore, within};
use crate::canonical::{
    ChoiceMode, Extra, Failure, HostedTool, HostedToolKind, Request, Schema, Tool, ToolChoice,
    ToolKind, ToolRef,
};
use crate::json::{take, take_bool, take_object, take_string};

/// Reads one declaration.
pub(super) fn read(value: Value, place: usize) -> Result<Tool, Failure> {
    let Value::Object(map) = value else {
        let message = "A tool must be an object.";
        return Err(Failure::bad_request(format!("tools.{place}"), message));
    };
    let tool = match map.get("type").and_then(Value::as_str) {
        None | Some("custom") => read_function(map),
        Some(_) => read_hosted(map),
    };
    tool.map_err(|failure| within(failure, &format!("tools.{place}")))
}

fn read_function(mut map: Map<String, Value>) -> Result<Tool, Failure> {
    if map.get("type").is_some_and(Value::is_null) {
        map.shift_remove("type");
    }
    let name = take_string(&mut map, "name")?
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Failure::bad_request("name", "A tool's `name` is required."))?;
    let description = take_string(&mut map, "description")?;
    let parameters = take_object(&mut map, "input_schema")?;
    let strict = take_bool(&mut map, "strict")?;
    let cache = read_mark(&mut map);
    Ok(Tool {
        name,
        description,
        namespace: None,
        kind: ToolKind::Function {
            parameters: parameters.map(|schema| Schema::json(Value::Object(schema))),
            strict,
        },
        cache,
        extra: map,
    })
}

fn read_hosted(mut map: Map<String, Value>) -> Result<Tool, Failure> {
    let cache = read_mark(&mut map);
    let name = match map.get("name") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(name)) => name.clone(),
        Some(_) => return Err(Failure::bad_request("name", "`name` must be a string.")),
    };
    let kind = hosted_kind(&map);
    Ok(Tool {
        name,
        description: None,
        namespace: None,
        kind: ToolKind::Hosted(HostedTool {
            dialect: ID,
            kind,
            raw: Value::Object(map),
        }),
        cache,
        extra: Extra::new(),
    })
}

fn hosted_kind(map: &Map<String, Value>) -> HostedToolKind {
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind.starts_with("web_search") {
        HostedToolKind::WebSearch {
            allowed_domains: strings(map.get("allowed_domains")),
            blocked_domains: strings(map.get("blocked_domains")),
            user_location: location(map.get("user_location")),
            context_size: None,
        }
    } else if kind.starts_with("code_execution") {
        HostedToolKind::CodeExecution
    } else if kind.starts_with("web_fetch") {
        HostedToolKind::UrlFetch
    } else {
        HostedToolKind::Other
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice);
    let texts = items.unwrap_or_default().iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn location(value: Option<&Value>) -> Option<Value> {
    let mut location = value?.as_object()?.clone();
    location.shift_remove("type");
    Some(Value::Object(location))
}

/// Writes the tools that a request allows; those that have no word here are left out.
pub(super) fn write(request: &Request, same: bool) -> Vec<Value> {
    let allowed = request.tool_choice.allowed.as_ref();
    let allowed: Option<HashSet<&str>> =
        allowed.map(|allowed| allowed.iter().map(|tool| tool.name.as_str()).collect());
    let is_allowed = |tool: &&Tool| {
        let names = allowed.as_ref();
        names.is_none_or(|names| names.contains(tool.name.as_str()))
    };
    let tools = request.tools.iter().filter(is_allowed);
    tools.filter_map(|tool| write_tool(tool, same)).collect()
}

fn write_tool(tool: &Tool, same: bool) -> Option<Value> {
    let mut map = match &tool.kind {
        ToolKind::Function { parameters, strict } => {
            write_function(tool, parameters.as_ref(), *strict)
        }
        ToolKind::Hosted(hosted) => write_hosted(hosted)?,
        ToolKind::Custom { .. } => return None,
    };
    if let Some(mark) = &tool.cache {
        map.insert("cache_control".to_owned(), write_mark(mark));
    }
    if same {
        restore(&mut map, &tool.extra);
    }
    Some(Value::Object(map))
}

fn write_function(
    tool: &Tool,
    parameters: Option<&Schema>,
    strict: Option<bool>,
) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("name".to_owned(), tool.name.clone().into());
    if let Some(description) = &tool.description {
        map.insert("description".to_owned(), description.clone().into());
    }
    let schema = parameters.map_or_else(
        || json!({"type": "object", "properties": {}}),
        |schema| schema.value.clone(),
    );
    map.insert("input_schema".to_owned(), schema);
    if let Some(strict) = strict {
        map.insert("strict".to_owned(), strict.into());
    }
    map
}

fn write_hosted(hosted: &HostedTool) -> Option<Map<String, Value>> {
    if hosted.dialect == ID {
        return hosted.raw.as_object().cloned();
    }
    let (kind, name) = match &hosted.kind {
        HostedToolKind::WebSearch { .. } => ("web_search_20250305", "web_search"),
        HostedToolKind::CodeExecution => ("code_execution_20250825", "code_execution"),
        HostedToolKind::UrlFetch => ("web_fetch_20250910", "web_fetch"),
        HostedToolKind::Other => return None,
    };
    let mut map = Map::new();
    map.insert("type".to_owned(), kind.into());
    map.insert("name".to_owned(), name.into());
    if let HostedToolKind::WebSearch {
        allowed_domains,
        blocked_domains,
        user_location,
        ..
    } = &hosted.kind
    {
        // The vendor takes one of the two lists; the allowed one is the narrower promise.
        if !allowed_domains.is_empty() {
            map.insert("allowed_domains".to_owned(), json!(allowed_domains));
        } else if !blocked_domains.is_empty() {
            map.insert("blocked_domains".to_owned(), json!(blocked_domains));
        }
        if let Some(Value::Object(place)) = user_location {
            let mut location = Map::new();
            location.insert("type".to_owned(), "approximate".into());
            restore(&mut location, place);
            map.insert("user_location".to_owned(), Value::Object(location));
        }
    }
    Some(map)
}

/// Reads the choice; what no word of ours holds goes to `extra`.
pub(super) fn read_choice(
    map: &mut Map<String, Value>,
    extra: &mut Extra,
) -> Result<ToolChoice, Failure> {
    let Some(mut choice) = take_object(map, "tool_choice")? else {
        return Ok(ToolChoice::default());
    };
    let inside = |failure| within(failure, "tool_choice");
    let mode = match choice.get("type").and_then(Value::as_str) {
        Some("auto") => ChoiceMode::Auto,
        Some("any") => ChoiceMode::Required,
        Some("none") => ChoiceMode::None,
        Some("tool") => ChoiceMode::Named(ToolRef {
            name: take_string(&mut choice, "name")
                .map_err(inside)?
                .ok_or_else(|| inside(Failure::bad_request("name", "`name` is required.")))?,
            is_free: false,
        }),
        _ => {
            return Ok(ToolChoice {
                raw: Some(Value::Object(choice)),
                ..ToolChoice::default()
            });
        }
    };
    choice.shift_remove("type");
    let disabled = take_bool(&mut choice, "disable_parallel_tool_use").map_err(inside)?;
    super::extra::keep_rest(extra, "tool_choice", choice);
    Ok(ToolChoice {
        mode: Some(mode),
        allowed: None,
        parallel: disabled.map(|disabled| !disabled),
        raw: None,
    })
}

/// Writes the choice; nothing where the vendor's own rule is what is wanted.
pub(super) fn write_choice(choice: &ToolChoice, same: bool) -> Option<Value> {
    let mut map = Map::new();
    let kind = match &choice.mode {
        Some(ChoiceMode::Auto | ChoiceMode::Validated) => "auto",
        Some(ChoiceMode::Required) => "any",
        Some(ChoiceMode::None) => return Some(json!({"type": "none"})),
        Some(ChoiceMode::Named(_)) => "tool",
        Some(ChoiceMode::Hosted { dialect, raw }) => {
            return (*dialect == ID).then(|| raw.clone());
        }
        None if choice.raw.is_some() && same => return choice.raw.clone(),
        None if choice.parallel == Some(false) => "auto",
        None => return None,
    };
    map.insert("type".to_owned(), kind.into());
    if let Some(ChoiceMode::Named(tool)) = &choice.mode {
        map.insert("name".to_owned(), tool.name.clone().into());
    }
    match choice.parallel {
        Some(true) if !same => {}
        Some(parallel) => {
            map.insert("disable_parallel_tool_use".to_owned(), (!parallel).into());
        }
        None => {}
    }
    Some(Value::Object(map))
}

/// Takes the declarations out of a body.
pub(super) fn read_all(
    map: &mut Map<String, Value>,
    extra: &mut Extra,
) -> Result<Vec<Tool>, Failure> {
    let Some(value) = take(map, "tools") else {
        return Ok(Vec::new());
    };
    let Value::Array(items) = value else {
        return Err(Failure::bad_request("tools", "`tools` must be a list."));
    };
    if items.is_empty() {
        extra.insert("tools".to_owned(), Value::Array(Vec::new()));
    }
    let numbered = items.into_iter().enumerate();
    numbered.map(|(place, tool)| read(tool, place)).collect()
}
