//! Tools and the choice among them, both ways.

use serde_json::{Map, Value, json};

use super::{HERE, spelling};
use crate::canonical::{
    ChoiceMode, Extra, Failure, HostedTool, HostedToolKind, Request, Schema, SchemaForm, Tool,
    ToolChoice, ToolKind, ToolRef,
};
use crate::json;

/// Where a function's own tool object is remembered, when there were several.
const TOOL_INDEX: &str = "toolIndex";

/// Reads `tools` and `toolConfig`.
pub(super) fn read(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let tools = json::take_array(map, "tools")?.unwrap_or_default();
    for (index, tool) in tools.into_iter().enumerate() {
        let Value::Object(mut tool) = spelling::folded(tool) else {
            return Err(Failure::bad_request(
                "tools",
                "Every entry of `tools` must be an object.",
            ));
        };
        let functions = json::take_array(&mut tool, "functionDeclarations")?.unwrap_or_default();
        for function in functions {
            request.tools.push(read_function(function, index)?);
        }
        if !tool.is_empty() {
            request.tools.push(read_hosted(tool));
        }
    }
    if let Some(mut config) = json::take_object(map, "toolConfig")? {
        spelling::fold(&mut config);
        if let Some(calling) = json::take_object(&mut config, "functionCallingConfig")? {
            request.tool_choice = read_choice(calling);
        }
        if !config.is_empty() {
            request
                .extra
                .insert("toolConfig".to_owned(), Value::Object(config));
        }
    }
    Ok(())
}

fn read_function(function: Value, index: usize) -> Result<Tool, Failure> {
    let Value::Object(mut map) = spelling::folded(function) else {
        let text = "Every function declaration must be an object.";
        return Err(Failure::bad_request("tools.functionDeclarations", text));
    };
    let name = json::take_string(&mut map, "name")?.unwrap_or_default();
    let description = json::take_string(&mut map, "description")?;
    let plain = json::take(&mut map, "parametersJsonSchema").map(Schema::json);
    let parameters = plain.or_else(|| {
        let value = json::take(&mut map, "parameters")?;
        Some(Schema {
            value,
            form: SchemaForm::OpenApi,
        })
    });
    if index > 0 {
        map.insert(TOOL_INDEX.to_owned(), json!(index));
    }
    let kind = ToolKind::Function {
        parameters,
        strict: None,
    };
    Ok(Tool {
        name,
        description,
        namespace: None,
        kind,
        cache: None,
        extra: map,
    })
}

fn read_hosted(tool: Map<String, Value>) -> Tool {
    let has = |key: &str| tool.contains_key(key);
    let kind = if has("googleSearch") || has("googleSearchRetrieval") {
        HostedToolKind::WebSearch {
            allowed_domains: Vec::new(),
            blocked_domains: Vec::new(),
            user_location: None,
            context_size: None,
        }
    } else if has("codeExecution") {
        HostedToolKind::CodeExecution
    } else if has("urlContext") {
        HostedToolKind::UrlFetch
    } else {
        HostedToolKind::Other
    };
    let raw = Value::Object(tool);
    Tool {
        name: String::new(),
        description: None,
        namespace: None,
        kind: ToolKind::Hosted(HostedTool {
            dialect: HERE,
            kind,
            raw,
        }),
        cache: None,
        extra: Extra::new(),
    }
}

fn read_choice(mut calling: Map<String, Value>) -> ToolChoice {
    spelling::fold(&mut calling);
    let raw = Value::Object(calling.clone());
    let mode = calling
        .get("mode")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let names = calling
        .get("allowedFunctionNames")
        .and_then(Value::as_array);
    let tool_ref = |name: &Value| {
        Some(ToolRef {
            name: name.as_str()?.to_owned(),
            is_free: false,
        })
    };
    let mut allowed: Option<Vec<ToolRef>> = names
        .map(|list| list.iter().filter_map(tool_ref).collect())
        .filter(|l: &Vec<_>| !l.is_empty());
    let mode = match mode.to_ascii_uppercase().as_str() {
        "AUTO" => Some(ChoiceMode::Auto),
        "NONE" => Some(ChoiceMode::None),
        "VALIDATED" => Some(ChoiceMode::Validated),
        "ANY" => match allowed
            .as_mut()
            .filter(|list| list.len() == 1)
            .and_then(Vec::pop)
        {
            Some(only) => {
                allowed = None;
                Some(ChoiceMode::Named(only))
            }
            None => Some(ChoiceMode::Required),
        },
        _ => None,
    };
    ToolChoice {
        mode,
        allowed,
        parallel: None,
        raw: Some(raw),
    }
}

/// `tools` of a request; empty where there are none.
pub(super) fn write(request: &Request) -> Vec<Value> {
    let native = request.source == HERE;
    let mut groups: Vec<(u64, Vec<Value>)> = Vec::new();
    let mut hosted = Vec::new();
    for tool in &request.tools {
        match &tool.kind {
            ToolKind::Function { parameters, .. } => {
                let index = tool
                    .extra
                    .get(TOOL_INDEX)
                    .and_then(Value::as_u64)
                    .unwrap_or(0);
                let index = if native { index } else { 0 };
                let function = write_function(tool, parameters.as_ref(), native);
                match groups.last_mut() {
                    // Functions of one group follow each other, as they were read.
                    Some((group, functions)) if *group == index => functions.push(function),
                    _ => groups.push((index, vec![function])),
                }
            }
            ToolKind::Hosted(tool) if tool.dialect == HERE => hosted.push(tool.raw.clone()),
            ToolKind::Hosted(_) | ToolKind::Custom { .. } => {}
        }
    }
    let functions = groups
        .into_iter()
        .map(|(_, list)| json!({ "functionDeclarations": list }));
    functions.chain(hosted).collect()
}

fn write_function(tool: &Tool, parameters: Option<&Schema>, native: bool) -> Value {
    let mut out = Map::new();
    out.insert("name".to_owned(), json!(tool.name));
    if let Some(description) = &tool.description {
        out.insert("description".to_owned(), json!(description));
    }
    if let Some(schema) = parameters {
        let key = match schema.form {
            SchemaForm::JsonSchema => "parametersJsonSchema",
            SchemaForm::OpenApi => "parameters",
        };
        out.insert(key.to_owned(), schema.value.clone());
    }
    if native {
        out.extend(
            tool.extra
                .iter()
                .filter(|(key, _)| *key != TOOL_INDEX)
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
    Value::Object(out)
}

/// `toolConfig` of a request.
pub(super) fn write_config(request: &Request) -> Option<Value> {
    let native = request.source == HERE;
    let mut out = match request.extra.get("toolConfig") {
        Some(Value::Object(own)) if native => own.clone(),
        _ => Map::new(),
    };
    let mixes = !native && mixes_tools(&request.tools);
    if mixes {
        out.insert("includeServerSideToolInvocations".to_owned(), json!(true));
    }
    let calling = match (&request.tool_choice.raw, native) {
        (Some(raw), true) => Some(raw.clone()),
        _ => write_choice(&request.tool_choice, mixes),
    };
    if let Some(calling) = calling {
        out.insert("functionCallingConfig".to_owned(), calling);
    }
    (!out.is_empty()).then_some(Value::Object(out))
}

/// Whether functions stand beside the vendor's own tools, which it takes only when it is told so.
fn mixes_tools(tools: &[Tool]) -> bool {
    let is_hosted =
        |tool: &Tool| matches!(&tool.kind, ToolKind::Hosted(own) if own.dialect == HERE);
    let is_function = |tool: &Tool| matches!(tool.kind, ToolKind::Function { .. });
    tools.iter().any(is_hosted) && tools.iter().any(is_function)
}

fn write_choice(choice: &ToolChoice, mixes: bool) -> Option<Value> {
    let mode = match choice.mode.as_ref()? {
        // Beside its own tools the vendor knows this mode in place of the other.
        ChoiceMode::Auto if mixes => "VALIDATED",
        ChoiceMode::Auto => "AUTO",
        ChoiceMode::Validated => "VALIDATED",
        ChoiceMode::None => "NONE",
        ChoiceMode::Required | ChoiceMode::Named(_) => "ANY",
        ChoiceMode::Hosted { .. } => return None,
    };
    let names: Vec<&str> = match (&choice.mode, &choice.allowed) {
        (Some(ChoiceMode::Named(tool)), _) => vec![&tool.name],
        (Some(ChoiceMode::Required), Some(list)) => list.iter().map(|t| t.name.as_str()).collect(),
        _ => Vec::new(),
    };
    let mut out = json!({ "mode": mode });
    if !names.is_empty() {
        out["allowedFunctionNames"] = json!(names);
    }
    Some(out)
}
