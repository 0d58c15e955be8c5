//! A request, written for an upstream of this dialect. The passes have made it fit; what has no
//! word here is left out.

use serde_json::{Map, Value};

use super::blocks_write::{plain_text, write_blocks};
use super::extra::restore;
use super::request_read::{INNER_ROLE, INNER_SYSTEM, JOINED};
use super::{ID, settings, tools};
use crate::canonical::{ContentShape, Part, PartKind, Request, Role, Turn};
use crate::json;

/// Writes the body.
pub(super) fn write(request: &Request) -> Vec<u8> {
    json::text(&Value::Object(body(request))).into_bytes()
}

/// The body as an object.
pub(super) fn body(request: &Request) -> Map<String, Value> {
    let same = request.source == ID;
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.clone().into());
    if let Some(most) = request.max_output {
        body.insert("max_tokens".to_owned(), most.into());
    }
    if let Some(system) = system(request, same) {
        body.insert("system".to_owned(), system);
    }
    let messages = messages(&request.turns, same);
    body.insert("messages".to_owned(), Value::Array(messages));
    write_tools(request, same, &mut body);
    write_sampling(request, &mut body);
    settings::write(request, same, &mut body);
    write_call_options(request, same, &mut body);
    if same {
        restore(&mut body, &request.extra);
    }
    body
}

fn write_tools(request: &Request, same: bool, body: &mut Map<String, Value>) {
    let tools = tools::write(request, same);
    // A choice without tools is refused by the vendor; tools may also come from a hosted server.
    if let Some(choice) = tools::write_choice(&request.tool_choice, same)
        && (same || !tools.is_empty())
    {
        body.insert("tool_choice".to_owned(), choice);
    }
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::Array(tools));
    }
}

fn write_sampling(request: &Request, body: &mut Map<String, Value>) {
    let sampling = &request.sampling;
    for (key, number) in [
        ("temperature", &sampling.temperature),
        ("top_p", &sampling.top_p),
        ("top_k", &sampling.top_k),
    ] {
        if let Some(number) = number {
            body.insert(key.to_owned(), Value::Number(number.clone()));
        }
    }
    if !request.stop.is_empty() {
        body.insert("stop_sequences".to_owned(), request.stop.clone().into());
    }
}

fn write_call_options(request: &Request, same: bool, body: &mut Map<String, Value>) {
    if let Some(user) = &request.end_user {
        let mut metadata = Map::new();
        metadata.insert("user_id".to_owned(), user.clone().into());
        body.insert("metadata".to_owned(), Value::Object(metadata));
    }
    if let Some(tier) = &request.tier
        && (same || matches!(tier.as_str(), "auto" | "standard_only"))
    {
        body.insert("service_tier".to_owned(), tier.clone().into());
    }
    if request.stream.is_some() {
        body.insert("stream".to_owned(), true.into());
    }
}

fn system(request: &Request, same: bool) -> Option<Value> {
    if same {
        return match request.system_shape {
            ContentShape::Parts => Some(write_blocks(&request.system, true).into()),
            _ => content(&request.system, ContentShape::Text, true),
        };
    }
    let texts: Vec<Part> = request
        .system
        .iter()
        .filter(|part| matches!(part.kind, PartKind::Text { .. }))
        .cloned()
        .collect();
    content(&texts, ContentShape::Text, false)
}

/// A string where one was asked for and says it all, else blocks; nothing where nothing is left.
fn content(parts: &[Part], shape: ContentShape, same: bool) -> Option<Value> {
    // Another dialect's fields beside the text are not written anyway.
    let bare = parts.first().and_then(Part::as_text);
    let text = match (plain_text(parts), same) {
        (Some(text), _) => Some(text),
        (None, false) if parts.len() == 1 && parts[0].cache.is_none() => bare,
        _ => None,
    };
    if let (Some(text), ContentShape::Text) = (text, shape)
        && (same || !text.is_empty())
    {
        return Some(text.into());
    }
    let blocks = write_blocks(parts, same);
    (!blocks.is_empty()).then_some(Value::Array(blocks))
}

fn messages(turns: &[Turn], same: bool) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::with_capacity(turns.len());
    for turn in turns {
        if same && let Some(inner) = turn.extra.get(INNER_SYSTEM) {
            write_inner_system(turn, inner, &mut messages);
        } else if !(is_joined(turn, same) && join(turn, role(turn.role), &mut messages)) {
            messages.extend(message(turn, same));
        }
    }
    messages
}

fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
    }
}

fn message(turn: &Turn, same: bool) -> Option<Value> {
    // A turn of nothing but another vendor's thinking has nothing left to say.
    let was_empty = turn.parts.is_empty();
    let shape = if same {
        turn.shape
    } else {
        ContentShape::Parts
    };
    let content = match content(&turn.parts, shape, same) {
        Some(content) => content,
        None if was_empty && same => Value::Array(Vec::new()),
        None => return None,
    };
    let mut message = Map::new();
    message.insert("role".to_owned(), role(turn.role).into());
    message.insert("content".to_owned(), content);
    if same {
        let mut kept = turn.extra.clone();
        kept.shift_remove(JOINED);
        restore(&mut message, &kept);
    }
    Some(Value::Object(message))
}

fn is_joined(turn: &Turn, same: bool) -> bool {
    same && turn.extra.contains_key(JOINED)
}

/// The blocks of the message that a turn was cut out of, if that message was just written.
fn last_blocks<'a>(messages: &'a mut [Value], role: &str) -> Option<&'a mut Vec<Value>> {
    let last = messages.last_mut()?;
    if last.get("role").and_then(Value::as_str) != Some(role) {
        return None;
    }
    last.get_mut("content")?.as_array_mut()
}

fn join(turn: &Turn, role: &str, messages: &mut [Value]) -> bool {
    let Some(blocks) = last_blocks(messages, role) else {
        return false;
    };
    blocks.extend(write_blocks(&turn.parts, true));
    true
}

fn write_inner_system(turn: &Turn, inner: &Value, messages: &mut Vec<Value>) {
    let Some(content) = content(&turn.parts, turn.shape, true) else {
        return;
    };
    let mut block = Map::new();
    block.insert("type".to_owned(), INNER_SYSTEM.into());
    block.insert("content".to_owned(), content);
    if let Value::Object(rest) = inner {
        restore(&mut block, rest);
    }
    let role = turn.extra.get(INNER_ROLE).and_then(Value::as_str);
    let role = role.unwrap_or("user");
    if is_joined(turn, true)
        && let Some(blocks) = last_blocks(messages, role)
    {
        blocks.push(Value::Object(block));
        return;
    }
    let mut message = Map::new();
    message.insert("role".to_owned(), role.into());
    message.insert("content".to_owned(), vec![Value::Object(block)].into());
    let mut kept = turn.extra.clone();
    for key in [JOINED, INNER_SYSTEM, INNER_ROLE] {
        kept.shift_remove(key);
    }
    restore(&mut message, &kept);
    messages.push(Value::Object(message));
}
