//! Tool definitions: functions, custom tools, the deprecated `functions`, and the hosted web
//! search, which this dialect switches on by a field of the request.

use serde_json::{Map, Value, json};

use super::body::Body;
use super::parts::{take_cache, within, write_cache};
use super::spelling;
use crate::DialectId;
use crate::canonical::{Failure, HostedTool, HostedToolKind, Request, Schema, Tool, ToolKind};
use crate::json::{take, take_array, take_bool, take_object, take_string};

const ID: DialectId = DialectId::ChatCompletions;
const WEB_SEARCH: &str = "web_search_options";

/// Takes the tools out of a request's body.
pub fn read(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    for (at, tool) in take_array(map, "tools")?.into_iter().flatten().enumerate() {
        let tool = read_tool(tool).map_err(|failure| within(&format!("tools[{at}]"), failure))?;
        request.tools.push(tool);
    }
    for (at, function) in take_array(map, "functions")?
        .into_iter()
        .flatten()
        .enumerate()
    {
        let place = format!("functions[{at}]");
        let mut tool = match function {
            Value::Object(function) => read_function(function, Map::new()),
            _ => Err(Failure::bad_request("", "A function must be an object.")),
        }
        .map_err(|failure| within(&place, failure))?;
        spelling::mark(&mut tool.extra, spelling::OLD_FUNCTION);
        request.tools.push(tool);
    }
    if let Some(options) = take_object(map, WEB_SEARCH)? {
        request.tools.push(read_web_search(&options));
    }
    Ok(())
}

fn read_tool(value: Value) -> Result<Tool, Failure> {
    let Value::Object(mut map) = value else {
        return Err(Failure::bad_request("", "A tool must be an object."));
    };
    let kind = map
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("function")
        .to_owned();
    match kind.as_str() {
        "function" => {
            map.shift_remove("type");
            match take_object(&mut map, "function")? {
                Some(function) => read_function(function, map).map_err(|f| within("function", f)),
                // Clients of the responses dialect leave the inner object out.
                None => read_function(map, Map::new()),
            }
        }
        "custom" => {
            map.shift_remove("type");
            match take_object(&mut map, "custom")? {
                Some(custom) => read_custom(custom, map).map_err(|f| within("custom", f)),
                None => read_custom(map, Map::new()),
            }
        }
        _ => Ok(Tool {
            name: map
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned(),
            description: None,
            namespace: None,
            cache: None,
            extra: Map::new(),
            kind: ToolKind::Hosted(HostedTool {
                dialect: ID,
                kind: HostedToolKind::Other,
                raw: Value::Object(map),
            }),
        }),
    }
}

fn required_name(map: &mut Map<String, Value>) -> Result<String, Failure> {
    take_string(map, "name")?
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Failure::bad_request("name", "A tool needs a `name`."))
}

fn read_function(
    mut function: Map<String, Value>,
    mut outer: Map<String, Value>,
) -> Result<Tool, Failure> {
    let name = required_name(&mut function)?;
    let description = take_string(&mut function, "description")?;
    let parameters = take_object(&mut function, "parameters")?;
    let strict = take_bool(&mut function, "strict")?;
    let cache = take_cache(&mut outer);
    if !function.is_empty() {
        outer.insert("function".to_owned(), Value::Object(function));
    }
    Ok(Tool {
        name,
        description,
        namespace: None,
        kind: ToolKind::Function {
            parameters: parameters.map(|schema| Schema::json(Value::Object(schema))),
            strict,
        },
        cache,
        extra: outer,
    })
}

fn read_custom(
    mut custom: Map<String, Value>,
    mut outer: Map<String, Value>,
) -> Result<Tool, Failure> {
    let name = required_name(&mut custom)?;
    let description = take_string(&mut custom, "description")?;
    let format = take(&mut custom, "format").map(flat_format);
    let cache = take_cache(&mut outer);
    if !custom.is_empty() {
        outer.insert("custom".to_owned(), Value::Object(custom));
    }
    Ok(Tool {
        name,
        description,
        namespace: None,
        kind: ToolKind::Custom { format },
        cache,
        extra: outer,
    })
}

/// `{type, grammar:{syntax, definition}}` → `{type, syntax, definition}`.
fn flat_format(mut format: Value) -> Value {
    if let Value::Object(map) = &mut format
        && let Some(Value::Object(grammar)) = take(map, "grammar")
    {
        map.extend(grammar);
    }
    format
}

/// The other way round.
fn nested_format(format: &Value) -> Value {
    match format {
        Value::Object(map) if map.get("type").is_some_and(|kind| kind == "grammar") => {
            let mut grammar = map.clone();
            grammar.shift_remove("type");
            json!({"type":"grammar","grammar":grammar})
        }
        _ => format.clone(),
    }
}

fn read_web_search(options: &Map<String, Value>) -> Tool {
    let location = options.get("user_location");
    let place = location.map(|location| location.get("approximate").unwrap_or(location));
    let kind = HostedToolKind::WebSearch {
        allowed_domains: domains(options, "allowed_domains"),
        blocked_domains: domains(options, "blocked_domains"),
        user_location: place.map(without_type),
        context_size: options
            .get("search_context_size")
            .and_then(Value::as_str)
            .map(str::to_owned),
    };
    Tool {
        name: "web_search".to_owned(),
        description: None,
        namespace: None,
        kind: ToolKind::Hosted(HostedTool {
            dialect: ID,
            kind,
            raw: json!({WEB_SEARCH:options}),
        }),
        cache: None,
        extra: Map::new(),
    }
}

fn without_type(location: &Value) -> Value {
    let mut location = location.clone();
    if let Value::Object(map) = &mut location {
        map.shift_remove("type");
    }
    location
}

/// Domain filters stand under `filters` in the newest form.
fn domains(options: &Map<String, Value>, key: &str) -> Vec<String> {
    let filters = options.get("filters").and_then(|filters| filters.get(key));
    filters
        .or_else(|| options.get(key))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Puts the tools into a request's body. Says whether any callable tool was written.
pub fn write(request: &Request, body: &mut Body<'_>, same: bool) -> bool {
    let mut tools = Vec::new();
    let mut old = Vec::new();
    for tool in &request.tools {
        if same && tool.extra.contains_key(spelling::OLD_FUNCTION) {
            old.extend(function(tool, same));
        } else if let ToolKind::Hosted(hosted) = &tool.kind {
            write_hosted(hosted, body, &mut tools);
        } else {
            tools.extend(write_tool(tool, same));
        }
    }
    let has_tools = !tools.is_empty() || !old.is_empty();
    for (key, list) in [("tools", tools), ("functions", old)] {
        if !list.is_empty() {
            body.insert(key, Value::Array(list));
        }
    }
    has_tools
}

fn write_tool(tool: &Tool, same: bool) -> Option<Value> {
    let (kind, inner) = match &tool.kind {
        ToolKind::Function { .. } => ("function", function(tool, same)?),
        ToolKind::Custom { format } => ("custom", custom(tool, format.as_ref(), same)),
        ToolKind::Hosted(_) => return None,
    };
    let mut map = Map::new();
    map.insert("type".to_owned(), kind.into());
    map.insert(kind.to_owned(), inner);
    if same {
        write_cache(&mut map, tool.cache.as_ref());
        spelling::add_extra(&mut map, &tool.extra);
    }
    Some(Value::Object(map))
}

fn function(tool: &Tool, same: bool) -> Option<Value> {
    let ToolKind::Function { parameters, strict } = &tool.kind else {
        return None;
    };
    let mut map = named(tool);
    if let Some(schema) = parameters {
        map.insert("parameters".to_owned(), schema.value.clone());
    }
    if let Some(strict) = strict {
        map.insert("strict".to_owned(), Value::Bool(*strict));
    }
    add_inner(&mut map, tool, "function", same);
    Some(Value::Object(map))
}

fn custom(tool: &Tool, format: Option<&Value>, same: bool) -> Value {
    let mut map = named(tool);
    if let Some(format) = format {
        map.insert("format".to_owned(), nested_format(format));
    }
    add_inner(&mut map, tool, "custom", same);
    Value::Object(map)
}

fn named(tool: &Tool) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("name".to_owned(), tool.name.as_str().into());
    if let Some(description) = &tool.description {
        map.insert("description".to_owned(), description.as_str().into());
    }
    map
}

fn add_inner(map: &mut Map<String, Value>, tool: &Tool, key: &str, same: bool) {
    if same && let Some(Value::Object(inner)) = tool.extra.get(key) {
        spelling::add_extra(map, inner);
    }
}

fn write_hosted(hosted: &HostedTool, body: &mut Body<'_>, tools: &mut Vec<Value>) {
    if hosted.dialect == ID {
        match hosted.raw.get(WEB_SEARCH) {
            Some(options) => {
                body.insert(WEB_SEARCH, options.clone());
            }
            None => tools.push(hosted.raw.clone()),
        }
        return;
    }
    let HostedToolKind::WebSearch {
        user_location,
        context_size,
        ..
    } = &hosted.kind
    else {
        return;
    };
    let mut options = Map::new();
    if let Some(size) = context_size {
        options.insert("search_context_size".to_owned(), size.as_str().into());
    }
    if let Some(location) = user_location {
        let location = json!({"type":"approximate","approximate":without_type(location)});
        options.insert("user_location".to_owned(), location);
    }
    body.insert(WEB_SEARCH, Value::Object(options));
}
