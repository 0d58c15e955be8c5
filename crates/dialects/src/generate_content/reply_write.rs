//! A whole answer for a client.

use serde_json::{Map, Value, json};

use super::parts_write::{self, Reader};
use super::{HERE, finish, grounding, logprobs, usage};
use crate::canonical::{Annotation, Choice, Part, PartKind, Reply, ThinkingForm};
use crate::{ReplyContext, Signature, Written, ids, json};

/// Writes an answer.
pub(super) fn write(reply: &Reply, context: &ReplyContext) -> Written {
    let native = reply.source == HERE;
    let mut dropped = Vec::new();
    let blocked = native && reply.extra.contains_key("promptFeedback");
    let mut out = Map::new();
    if !(blocked && reply.choices.iter().all(|choice| choice.parts.is_empty())) {
        let candidates = reply.choices.iter().map(|choice| {
            let parts = if native {
                write_own(choice, &reply.id)
            } else {
                write_foreign(&choice.parts, context.show_reasoning, &mut dropped)
            };
            write_choice(choice, parts, native)
        });
        out.insert("candidates".to_owned(), Value::Array(candidates.collect()));
    }
    if native {
        out.extend(reply.extra.clone());
    }
    // A whole answer keeps its own counts; one that was gathered from a stream has none.
    if let (Some(usage), false) = (&reply.usage, out.contains_key("usageMetadata")) {
        out.insert("usageMetadata".to_owned(), usage::write(usage));
    }
    let or = |own: &str, other: &str| json!(if own.is_empty() { other } else { own });
    out.insert("modelVersion".to_owned(), or(&reply.model, &context.model));
    out.insert("responseId".to_owned(), or(&reply.id, &context.id));
    let mut body = Vec::new();
    json::write(&mut body, &Value::Object(out));
    Written { body, dropped }
}

fn write_choice(choice: &Choice, parts: Vec<Value>, native: bool) -> Value {
    let mut out = Map::new();
    let own = choice.extra.get("content").filter(|_| native);
    if own.is_some() || !parts.is_empty() {
        let mut content = own.cloned().unwrap_or_else(|| json!({"role": "model"}));
        if !parts.is_empty() {
            content["parts"] = Value::Array(parts);
        }
        out.insert("content".to_owned(), content);
    }
    out.insert(
        "finishReason".to_owned(),
        json!(finish::word(&choice.finish, native)),
    );
    out.insert("index".to_owned(), json!(choice.index));
    if native {
        let own = choice.extra.iter().filter(|(key, _)| *key != "content");
        out.extend(own.map(|(key, value)| (key.clone(), value.clone())));
    }
    let has_sources = out.contains_key("groundingMetadata") || out.contains_key("citationMetadata");
    if let (Some(metadata), false) = (sources(&choice.parts), has_sources) {
        out.insert("groundingMetadata".to_owned(), metadata);
    }
    if let Some(result) = choice.logprobs.as_ref().and_then(logprobs::write) {
        out.entry("logprobsResult").or_insert(result);
    }
    Value::Object(out)
}

/// Parts as the vendor gave them: ids that were made up for its calls are left out again.
fn write_own(choice: &Choice, reply_id: &str) -> Vec<Value> {
    let mut ordinal = 0;
    let own = choice.parts.iter().map(|part| {
        let mut part = part.clone();
        if let PartKind::ToolCall(call) = &mut part.kind {
            if call.id == ids::call_id(reply_id, choice.index, ordinal) {
                call.id.clear();
            }
            ordinal += 1;
        }
        part
    });
    own.filter_map(|part| parts_write::write(&part, Reader::Client, true))
        .collect()
}

/// Parts of another dialect. A thought's signature moves to the part after it: here calls and texts
/// carry it, and a client sends back only those.
fn write_foreign(parts: &[Part], show_reasoning: bool, dropped: &mut Vec<String>) -> Vec<Value> {
    let mut out = Vec::new();
    let mut carried: Option<&Signature> = None;
    for part in parts {
        match &part.kind {
            PartKind::Thinking(thinking) => {
                let is_redacted = thinking.form == ThinkingForm::Redacted;
                let signature = part.signature.as_ref();
                carried = signature.filter(|s| s.travels(thinking.form)).or(carried);
                if show_reasoning && !is_redacted && !thinking.text.is_empty() {
                    out.push(json!({"text": thinking.text, "thought": true}));
                }
            }
            PartKind::Hosted(hosted) => {
                let kind = hosted.raw.get("type").and_then(Value::as_str);
                dropped.push(kind.unwrap_or("hosted_tool_part").to_owned());
            }
            _ => {
                let mut part = part.clone();
                if part.signature.is_none() {
                    part.signature = carried.take().cloned();
                }
                out.extend(parts_write::write(&part, Reader::Client, false));
            }
        }
    }
    if let Some(signature) = carried {
        out.push(json!({"text": "", "thoughtSignature": signature.for_client(HERE)}));
    }
    if out.is_empty() {
        out.push(json!({"text": ""}));
    }
    out
}

/// Citations over the joined text of the answer.
fn sources(parts: &[Part]) -> Option<Value> {
    let mut words = grounding::Words::default();
    let mut notes: Vec<(u32, Annotation)> = Vec::new();
    for (number, part) in (0..).zip(parts) {
        match &part.kind {
            PartKind::Text { text, annotations } => {
                words.begin(number);
                words.push(text);
                notes.extend(annotations.iter().map(|note| (number, note.clone())));
            }
            // A refusal is told as text.
            PartKind::Refusal(text) => {
                words.begin(number);
                words.push(text);
            }
            _ => {}
        }
    }
    grounding::write(&notes, &words)
}
