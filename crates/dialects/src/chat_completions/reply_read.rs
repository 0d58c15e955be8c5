//! Reads a whole answer of an upstream.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{assistant, finish, reply_plain, usage};
use crate::canonical::{Choice, ContentShape, Failure, FailureKind, Part, PartKind, Reply, Usage};
use crate::tree::{self, Members, Node};
use crate::{DialectId, error_body, ids};

/// Reads an answer.
pub fn read(body: &[u8]) -> Result<Reply, Failure> {
    reply_plain::read(body).map_or_else(|| read_in_full(body), Ok)
}

/// The same, whatever is in it.
pub(super) fn read_in_full(body: &[u8]) -> Result<Reply, Failure> {
    tree::read_answer(body, |members| {
        if has_error(&members) {
            return Err(error_body::for_client(error_body::read_error(200, body)));
        }
        read_members(members, body).map_err(as_upstream_fault)
    })
}

/// Whether an answer is an error whatever its status says.
pub(crate) fn has_error(members: &Members<'_>) -> bool {
    let error = members.get("error").cloned();
    error.is_some_and(|error| is_truthy(&error.into_value()))
}

/// An `error` member that says something.
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => true,
    }
}

/// Whatever is wrong with an upstream's answer is the upstream's fault, not the client's.
fn as_upstream_fault(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::BadRequest => {
            let place = failure.param.unwrap_or_default();
            Failure::upstream(format!(
                "The upstream's answer cannot be read at `{place}`."
            ))
        }
        _ => failure,
    }
}

fn read_members(mut members: Members<'_>, body: &[u8]) -> Result<Reply, Failure> {
    let choices = take_choices(&mut members, body)?;
    let mut reply = Reply {
        source: DialectId::ChatCompletions,
        id: members.take_string("id")?.unwrap_or_default(),
        model: members.take_string("model")?.unwrap_or_default(),
        created: take_created(&mut members),
        choices: Vec::with_capacity(choices.len()),
        usage: None,
        tier: members.take_string("service_tier")?,
        extra: Map::new(),
    };
    for (at, choice) in choices.into_iter().enumerate() {
        reply.choices.push(read_choice(choice, at, &reply.id)?);
    }
    reply.usage = take_usage(&mut members, &mut reply.extra);
    if matches!(members.get("object"), Some(Node::Text(object)) if object == "chat.completion") {
        members.take("object");
    }
    members.move_to(&mut reply.extra);
    Ok(reply)
}

/// Takes the choices of an answer. An answer without a choice is a failure.
pub(crate) fn take_choices<'a>(
    members: &mut Members<'a>,
    body: &[u8],
) -> Result<Vec<Node<'a>>, Failure> {
    match members.take("choices") {
        Some(Node::List(choices)) if !choices.is_empty() => Ok(choices),
        _ => Err(error_body::unusable(
            "The upstream's answer has no `choices`.",
            body,
        )),
    }
}

/// The time of an answer; a float, as some vendors send it, loses its fraction.
pub(crate) fn take_created(members: &mut Members<'_>) -> Option<u64> {
    match members.take("created")? {
        Node::Number(text) => text.split('.').next()?.parse().ok(),
        _ => None,
    }
}

/// Takes the usage out; where it says more than we hold, the original stays in `extra`.
pub(crate) fn take_usage(
    members: &mut Members<'_>,
    extra: &mut Map<String, Value>,
) -> Option<Usage> {
    let Some(Node::Object(original)) = members.take("usage") else {
        return None;
    };
    let read = usage::read(&original);
    if !usage::is_all_of(&read, &original) {
        extra.insert("usage".to_owned(), Value::Object(original.into_map()));
    }
    Some(read)
}

/// A choice's members, and its index: its place where it does not say it.
pub(crate) fn open_choice(choice: Node<'_>, at: usize) -> Result<(Members<'_>, u32), Failure> {
    let Node::Object(mut members) = choice else {
        let text = "A choice of the upstream's answer is no object.";
        return Err(Failure::upstream(text));
    };
    let said = members.take("index").and_then(|index| index.as_u64());
    let said = said.and_then(|index| u32::try_from(index).ok());
    let index = said.unwrap_or_else(|| u32::try_from(at).unwrap_or(u32::MAX));
    Ok((members, index))
}

fn read_choice(choice: Node<'_>, at: usize, reply_id: &str) -> Result<Choice, Failure> {
    let (mut members, index) = open_choice(choice, at)?;
    let message = match members.take("message") {
        Some(Node::Object(message)) => message,
        _ => Members::default(),
    };
    let (mut parts, kept) = read_message(message)?;
    name_calls(&mut parts, reply_id, index);
    let error = members.take("error").map(Node::into_value);
    let error = error.filter(is_truthy);
    let is_failure =
        matches!(members.get("finish_reason"), Some(Node::Text(word)) if finish::is_failure(word));
    if is_failure || error.is_some() {
        return Err(finish::failure(error.as_ref()));
    }
    let mut finish = match members.take("finish_reason") {
        Some(Node::Text(word)) => finish::read(&word),
        _ => finish::read(""),
    };
    let has_call = parts
        .iter()
        .any(|part| matches!(part.kind, PartKind::ToolCall(_)));
    finish::settle(&mut finish, has_call, refuses(&parts));
    let logprobs = members.take("logprobs").map(Node::into_value);
    let mut extra = members.into_map();
    if !kept.is_empty() {
        extra.insert("message".to_owned(), Value::Object(kept));
    }
    Ok(Choice {
        index,
        parts,
        finish,
        logprobs,
        extra,
    })
}

/// Whether there are words of refusal in the place of an answer.
fn refuses(parts: &[Part]) -> bool {
    let is_refusal =
        |part: &Part| matches!(&part.kind, PartKind::Refusal(text) if !text.is_empty());
    parts.iter().any(is_refusal) && parts.iter().all(|part| part.as_text().is_none())
}

/// The parts of a message, and what it says beyond them.
fn read_message(message: Members<'_>) -> Result<(Vec<Part>, Map<String, Value>), Failure> {
    if let Some(words) = only_words(&message) {
        return Ok((vec![Part::text(words)], Map::new()));
    }
    let mut message = message.into_map();
    let (parts, shape) = assistant::read(&mut message)?;
    keep_message(&mut message, shape, &parts);
    Ok((parts, message))
}

/// The words of a message that says nothing else, as most do.
fn only_words<'a>(message: &'a Members<'_>) -> Option<&'a str> {
    let Some(Node::Text(words)) = message.get("content") else {
        return None;
    };
    let is_usual = message.iter().all(|(name, node)| match node {
        Node::Null => true,
        Node::Text(text) => name == "content" || name == "role" && text == "assistant",
        _ => false,
    });
    (is_usual && !words.is_empty()).then_some(words)
}

/// Gives an id to each call that has none, or one that an earlier call has.
fn name_calls(parts: &mut [Part], reply_id: &str, choice: u32) {
    let mut seen = HashSet::new();
    let mut ordinal = 0;
    for part in parts {
        let PartKind::ToolCall(call) = &mut part.kind else {
            continue;
        };
        if call.id.is_empty() || seen.contains(&call.id) {
            call.id = ids::call_id(reply_id, choice, ordinal);
        }
        seen.insert(call.id.clone());
        ordinal += 1;
    }
}

/// Leaves in the message what it says beyond its parts.
fn keep_message(message: &mut Map<String, Value>, shape: ContentShape, parts: &[Part]) {
    if message.get("role").is_some_and(|role| role == "assistant") {
        message.shift_remove("role");
    }
    message.retain(|_, value| !value.is_null());
    let has_text = parts.iter().any(|part| part.as_text().is_some());
    if shape == ContentShape::Text && !has_text {
        message.insert("content".to_owned(), "".into());
    }
}
