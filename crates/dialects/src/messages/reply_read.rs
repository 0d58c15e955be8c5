//! A whole answer, read.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::blocks_read::{Sender, read_block};
use super::usage::Counters;
use super::{ID, finish};
use crate::canonical::{Choice, Extra, Failure, Part, PartKind, Reply};
use crate::mend::mended;
use crate::{error_body, ids, json};

/// Reads an upstream's answer.
pub(super) fn read(body: &[u8]) -> Result<Reply, Failure> {
    match json::read_upstream_object(body) {
        Ok(map) if is_error(&map) => Err(error_body::for_client(error_body::read_error(200, body))),
        Ok(map) => from_map(map),
        Err(failure) => match mended(body) {
            Cow::Owned(mended) => {
                let mut reply = from_map(json::read_upstream_object(&mended)?)?;
                restore_inputs(&mut reply, body);
                Ok(reply)
            }
            Cow::Borrowed(_) => Err(failure),
        },
    }
}

/// Gives calls the model's own text back where the body had to be mended to be read.
fn restore_inputs(reply: &mut Reply, body: &[u8]) {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        content: Vec<Block<'a>>,
    }
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(borrow)]
        input: Option<&'a RawValue>,
    }
    let Ok(body) = serde_json::from_slice::<Body<'_>>(body) else {
        return;
    };
    let parts = reply
        .choices
        .iter_mut()
        .flat_map(|choice| &mut choice.parts);
    for (part, block) in parts.zip(body.content) {
        if let (PartKind::ToolCall(call), Some(input)) = (&mut part.kind, block.input) {
            call.arguments = json::arguments(input.get());
        }
    }
}

fn from_map(mut map: Map<String, Value>) -> Result<Reply, Failure> {
    let id = text(&mut map, "id").unwrap_or_default();
    let model = text(&mut map, "model").unwrap_or_default();
    let parts = read_content(&mut map, &id)?;
    let word = text(&mut map, "stop_reason").unwrap_or_default();
    let sequence = text(&mut map, "stop_sequence");
    let details = json::take(&mut map, "stop_details");
    let mut finish = finish::read(&word, sequence.as_deref(), details);
    finish.settle(parts.iter().any(is_call));
    for (key, expected) in [("type", "message"), ("role", "assistant")] {
        if map.get(key).and_then(Value::as_str) == Some(expected) {
            map.shift_remove(key);
        }
    }
    let mut tier = None;
    let usage = match json::take(&mut map, "usage") {
        Some(Value::Object(mut counts)) => {
            tier = text(&mut counts, "service_tier");
            Some(Counters::take(counts, &mut map).usage())
        }
        _ => None,
    };
    map.retain(|_, value| !value.is_null());
    Ok(Reply {
        source: ID,
        id,
        model,
        created: None,
        choices: vec![Choice {
            index: 0,
            parts,
            finish,
            logprobs: None,
            extra: Extra::new(),
        }],
        usage,
        tier,
        extra: map,
    })
}

/// Whether an error came with a good status.
fn is_error(map: &Map<String, Value>) -> bool {
    let says_so = map.get("type").and_then(Value::as_str) == Some("error");
    let has_error = map.get("error").is_some_and(|error| !error.is_null());
    says_so || has_error
}

fn text(map: &mut Map<String, Value>, key: &str) -> Option<String> {
    match map.get_mut(key) {
        Some(Value::String(text)) => {
            let text = std::mem::take(text);
            map.shift_remove(key);
            Some(text)
        }
        _ => None,
    }
}

fn read_content(map: &mut Map<String, Value>, id: &str) -> Result<Vec<Part>, Failure> {
    let unreadable = || Failure::upstream("The upstream's answer has content that cannot be read.");
    let blocks = match json::take(map, "content") {
        Some(Value::Array(blocks)) => blocks,
        Some(Value::String(text)) => return Ok(vec![Part::text(text)]),
        Some(_) => return Err(unreadable()),
        None => Vec::new(),
    };
    let mut parts = Vec::with_capacity(blocks.len());
    let mut calls = 0;
    for block in blocks {
        let mut part = read_block(block, Sender::Upstream).map_err(|_| unreadable())?;
        if let PartKind::ToolCall(call) = &mut part.kind {
            if call.id.is_empty() {
                call.id = ids::call_id(id, 0, calls);
            }
            calls += 1;
        }
        parts.push(part);
    }
    Ok(parts)
}

fn is_call(part: &Part) -> bool {
    matches!(part.kind, PartKind::ToolCall(_))
}
