//! A client's request, read faithfully: block borders, marks, spellings and unknown fields stay.

use serde_json::{Map, Value};

use super::blocks_read::{Sender, read_block, read_blocks};
use super::contract::{self, Purpose};
use super::extra::{keep_rest, within};
use super::{ID, settings, tools};
use crate::DialectId;
use crate::canonical::{
    ContentShape, Extra, Failure, Part, PartKind, Request, Role, StreamOptions, ThinkingForm, Turn,
};
use crate::json::{take, take_array, take_bool, take_number, take_object, take_string, take_u64};
use crate::mend;

/// Marks a turn that stands in one message with the turn before it.
pub(super) const JOINED: &str = "joined";
/// Marks a system turn that was a block inside a message; holds that block's other fields.
pub(super) const INNER_SYSTEM: &str = "mid_conv_system";
/// The role of the message that such a block stood in.
pub(super) const INNER_ROLE: &str = "role";

/// Reads a request for an answer.
pub(super) fn read(body: &[u8]) -> Result<Request, Failure> {
    contract::check(body, Purpose::Generate)?;
    from_map(mend::read_body(body)?)
}

/// Reads a body that keeps to the contract.
pub(super) fn from_map(mut map: Map<String, Value>) -> Result<Request, Failure> {
    let model = take_string(&mut map, "model")?.unwrap_or_default();
    let mut request = Request::new(ID, model);
    read_system(&mut map, &mut request)?;
    let messages = take_array(&mut map, "messages")?.unwrap_or_default();
    for (place, message) in messages.into_iter().enumerate() {
        read_message(message, &mut request.turns)
            .map_err(|failure| within(failure, &format!("messages.{place}")))?;
    }
    request.tools = tools::read_all(&mut map, &mut request.extra)?;
    request.tool_choice = tools::read_choice(&mut map, &mut request.extra)?;
    request.max_output = take_u64(&mut map, "max_tokens")?;
    request.sampling.temperature = take_number(&mut map, "temperature")?;
    request.sampling.top_p = take_number(&mut map, "top_p")?;
    request.sampling.top_k = take_number(&mut map, "top_k")?;
    read_stops(&mut map, &mut request)?;
    settings::read(&mut map, &mut request)?;
    read_end_user(&mut map, &mut request)?;
    request.tier = take_string(&mut map, "service_tier")?;
    match take_bool(&mut map, "stream")? {
        Some(true) => request.stream = Some(StreamOptions::default()),
        Some(false) => {
            request.extra.insert("stream".to_owned(), false.into());
        }
        None => {}
    }
    map.retain(|_, value| !value.is_null());
    request.extra.append(&mut map);
    Ok(request)
}

fn read_system(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    match take(map, "system") {
        Some(Value::String(text)) => {
            request.system = vec![Part::text(text)];
            request.system_shape = ContentShape::Text;
        }
        Some(Value::Array(blocks)) => {
            let numbered = blocks.into_iter().enumerate();
            let parts = numbered.map(|(place, block)| {
                read_block(block, Sender::Client)
                    .map_err(|failure| within(failure, &format!("system.{place}")))
            });
            request.system = parts.collect::<Result<_, _>>()?;
            request.system_shape = ContentShape::Parts;
        }
        _ => {}
    }
    Ok(())
}

fn read_stops(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let Some(stops) = take_array(map, "stop_sequences")? else {
        return Ok(());
    };
    if stops.is_empty() {
        let none = Value::Array(Vec::new());
        request.extra.insert("stop_sequences".to_owned(), none);
    }
    let texts = stops.into_iter().filter_map(|stop| match stop {
        Value::String(text) => Some(text),
        _ => None,
    });
    request.stop = texts.collect();
    Ok(())
}

fn read_end_user(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let Some(mut metadata) = take_object(map, "metadata")? else {
        return Ok(());
    };
    let user = take_string(&mut metadata, "user_id");
    request.end_user = user.map_err(|failure| within(failure, "metadata"))?;
    if request.end_user.is_none() {
        let rest = Value::Object(metadata);
        request.extra.insert("metadata".to_owned(), rest);
    } else {
        keep_rest(&mut request.extra, "metadata", metadata);
    }
    Ok(())
}

fn read_message(message: Value, turns: &mut Vec<Turn>) -> Result<(), Failure> {
    let Value::Object(mut message) = message else {
        return Err(Failure::bad_request("", "A message must be an object."));
    };
    let role = take_string(&mut message, "role")?.unwrap_or_default();
    match take(&mut message, "content") {
        Some(Value::Array(blocks)) => {
            let from = turns.len();
            read_content(blocks, &role, turns)?;
            turns[from].extra.append(&mut message);
        }
        Some(Value::String(text)) => turns.push(Turn {
            shape: ContentShape::Text,
            extra: message,
            ..Turn::new(read_role(&role), vec![Part::text(text)])
        }),
        _ => return Err(Failure::bad_request("content", "`content` is required.")),
    }
    Ok(())
}

fn read_role(role: &str) -> Role {
    match role {
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => Role::User,
    }
}

/// Reads a message's blocks as one turn, or as several where system text stands between them.
fn read_content(blocks: Vec<Value>, role: &str, turns: &mut Vec<Turn>) -> Result<(), Failure> {
    let first = turns.len();
    let mut parts = Vec::new();
    let flush = |parts: &mut Vec<Part>, turns: &mut Vec<Turn>| {
        let mut turn = Turn::new(read_role(role), std::mem::take(parts));
        if role == "assistant" {
            settle_signatures(&mut turn.parts);
        }
        if turns.len() > first {
            turn.extra.insert(JOINED.to_owned(), true.into());
        }
        turns.push(turn);
    };
    for (place, block) in blocks.into_iter().enumerate() {
        let inside = |failure| within(failure, &format!("content.{place}"));
        if block.get("type").and_then(Value::as_str) != Some(INNER_SYSTEM) {
            parts.push(read_block(block, Sender::Client).map_err(inside)?);
            continue;
        }
        if !parts.is_empty() {
            flush(&mut parts, turns);
        }
        let joined = turns.len() > first;
        turns.push(read_inner_system(block, role, joined).map_err(inside)?);
    }
    if !parts.is_empty() || turns.len() == first {
        flush(&mut parts, turns);
    }
    Ok(())
}

fn read_inner_system(block: Value, role: &str, joined: bool) -> Result<Turn, Failure> {
    let Value::Object(mut block) = block else {
        return Err(Failure::bad_request("", "A block must be an object."));
    };
    block.shift_remove("type");
    let (parts, shape) = match take(&mut block, "content") {
        Some(Value::String(text)) => (vec![Part::text(text)], ContentShape::Text),
        Some(Value::Array(blocks)) => (read_blocks(blocks, Sender::Client)?, ContentShape::Parts),
        _ => return Err(Failure::bad_request("content", "`content` is required.")),
    };
    let mut extra = Extra::new();
    extra.insert(INNER_SYSTEM.to_owned(), Value::Object(block));
    extra.insert(INNER_ROLE.to_owned(), role.into());
    if joined {
        extra.insert(JOINED.to_owned(), true.into());
    }
    Ok(Turn {
        shape,
        extra,
        ..Turn::new(Role::System, parts)
    })
}

/// Gives generate-content signatures back to the parts that they were made for. Our replies show
/// them as thinking blocks without words: before a call, and (redacted) after any other part.
fn settle_signatures(parts: &mut Vec<Part>) {
    let mut settled: Vec<Part> = Vec::with_capacity(parts.len());
    let mut waiting: Option<Part> = None;
    for mut part in parts.drain(..) {
        match carried_form(&part) {
            Some(ThinkingForm::Redacted) => {
                if let Some(signed) = settled.last_mut() {
                    signed.signature = part.signature.take();
                }
            }
            Some(_) => settled.extend(waiting.replace(part)),
            None => {
                if let Some(carrier) = waiting.take() {
                    part.signature = carrier.signature;
                }
                settled.push(part);
            }
        }
    }
    settled.extend(waiting);
    *parts = settled;
}

/// The form of a thinking part that holds nothing but another part's signature.
fn carried_form(part: &Part) -> Option<ThinkingForm> {
    let PartKind::Thinking(thinking) = &part.kind else {
        return None;
    };
    let origin = part
        .signature
        .as_ref()
        .and_then(|signature| signature.origin);
    let is_carrier = thinking.text.is_empty() && origin == Some(DialectId::GenerateContent);
    is_carrier.then_some(thinking.form)
}
