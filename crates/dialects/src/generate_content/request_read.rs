//! A client's request.

use serde_json::{Map, Value};

use super::parts_read::{self, Author};
use super::{HERE, settings_read, spelling, tools};
use crate::canonical::{ContentShape, Extra, Failure, Part, Request, Role, StreamOptions, Turn};
use crate::{PathHints, json};

/// Reads a request; the model and the wish for a stream come from the path.
pub(super) fn read(mut map: Map<String, Value>, path: &PathHints) -> Result<Request, Failure> {
    spelling::fold(&mut map);
    let in_body = map.get("model").and_then(Value::as_str).map(str::to_owned);
    let model = path.model.clone().or(in_body).unwrap_or_default();
    let mut request = Request::new(HERE, model);
    request.stream = path.stream.then(StreamOptions::default);
    read_system(&mut map, &mut request)?;
    read_contents(&mut map, &mut request)?;
    tools::read(&mut map, &mut request)?;
    if let Some(config) = json::take_object(&mut map, "generationConfig")? {
        settings_read::read(config, &mut request)?;
    }
    request.tier = json::take_string(&mut map, "serviceTier")?;
    let own = std::mem::take(&mut request.extra);
    request.extra = map;
    request.extra.extend(own);
    Ok(request)
}

fn read_system(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    match json::take(map, "systemInstruction") {
        None => {}
        Some(Value::String(text)) => {
            request.system_shape = ContentShape::Text;
            request.system.push(Part::text(text));
        }
        Some(Value::Object(mut content)) => {
            spelling::fold(&mut content);
            request.system_shape = ContentShape::Parts;
            let parts = content.shift_remove("parts").unwrap_or(Value::Null);
            request.system = parts_read::read_all(parts, Author::Client);
            if !content.is_empty() {
                request
                    .extra
                    .insert("systemInstruction".to_owned(), Value::Object(content));
            }
        }
        Some(_) => {
            let text = "`systemInstruction` must be a content object or text.";
            return Err(Failure::bad_request("systemInstruction", text));
        }
    }
    Ok(())
}

fn read_contents(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let wrong = |text: &str| Err(Failure::bad_request("contents", text));
    match json::take(map, "contents") {
        None => return wrong("`contents` is required."),
        Some(Value::String(text)) => {
            let turn = Turn::new(Role::User, vec![Part::text(text)]);
            request.turns.push(Turn {
                shape: ContentShape::Text,
                ..turn
            });
        }
        Some(Value::Array(list)) => {
            for content in list {
                request.turns.push(read_content(content)?);
            }
        }
        Some(content @ Value::Object(_)) => request.turns.push(read_content(content)?),
        Some(_) => return wrong("`contents` must be a list of content objects."),
    }
    Ok(())
}

fn read_content(content: Value) -> Result<Turn, Failure> {
    let mut map = match content {
        Value::Object(map) => map,
        Value::String(text) => return Ok(Turn::new(Role::User, vec![Part::text(text)])),
        _ => {
            let text = "Every entry of `contents` must be an object.";
            return Err(Failure::bad_request("contents", text));
        }
    };
    spelling::fold(&mut map);
    let mut extra = Extra::new();
    let role = match map.shift_remove("role") {
        Some(Value::String(role)) if role == "model" => Role::Assistant,
        Some(Value::String(role)) if role == "user" => Role::User,
        // Anything else speaks for the user (`function` is an old word for tool results).
        other => {
            extra.insert("role".to_owned(), other.unwrap_or(Value::Null));
            Role::User
        }
    };
    let parts = map.shift_remove("parts").unwrap_or(Value::Null);
    extra.extend(map);
    let turn = Turn::new(role, parts_read::read_all(parts, Author::Client));
    Ok(Turn { extra, ..turn })
}
