//! Writes a whole legacy answer for a client: text, and nothing else that a model may say.

use serde_json::{Map, Value};

use super::logprobs;
use crate::canonical::{Choice, Finish, FinishReason, PartKind, Reply};
use crate::chat_completions::{finish, reply_write, spelling};
use crate::dialect::name_once;
use crate::{DialectId, ReplyContext, Written, json};

const ID: DialectId = DialectId::TextCompletions;

/// Writes an answer.
pub(super) fn write(reply: &Reply, context: &ReplyContext) -> Written {
    let same = reply.source == ID;
    let mut dropped = Vec::new();
    let mut body = reply_write::head(reply, context, "text_completion", "cmpl-", same);
    let choices: Vec<Value> = reply
        .choices
        .iter()
        .map(|choice| write_choice(choice, same, context, &mut dropped))
        .collect();
    body.insert("choices".to_owned(), Value::Array(choices));
    if let Some(usage) = reply_write::write_usage(reply, same) {
        body.insert("usage".to_owned(), usage);
    }
    if same {
        spelling::add_extra(&mut body, &reply.extra);
    }
    Written {
        body: json::bytes(&body),
        dropped,
    }
}

fn write_choice(
    choice: &Choice,
    same: bool,
    context: &ReplyContext,
    dropped: &mut Vec<String>,
) -> Value {
    let echoed = context.echoed_prompt.as_deref().unwrap_or_default();
    let (text, has_refusal) = text(choice, echoed, dropped);
    let mut map = Map::new();
    map.insert("text".to_owned(), text.into());
    map.insert("index".to_owned(), choice.index.into());
    map.insert("logprobs".to_owned(), write_logprobs(choice, same, echoed));
    let word = match (same, choice.finish.raw.as_str()) {
        (true, raw) if !raw.is_empty() => raw,
        _ => finish_word(&choice.finish, has_refusal),
    };
    map.insert("finish_reason".to_owned(), word.into());
    if same {
        spelling::add_extra(&mut map, &choice.extra);
    }
    Value::Object(map)
}

/// The word for a finish: tools do not exist here, and a refusal is a filter.
pub(super) fn finish_word(finish: &Finish, has_refusal: bool) -> &'static str {
    match finish::word(&finish.reason) {
        _ if has_refusal => finish::word(&FinishReason::Filter),
        "tool_calls" => "stop",
        word => word,
    }
}

/// The text of a choice, and whether it is a refusal. Reasoning has no place here.
fn text(choice: &Choice, echoed: &str, dropped: &mut Vec<String>) -> (String, bool) {
    let mut text = echoed.to_owned();
    let mut has_refusal = false;
    for part in &choice.parts {
        let name = match &part.kind {
            PartKind::Text { text: words, .. } => {
                text.push_str(words);
                continue;
            }
            PartKind::Refusal(words) => {
                text.push_str(words);
                has_refusal = true;
                continue;
            }
            PartKind::Thinking(_) | PartKind::ToolResult(_) => continue,
            PartKind::ToolCall(_) => "tool_calls",
            PartKind::Media(media) => media.class.name(),
            PartKind::Hosted(hosted) => reply_write::hosted_name(hosted),
        };
        name_once(dropped, name);
    }
    if !has_refusal && let Some(words) = finish::explanation(&choice.finish) {
        text.push_str(words);
        has_refusal = true;
    }
    (text, has_refusal)
}

fn write_logprobs(choice: &Choice, same: bool, echoed: &str) -> Value {
    let Some(entries) = &choice.logprobs else {
        return Value::Null;
    };
    let original = same
        .then(|| {
            spelling::original(&choice.extra, "logprobs", entries, |lists| {
                Some(logprobs::read(lists))
            })
        })
        .flatten();
    original.unwrap_or_else(|| {
        let mut offset = echoed.chars().count() as u64;
        logprobs::write(entries, &mut offset)
    })
}
