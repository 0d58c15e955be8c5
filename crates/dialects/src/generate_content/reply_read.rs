//! The vendor's whole answer.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::parts_read::{self, Author};
use super::searches::Searches;
use super::usage::UsageMetadata;
use super::{HERE, finish, grounding, logprobs};
use crate::canonical::{Choice, Extra, Failure, Finish, FinishReason, Part, PartKind, Reply};
use crate::{error_body, ids, json};

/// Reads an answer.
pub(super) fn read(mut map: Map<String, Value>) -> Result<Reply, Failure> {
    let tells_nothing = !map.contains_key("candidates") && !map.contains_key("promptFeedback");
    if map.contains_key("error") || (tells_nothing && map.contains_key("message")) {
        let body = json::text(&Value::Object(map));
        let failure = error_body::read_error(200, body.as_bytes());
        return Err(error_body::for_client(failure));
    }
    let id = take_text(&mut map, "responseId");
    let model = take_text(&mut map, "modelVersion");
    let candidates = match json::take(&mut map, "candidates") {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    let mut searches = Searches::default();
    for candidate in &candidates {
        searches.note(candidate.get("groundingMetadata").unwrap_or(&Value::Null));
    }
    let mut choices: Vec<Choice> = (0..)
        .zip(candidates)
        .map(|(index, candidate)| read_candidate(candidate, index, &id))
        .collect();
    if choices.is_empty() {
        choices.push(
            blocked(&map)
                .ok_or_else(|| Failure::upstream("The upstream's answer holds no candidate."))?,
        );
    }
    // The counts are read here and kept for the same dialect, which has more of them.
    let usage = map
        .get("usageMetadata")
        .and_then(|usage| UsageMetadata::deserialize(usage).ok());
    let usage = usage.map(|usage| {
        let mut counts = usage.read();
        searches.tell(&model, &mut counts);
        counts
    });
    let tier = map
        .get("usageMetadata")
        .and_then(|usage| usage.get("serviceTier"));
    let tier = tier.and_then(Value::as_str).map(str::to_owned);
    Ok(Reply {
        source: HERE,
        id,
        model,
        created: None,
        choices,
        usage,
        tier,
        extra: map,
    })
}

fn read_candidate(candidate: Value, place: u32, reply_id: &str) -> Choice {
    let Value::Object(mut map) = candidate else {
        return empty(place);
    };
    let index = map.shift_remove("index").and_then(|i| i.as_u64());
    let index = index.and_then(|i| u32::try_from(i).ok()).unwrap_or(place);
    let mut parts = Value::Null;
    if let Some(Value::Object(content)) = map.get_mut("content") {
        // What is left of the content stays with the candidate, for the same dialect.
        parts = content.shift_remove("parts").unwrap_or(Value::Null);
    }
    let mut parts = parts_read::read_all(parts, Author::Upstream);
    name_calls(&mut parts, reply_id, index);
    note_sources(&mut parts, &map);
    let mut ending = match map.shift_remove("finishReason") {
        Some(Value::String(word)) => finish::read(&word),
        _ => Finish::new(FinishReason::Other, ""),
    };
    ending.settle(
        parts
            .iter()
            .any(|part| matches!(part.kind, PartKind::ToolCall(_))),
    );
    let logprobs = map.get("logprobsResult").and_then(logprobs::read);
    Choice {
        index,
        parts,
        finish: ending,
        logprobs,
        extra: map,
    }
}

fn empty(index: u32) -> Choice {
    let finish = Finish::new(FinishReason::Other, "");
    Choice {
        index,
        parts: Vec::new(),
        finish,
        logprobs: None,
        extra: Extra::new(),
    }
}

/// A prompt that was blocked is an answer too: nothing, for that reason.
fn blocked(map: &Map<String, Value>) -> Option<Choice> {
    let reason = map.get("promptFeedback")?.get("blockReason")?.as_str()?;
    Some(Choice {
        finish: Finish::new(FinishReason::Filter, reason),
        ..empty(0)
    })
}

/// Older models give their calls no ids.
fn name_calls(parts: &mut [Part], reply_id: &str, choice: u32) {
    let calls = parts.iter_mut().filter_map(|part| match &mut part.kind {
        PartKind::ToolCall(call) => Some(call),
        _ => None,
    });
    for (ordinal, call) in (0..).zip(calls) {
        if call.id.is_empty() {
            call.id = ids::call_id(reply_id, choice, ordinal);
        }
    }
}

/// Gives each citation to the text that it belongs to.
fn note_sources(parts: &mut [Part], candidate: &Map<String, Value>) {
    let mut words = grounding::Words::default();
    for (number, part) in (0..).zip(parts.iter()) {
        if let PartKind::Text { text, .. } = &part.kind {
            words.begin(number);
            words.push(text);
        }
    }
    for (number, note) in grounding::read(candidate, &words) {
        if let Some(PartKind::Text { annotations, .. }) =
            parts.get_mut(number as usize).map(|part| &mut part.kind)
        {
            annotations.push(note);
        }
    }
}

fn take_text(map: &mut Map<String, Value>, key: &str) -> String {
    match map.shift_remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}
