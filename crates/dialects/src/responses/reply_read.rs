//! Reads a whole answer: the output items, in order, are the parts of the one choice.

use serde_json::{Map, Value, json};

use super::hosted_items::HostedItems;
use super::item_read::{Place, Sender, read_item};
use super::{ITEM, error, usage};
use crate::canonical::{
    Choice, ContentShape, Extra, Failure, Finish, FinishReason, MediaClass, Part, PartKind, Reply,
    Turn, Usage,
};
use crate::{DialectId, error_body, json};

/// Reads an answer's body. An answer that says it failed is a failure.
pub(super) fn read_reply(body: &[u8]) -> Result<Reply, Failure> {
    let mut map = json::read_upstream_object(body)?;
    if let Some(failure) = error::failed_reply(&map) {
        return Err(failure);
    }
    let Some(Value::Array(output)) = json::take(&mut map, "output") else {
        return Err(Failure::upstream("The upstream's answer has no `output`."));
    };
    let mut parts = Vec::new();
    for (index, item) in output.into_iter().enumerate() {
        let place = Place {
            list: "output",
            index,
        };
        let turn =
            read_item(item, Sender::Upstream, place).map_err(|failure| unreadable(&failure))?;
        gather(turn, &mut parts);
    }
    let finish = finish_of(&map, &parts);
    let usage = read_usage(&map, &parts);
    let choice = Choice {
        index: 0,
        logprobs: logprobs_of(&parts),
        parts,
        finish,
        extra: Extra::new(),
    };
    Ok(Reply {
        source: DialectId::Responses,
        id: take_text(&mut map, "id"),
        model: take_text(&mut map, "model"),
        created: take_created(&mut map),
        choices: vec![choice],
        usage,
        tier: json::take_string(&mut map, "service_tier").ok().flatten(),
        extra: map,
    })
}

/// Returns the failure of an answer with an item that cannot be read. The reason may repeat words of the upstream.
fn unreadable(reason: &Failure) -> Failure {
    Failure {
        upstream_text: Some(error_body::mask(&reason.message).into()),
        ..Failure::upstream("The upstream's answer has an item that cannot be read.")
    }
}

fn take_text(map: &mut Map<String, Value>, key: &str) -> String {
    match map.shift_remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Seconds; some upstreams write them with a fraction, which then stays in `map`.
fn take_created(map: &mut Map<String, Value>) -> Option<u64> {
    let given = map.get("created_at")?;
    if let Some(seconds) = given.as_u64() {
        map.shift_remove("created_at");
        return Some(seconds);
    }
    whole_seconds(given.as_f64()?)
}

/// The whole seconds of a time with a fraction.
pub(super) fn whole_seconds(seconds: f64) -> Option<u64> {
    format!("{:.0}", seconds.floor()).parse().ok()
}

/// An item's parts, the first of them with the item's own fields.
fn gather(turn: Turn, parts: &mut Vec<Part>) {
    let mut fields = turn.extra;
    let mut turn_parts = turn.parts;
    if turn_parts.is_empty() {
        // A message without content still stands for its place.
        let content = match turn.shape {
            ContentShape::Parts | ContentShape::Text => json!([]),
            ContentShape::Null | ContentShape::Absent => Value::Null,
        };
        fields.insert("content".to_owned(), content);
        turn_parts.push(Part::text(""));
    }
    let mut mark = Some(Value::Object(fields));
    for mut part in turn_parts {
        if let Some(mark) = mark.take() {
            part.extra.insert(ITEM.to_owned(), mark);
        }
        parts.push(part);
    }
}

/// How an answer with these fields and parts ended.
fn finish_of(map: &Map<String, Value>, parts: &[Part]) -> Finish {
    let status = map.get("status").and_then(Value::as_str);
    let details = map.get("incomplete_details");
    let reason = details
        .and_then(|details| details.get("reason"))
        .and_then(Value::as_str);
    let calls = parts
        .iter()
        .any(|part| matches!(part.kind, PartKind::ToolCall(_)));
    let refuses = parts
        .iter()
        .any(|part| matches!(part.kind, PartKind::Refusal(_)));
    settled_finish(status.unwrap_or("completed"), reason, calls, refuses)
}

/// The finish by the answer's status, settled against what was generated.
pub(super) fn settled_finish(
    status: &str,
    reason: Option<&str>,
    calls: bool,
    refuses: bool,
) -> Finish {
    let mut finish = match (status, reason) {
        ("completed", _) if refuses && !calls => Finish::new(FinishReason::Refusal, status),
        ("completed", _) => Finish::new(FinishReason::Stop, status),
        ("incomplete", Some("content_filter")) => {
            Finish::new(FinishReason::Filter, "content_filter")
        }
        ("incomplete", reason) => Finish::new(FinishReason::Length, reason.unwrap_or(status)),
        (other, _) => Finish::new(FinishReason::Other, other),
    };
    finish.settle(calls);
    finish
}

/// What was used. The object itself stays in `extra`, to be written again as it came.
fn read_usage(map: &Map<String, Value>, parts: &[Part]) -> Option<Usage> {
    let mut counts = usage::read(map.get("usage")?.as_object()?);
    hosted_items(parts).tell(&mut counts);
    Some(counts)
}

fn hosted_items(parts: &[Part]) -> HostedItems {
    let mut items = HostedItems::default();
    for part in parts {
        match &part.kind {
            PartKind::Hosted(item) => {
                let kind = item.raw.get("type").and_then(Value::as_str);
                items.note(kind.unwrap_or_default());
            }
            // A picture is part of an answer's content only where a tool has drawn it.
            PartKind::Media(media) if media.class == MediaClass::Image => {
                items.note("image_generation_call");
            }
            _ => {}
        }
    }
    items
}

/// The log probabilities of all texts, in the words of chat completions.
fn logprobs_of(parts: &[Part]) -> Option<Value> {
    let lists = parts
        .iter()
        .filter_map(|part| part.extra.get("logprobs")?.as_array());
    let entries: Vec<Value> = lists.flatten().cloned().collect();
    (!entries.is_empty()).then(|| json!({"content": entries}))
}
