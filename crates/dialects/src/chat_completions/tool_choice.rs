//! Which tools the model may or must call, in today's words and in the deprecated ones.

use serde_json::{Map, Value, json};

use super::body::Body;
use super::spelling;
use crate::DialectId;
use crate::canonical::{ChoiceMode, Extra, Failure, Request, ToolChoice, ToolRef};
use crate::json::{take, take_bool};

const ID: DialectId = DialectId::ChatCompletions;

/// Takes the tool choice out of a request's body.
pub fn read(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    if let Some(value) = take(map, "tool_choice") {
        request.tool_choice = read_choice(&value);
        let written = write_choice(&request.tool_choice, true);
        spelling::keep(&mut request.extra, "tool_choice", value, written.as_ref());
    }
    if let Some(value) = take(map, "function_call") {
        if request.tool_choice.mode.is_none() {
            request.tool_choice = read_old(&value);
        }
        request.extra.insert("function_call".to_owned(), value);
    }
    request.tool_choice.parallel = take_bool(map, "parallel_tool_calls")?;
    Ok(())
}

fn read_choice(value: &Value) -> ToolChoice {
    match value {
        Value::String(word) => match mode_of(word) {
            Some(mode) => choice(mode),
            None => unknown(value),
        },
        Value::Object(map) => match map.get("type").and_then(Value::as_str) {
            Some(kind @ ("function" | "custom")) => match tool_ref(value, kind == "custom") {
                Some(tool) => choice(ChoiceMode::Named(tool)),
                None => unknown(value),
            },
            Some("allowed_tools") => read_allowed(value),
            _ => choice(ChoiceMode::Hosted {
                dialect: ID,
                raw: value.clone(),
            }),
        },
        _ => unknown(value),
    }
}

fn mode_of(word: &str) -> Option<ChoiceMode> {
    match word {
        "none" => Some(ChoiceMode::None),
        "auto" => Some(ChoiceMode::Auto),
        "required" | "any" => Some(ChoiceMode::Required),
        _ => None,
    }
}

fn choice(mode: ChoiceMode) -> ToolChoice {
    ToolChoice {
        mode: Some(mode),
        ..ToolChoice::default()
    }
}

fn unknown(value: &Value) -> ToolChoice {
    ToolChoice {
        raw: Some(value.clone()),
        ..ToolChoice::default()
    }
}

/// `{type, function:{name}}`, or the flat form of the responses dialect.
fn tool_ref(value: &Value, is_free: bool) -> Option<ToolRef> {
    let inner = value.get(if is_free { "custom" } else { "function" });
    let name = inner.unwrap_or(value).get("name")?.as_str()?;
    Some(ToolRef {
        name: name.to_owned(),
        is_free,
    })
}

fn read_allowed(value: &Value) -> ToolChoice {
    let inner = value.get("allowed_tools").unwrap_or(value);
    let mode = inner.get("mode").and_then(Value::as_str).and_then(mode_of);
    let tools = inner.get("tools").and_then(Value::as_array);
    let allowed = tools.into_iter().flatten().filter_map(|tool| {
        let is_free = tool.get("type").is_some_and(|kind| kind == "custom");
        tool_ref(tool, is_free)
    });
    ToolChoice {
        mode: Some(mode.unwrap_or(ChoiceMode::Auto)),
        allowed: Some(allowed.collect()),
        ..ToolChoice::default()
    }
}

fn read_old(value: &Value) -> ToolChoice {
    match value {
        Value::String(word) => mode_of(word).map_or_else(|| unknown(value), choice),
        _ => match tool_ref(value, false) {
            Some(tool) => choice(ChoiceMode::Named(tool)),
            None => unknown(value),
        },
    }
}

/// Puts the tool choice into a request's body that has tools.
pub fn write(request: &Request, body: &mut Body<'_>, same: bool) {
    let mut current = request.tool_choice.clone();
    current.parallel = None;
    let extra = &request.extra;
    let old = same && extra.contains_key("function_call") && !extra.contains_key("tool_choice");
    let value = if old && let Some(value) = kept(extra, "function_call", &current, read_old) {
        body.insert("function_call", value);
        None
    } else {
        same.then(|| kept(extra, "tool_choice", &current, read_choice))
            .flatten()
            .or_else(|| write_choice(&current, same))
    };
    if let Some(value) = value {
        body.insert("tool_choice", value);
    }
    if let Some(parallel) = request.tool_choice.parallel {
        body.insert("parallel_tool_calls", Value::Bool(parallel));
    }
}

fn kept(
    extra: &Extra,
    key: &str,
    current: &ToolChoice,
    read: fn(&Value) -> ToolChoice,
) -> Option<Value> {
    spelling::original(extra, key, current, |value| Some(read(value)))
}

fn write_choice(choice: &ToolChoice, same: bool) -> Option<Value> {
    let mode = match &choice.mode {
        None if same => return choice.raw.clone(),
        None => return None,
        Some(mode) => mode,
    };
    if let Some(allowed) = &choice.allowed {
        let word = if *mode == ChoiceMode::Required {
            "required"
        } else {
            "auto"
        };
        let tools: Vec<Value> = allowed.iter().map(named).collect();
        return Some(json!({"type":"allowed_tools","allowed_tools":{"mode":word,"tools":tools}}));
    }
    match mode {
        ChoiceMode::Auto | ChoiceMode::Validated => Some("auto".into()),
        ChoiceMode::None => Some("none".into()),
        ChoiceMode::Required => Some("required".into()),
        ChoiceMode::Named(tool) => Some(named(tool)),
        ChoiceMode::Hosted { dialect: ID, raw } => Some(raw.clone()),
        ChoiceMode::Hosted { .. } => None,
    }
}

fn named(tool: &ToolRef) -> Value {
    let kind = if tool.is_free { "custom" } else { "function" };
    json!({"type":kind, kind:{"name":tool.name}})
}
