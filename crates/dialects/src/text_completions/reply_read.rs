//! Reads a whole legacy answer of a native upstream.

use serde_json::{Map, Value};

use super::logprobs;
use crate::canonical::{Choice, Failure, Part, Reply};
use crate::chat_completions::reply_read::{is_truthy, open_choice, take_created, take_usage};
use crate::chat_completions::{finish, spelling};
use crate::json::{read_upstream_object, take};
use crate::{DialectId, error_body};

/// Reads an answer.
pub(super) fn read(body: &[u8]) -> Result<Reply, Failure> {
    let mut map = read_upstream_object(body)?;
    if map.get("error").is_some_and(is_truthy) {
        return Err(error_body::for_client(error_body::read_error(200, body)));
    }
    let Some(Value::Array(choices)) = take(&mut map, "choices") else {
        return Err(Failure::upstream("The upstream's answer has no `choices`."));
    };
    let mut reply = Reply {
        source: DialectId::TextCompletions,
        id: take_text(&mut map, "id"),
        model: take_text(&mut map, "model"),
        created: take_created(&mut map),
        choices: Vec::with_capacity(choices.len()),
        usage: None,
        tier: None,
        extra: Map::new(),
    };
    for (at, choice) in choices.into_iter().enumerate() {
        reply.choices.push(read_choice(choice, at)?);
    }
    reply.usage = take_usage(&mut map, &mut reply.extra);
    map.shift_remove("object");
    reply.extra.extend(map);
    Ok(reply)
}

/// A text field; another type counts as absent, since nothing depends on it.
fn take_text(map: &mut Map<String, Value>, key: &str) -> String {
    match take(map, key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

fn read_choice(choice: Value, at: usize) -> Result<Choice, Failure> {
    let (mut map, index) = open_choice(choice, at)?;
    let text = take_text(&mut map, "text");
    let word = take_text(&mut map, "finish_reason");
    let mut entries = None;
    if let Some(lists) = take(&mut map, "logprobs") {
        let read = logprobs::read(&lists);
        let written = logprobs::write(&read, &mut 0);
        spelling::keep(&mut map, "logprobs", lists, Some(&written));
        entries = Some(read);
    }
    Ok(Choice {
        index,
        parts: if text.is_empty() {
            Vec::new()
        } else {
            vec![Part::text(text)]
        },
        finish: finish::read(&word),
        logprobs: entries,
        extra: map,
    })
}
