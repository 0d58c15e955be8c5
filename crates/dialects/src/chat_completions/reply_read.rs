//! Reads a whole answer of an upstream.

use serde_json::{Map, Value};

use super::{assistant, finish, spelling, usage};
use crate::canonical::{Choice, ContentShape, Failure, FailureKind, Part, PartKind, Reply, Usage};
use crate::json::{read_upstream_object, take, take_string};
use crate::{DialectId, error_body, ids};

/// Reads an answer.
pub fn read(body: &[u8]) -> Result<Reply, Failure> {
    let mut map = read_upstream_object(body)?;
    if map.get("error").is_some_and(is_truthy) {
        return Err(error_body::for_client(error_body::read_error(200, body)));
    }
    read_object(&mut map).map_err(as_upstream_fault)
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

fn read_object(map: &mut Map<String, Value>) -> Result<Reply, Failure> {
    let Some(Value::Array(choices)) = take(map, "choices") else {
        return Err(Failure::upstream("The upstream's answer has no `choices`."));
    };
    let mut reply = Reply {
        source: DialectId::ChatCompletions,
        id: take_string(map, "id")?.unwrap_or_default(),
        model: take_string(map, "model")?.unwrap_or_default(),
        created: take_created(map),
        choices: Vec::with_capacity(choices.len()),
        usage: None,
        tier: take_string(map, "service_tier")?,
        extra: Map::new(),
    };
    for (at, choice) in choices.into_iter().enumerate() {
        reply.choices.push(read_choice(choice, at, &reply.id)?);
    }
    reply.usage = take_usage(map, &mut reply.extra);
    if map
        .get("object")
        .is_some_and(|object| object == "chat.completion")
    {
        map.shift_remove("object");
    }
    reply.extra.extend(std::mem::take(map));
    Ok(reply)
}

/// The time of an answer; a float, as some vendors send it, loses its fraction.
pub fn take_created(map: &mut Map<String, Value>) -> Option<u64> {
    let value = map.get("created")?;
    let seconds = value.as_u64().or_else(|| {
        let text = value.to_string();
        text.split('.').next()?.parse().ok()
    });
    map.shift_remove("created");
    seconds
}

/// Takes the usage out; where it says more than we hold, the original stays in `extra`.
pub fn take_usage(map: &mut Map<String, Value>, extra: &mut Map<String, Value>) -> Option<Usage> {
    let value = take(map, "usage").filter(Value::is_object)?;
    let read = usage::read(&value);
    spelling::keep(extra, "usage", value, Some(&usage::write(&read, true)));
    Some(read)
}

/// A choice's members, and its index: its place where it does not say it.
pub fn open_choice(choice: Value, at: usize) -> Result<(Map<String, Value>, u32), Failure> {
    let Value::Object(mut map) = choice else {
        let text = "A choice of the upstream's answer is no object.";
        return Err(Failure::upstream(text));
    };
    let said = take(&mut map, "index").and_then(|index| index.as_u64());
    let said = said.and_then(|index| u32::try_from(index).ok());
    let index = said.unwrap_or_else(|| u32::try_from(at).unwrap_or(u32::MAX));
    Ok((map, index))
}

fn read_choice(choice: Value, at: usize, reply_id: &str) -> Result<Choice, Failure> {
    let (mut map, index) = open_choice(choice, at)?;
    let mut message = match take(&mut map, "message") {
        Some(Value::Object(message)) => message,
        _ => Map::new(),
    };
    let (mut parts, shape) = assistant::read(&mut message)?;
    name_calls(&mut parts, reply_id, index);
    let word = match take(&mut map, "finish_reason") {
        Some(Value::String(word)) => word,
        _ => String::new(),
    };
    let mut finish = finish::read(&word);
    finish.settle(
        parts
            .iter()
            .any(|part| matches!(part.kind, PartKind::ToolCall(_))),
    );
    let logprobs = take(&mut map, "logprobs");
    keep_message(message, shape, &parts, &mut map);
    Ok(Choice {
        index,
        parts,
        finish,
        logprobs,
        extra: map,
    })
}

/// Gives an id to each call that has none, or one that an earlier call has.
fn name_calls(parts: &mut [Part], reply_id: &str, choice: u32) {
    let mut seen: Vec<String> = Vec::new();
    for part in parts {
        let PartKind::ToolCall(call) = &mut part.kind else {
            continue;
        };
        if call.id.is_empty() || seen.contains(&call.id) {
            let ordinal = u32::try_from(seen.len()).unwrap_or(u32::MAX);
            call.id = ids::call_id(reply_id, choice, ordinal);
        }
        seen.push(call.id.clone());
    }
}

/// Keeps what the message says beyond its parts, under `message` in the choice's extra.
fn keep_message(
    mut message: Map<String, Value>,
    shape: ContentShape,
    parts: &[Part],
    extra: &mut Map<String, Value>,
) {
    if message.get("role").is_some_and(|role| role == "assistant") {
        message.shift_remove("role");
    }
    message.retain(|_, value| !value.is_null());
    let has_text = parts.iter().any(|part| part.as_text().is_some());
    if shape == ContentShape::Text && !has_text {
        message.insert("content".to_owned(), "".into());
    }
    if !message.is_empty() {
        extra.insert("message".to_owned(), Value::Object(message));
    }
}
