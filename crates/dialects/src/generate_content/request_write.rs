//! A request to the vendor.

use serde_json::{Map, Value, json};

use super::parts_write::{self, Reader};
use super::{HERE, settings_write, tools};
use crate::canonical::{ContentShape, Part, PartKind, Request, Role, Turn};
use crate::json;

/// Fields of the extra ones that other places write.
const PLACED: [&str; 3] = ["generationConfig", "toolConfig", "systemInstruction"];

/// Writes a request.
pub(super) fn write(request: &Request) -> Vec<u8> {
    let native = request.source == HERE;
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| out.insert(key.to_owned(), value);
    if let Some(system) = write_system(request, native) {
        set("systemInstruction", system);
    }
    let contents: Vec<Value> = request
        .turns
        .iter()
        .flat_map(|turn| write_turn(turn, native))
        .collect();
    set("contents", contents_shape(request, contents, native));
    let tools = tools::write(request);
    if !tools.is_empty() {
        set("tools", Value::Array(tools));
    }
    if let Some(config) = tools::write_config(request) {
        set("toolConfig", config);
    }
    let config = settings_write::write(request);
    if !config.is_empty() {
        set("generationConfig", Value::Object(config));
    }
    if let Some(tier) = &request.tier {
        set("serviceTier", json!(tier));
    }
    if native {
        let own = request
            .extra
            .iter()
            .filter(|(key, _)| !PLACED.contains(&key.as_str()));
        out.extend(own.map(|(key, value)| (key.clone(), value.clone())));
    }
    json::bytes(&out)
}

fn write_system(request: &Request, native: bool) -> Option<Value> {
    if request.system.is_empty() && request.system_shape != ContentShape::Parts {
        return None;
    }
    if native && request.system_shape == ContentShape::Text {
        return request
            .system
            .first()
            .and_then(Part::as_text)
            .map(|text| json!(text));
    }
    let parts: Vec<Value> = request
        .system
        .iter()
        .filter_map(|p| parts_write::write(p, Reader::Upstream, native))
        .collect();
    if parts.is_empty() && !native {
        return None;
    }
    let mut content = match request.extra.get("systemInstruction") {
        Some(Value::Object(own)) if native => own.clone(),
        _ => Map::new(),
    };
    content.insert("parts".to_owned(), Value::Array(parts));
    Some(Value::Object(content))
}

/// A request whose contents were one bare string gets them back so.
fn contents_shape(request: &Request, contents: Vec<Value>, native: bool) -> Value {
    match request.turns.as_slice() {
        [turn] if native && turn.shape == ContentShape::Text => {
            json!(turn.parts.first().and_then(Part::as_text))
        }
        _ => Value::Array(contents),
    }
}

/// One turn; results of tools stand alone, because newer models refuse anything beside them.
fn write_turn(turn: &Turn, native: bool) -> Vec<Value> {
    if native {
        return vec![content(turn, turn.parts.iter(), native)];
    }
    let is_result = |part: &&Part| matches!(part.kind, PartKind::ToolResult(_));
    let mut contents = Vec::new();
    if turn.parts.iter().any(|part| is_result(&part)) {
        contents.push(content(turn, turn.parts.iter().filter(is_result), native));
    }
    if turn.parts.iter().any(|part| !is_result(&part)) {
        contents.push(content(
            turn,
            turn.parts.iter().filter(|part| !is_result(part)),
            native,
        ));
    }
    contents
}

fn content<'a>(turn: &Turn, parts: impl Iterator<Item = &'a Part>, native: bool) -> Value {
    let mut out = Map::new();
    let role = match turn.role {
        Role::Assistant => "model",
        Role::User | Role::System => "user",
    };
    match turn.extra.get("role") {
        Some(Value::Null) if native => {}
        Some(own) if native => {
            out.insert("role".to_owned(), own.clone());
        }
        _ => {
            out.insert("role".to_owned(), json!(role));
        }
    }
    let parts = parts.filter_map(|part| parts_write::write(part, Reader::Upstream, native));
    out.insert("parts".to_owned(), Value::Array(parts.collect()));
    if native {
        let own = turn.extra.iter().filter(|(key, _)| *key != "role");
        out.extend(own.map(|(key, value)| (key.clone(), value.clone())));
    }
    Value::Object(out)
}
