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
use crate::json::{take, take_object, take_string};
use crate::tree::{self, Members, Node};

/// Marks a turn that stands in one message with the turn before it.
pub(super) const JOINED: &str = "joined";
/// Marks a system turn that was a block inside a message; holds that block's other fields.
pub(super) const INNER_SYSTEM: &str = "mid_conv_system";
/// The role of the message that such a block stood in.
pub(super) const INNER_ROLE: &str = "role";

/// Reads a request for an answer.
pub(super) fn read(body: &[u8]) -> Result<Request, Failure> {
    contract::check(body, Purpose::Generate)?;
    read_checked(body)
}

/// The same for a body that is known to keep to the contract.
pub(super) fn read_checked(body: &[u8]) -> Result<Request, Failure> {
    tree::read_body(body, from_members)
}

/// Reads a body that keeps to the contract. What most requests have is taken out of the tree; only
/// what is then left needs a map.
pub(super) fn from_members(mut members: Members<'_>) -> Result<Request, Failure> {
    let model = members.take_string("model")?.unwrap_or_default();
    let mut request = Request::new(ID, model);
    read_system(members.take("system"), &mut request)?;
    let messages = members.take_list("messages")?.unwrap_or_default();
    request.turns.reserve(messages.len());
    for (place, message) in messages.into_iter().enumerate() {
        read_message(message, &mut request.turns)
            .map_err(|failure| within(failure, &format!("messages.{place}")))?;
    }
    let cap = members.take_u64("max_tokens");
    let [temperature, top_p, top_k] =
        ["temperature", "top_p", "top_k"].map(|name| members.take_number(name));
    let stops = members.take_list("stop_sequences");
    let stream = members.take_bool("stream");
    let mut map = members.into_map();
    request.tools = tools::read_all(&mut map, &mut request.extra)?;
    request.tool_choice = tools::read_choice(&mut map, &mut request.extra)?;
    request.max_output = cap?;
    request.sampling.temperature = temperature?;
    request.sampling.top_p = top_p?;
    request.sampling.top_k = top_k?;
    read_stops(stops?, &mut request);
    settings::read(&mut map, &mut request)?;
    read_end_user(&mut map, &mut request)?;
    request.tier = take_string(&mut map, "service_tier")?;
    match stream? {
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

fn read_system(system: Option<Node<'_>>, request: &mut Request) -> Result<(), Failure> {
    match system {
        Some(Node::Text(text)) => {
            request.system = vec![Part::text(text)];
            request.system_shape = ContentShape::Text;
        }
        Some(Node::List(blocks)) => {
            let numbered = blocks.into_iter().enumerate();
            let parts = numbered.map(|(place, block)| {
                read_node(block).map_err(|failure| within(failure, &format!("system.{place}")))
            });
            request.system = parts.collect::<Result<_, _>>()?;
            request.system_shape = ContentShape::Parts;
        }
        _ => {}
    }
    Ok(())
}

fn read_stops(stops: Option<Vec<Node<'_>>>, request: &mut Request) {
    let Some(stops) = stops else {
        return;
    };
    if stops.is_empty() {
        let none = Value::Array(Vec::new());
        request.extra.insert("stop_sequences".to_owned(), none);
    }
    let texts = stops.into_iter().filter_map(|stop| match stop {
        Node::Text(text) => Some(text.into_owned()),
        _ => None,
    });
    request.stop = texts.collect();
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

fn read_message(message: Node<'_>, turns: &mut Vec<Turn>) -> Result<(), Failure> {
    let Node::Object(mut message) = message else {
        return Err(Failure::bad_request("", "A message must be an object."));
    };
    let role = message.take_text("role")?.unwrap_or_default();
    match message.take("content") {
        Some(Node::List(blocks)) => {
            let from = turns.len();
            read_content(blocks, &role, turns)?;
            message.move_to(&mut turns[from].extra);
        }
        Some(Node::Text(text)) => turns.push(Turn {
            shape: ContentShape::Text,
            extra: message.into_map(),
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
fn read_content(blocks: Vec<Node<'_>>, role: &str, turns: &mut Vec<Turn>) -> Result<(), Failure> {
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
        if !is_inner_system(&block) {
            parts.push(read_node(block).map_err(inside)?);
            continue;
        }
        if !parts.is_empty() {
            flush(&mut parts, turns);
        }
        let joined = turns.len() > first;
        turns.push(read_inner_system(block.into_value(), role, joined).map_err(inside)?);
    }
    if !parts.is_empty() || turns.len() == first {
        flush(&mut parts, turns);
    }
    Ok(())
}

fn is_inner_system(block: &Node<'_>) -> bool {
    let Node::Object(block) = block else {
        return false;
    };
    matches!(block.get("type"), Some(Node::Text(kind)) if kind == INNER_SYSTEM)
}

/// Reads one block of a client's.
fn read_node(block: Node<'_>) -> Result<Part, Failure> {
    match only_text(&block) {
        Some(text) => Ok(Part::text(text)),
        None => read_block(block.into_value(), Sender::Client),
    }
}

/// The text of a block that says nothing else, as most do.
fn only_text<'a>(block: &'a Node<'_>) -> Option<&'a str> {
    let Node::Object(block) = block else {
        return None;
    };
    let (Node::Text(kind), Node::Text(text)) = (block.get("type")?, block.get("text")?) else {
        return None;
    };
    let mut names = block.iter().map(|(name, _)| name);
    (kind == "text" && names.all(|name| name == "type" || name == "text")).then_some(text)
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
