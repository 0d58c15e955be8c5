//! What a streamed answer says, read the way a client reads it: a stream that breaks its dialect's
//! own rules is no answer.

use std::collections::BTreeMap;

use dialects::DialectId;
use serde_json::{Value, json};

use super::json::{arguments, list, string};
use super::reply::{
    ReplyMeaning, chat_finish, chat_usage, generate, messages_finish, messages_usage, responses,
};

/// Reads a stream's events, or says which rule they break.
pub fn stream(dialect: DialectId, events: &[Value]) -> Result<ReplyMeaning, String> {
    match dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions => chat(events),
        DialectId::Messages => messages(events),
        DialectId::GenerateContent => generated(events),
        DialectId::Responses => responded(events),
    }
}

fn no_error(event: &Value) -> Result<(), String> {
    match event.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(format!("error in stream: {error}")),
        None => Ok(()),
    }
}

fn chat(events: &[Value]) -> Result<ReplyMeaning, String> {
    let mut meaning = ReplyMeaning::default();
    let mut calls: BTreeMap<u64, (String, String)> = BTreeMap::new();
    for event in events {
        no_error(event)?;
        chat_usage(&mut meaning, &event["usage"]);
        for choice in list(&event["choices"]) {
            if choice["index"].as_u64().unwrap_or(0) != 0 {
                continue;
            }
            let delta = &choice["delta"];
            meaning.text += &(string(delta.get("content")) + &string(delta.get("refusal")));
            for call in list(&delta["tool_calls"]) {
                let index = call["index"].as_u64().ok_or("a call without an index")?;
                let slot = calls.entry(index).or_default();
                let body = call.get("function").unwrap_or(&call["custom"]);
                slot.0 += &string(body.get("name"));
                slot.1 += &(string(body.get("arguments")) + &string(body.get("input")));
            }
            meaning.finish = chat_finish(&choice["finish_reason"]).or(meaning.finish);
        }
    }
    let whole = |(name, given): (String, String)| {
        let given = if given.is_empty() {
            "{}".to_owned()
        } else {
            given
        };
        (name, arguments(&Value::String(given)))
    };
    meaning.calls = calls.into_values().map(whole).collect();
    Ok(meaning)
}

fn messages(events: &[Value]) -> Result<ReplyMeaning, String> {
    let mut meaning = ReplyMeaning::default();
    let mut blocks: Vec<(&Value, String)> = Vec::new();
    let (mut open, mut has_stop) = (None, false);
    if events
        .first()
        .is_none_or(|event| event["type"] != "message_start")
    {
        return Err("does not begin with message_start".to_owned());
    }
    for event in events {
        let index = event["index"].as_u64();
        match event["type"].as_str().unwrap_or_default() {
            "error" => return Err(format!("error in stream: {event}")),
            "message_start" => messages_usage(&mut meaning, &event["message"]["usage"]),
            "content_block_start" => {
                if open.is_some() || index != Some(blocks.len() as u64) {
                    return Err(format!("block {index:?} opened out of order"));
                }
                open = index;
                blocks.push((&event["content_block"], String::new()));
            }
            "content_block_delta" | "content_block_stop" if index != open || open.is_none() => {
                return Err("a block is spoken to that is not open".to_owned());
            }
            "content_block_delta" => {
                let delta = &event["delta"];
                meaning.text += &string(delta.get("text"));
                let block = blocks.last_mut().ok_or("no block")?;
                block.1 += &string(delta.get("partial_json"));
            }
            "content_block_stop" => open = None,
            "message_delta" => {
                let finish = messages_finish(&event["delta"]["stop_reason"]);
                meaning.finish = finish.or(meaning.finish);
                messages_usage(&mut meaning, &event["usage"]);
            }
            "message_stop" => has_stop = true,
            _ => {}
        }
    }
    if !has_stop {
        return Err("no message_stop".to_owned());
    }
    for (block, pieces) in blocks {
        if block["type"] == "tool_use" {
            let given = if pieces.is_empty() {
                block.get("input").cloned().unwrap_or_else(|| json!({}))
            } else {
                Value::String(pieces)
            };
            meaning
                .calls
                .push((string(block.get("name")), arguments(&given)));
        }
    }
    Ok(meaning)
}

fn generated(events: &[Value]) -> Result<ReplyMeaning, String> {
    let mut meaning = ReplyMeaning::default();
    for event in events {
        no_error(event)?;
        generate(&mut meaning, event);
    }
    if meaning.finish == Some("stop") && !meaning.calls.is_empty() {
        meaning.finish = Some("tool");
    }
    Ok(meaning)
}

fn responded(events: &[Value]) -> Result<ReplyMeaning, String> {
    let (mut last, mut text, mut number) = (None, String::new(), None);
    if events
        .first()
        .is_none_or(|event| event["type"] != "response.created")
    {
        return Err("does not begin with response.created".to_owned());
    }
    for event in events {
        let this = event["sequence_number"].as_u64();
        if this.is_some() && this <= number {
            return Err("sequence_number does not grow".to_owned());
        }
        number = this.or(number);
        match event["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" | "response.refusal.delta" => {
                text += event["delta"].as_str().unwrap_or_default();
            }
            "response.completed" | "response.incomplete" => last = Some(&event["response"]),
            "error" | "response.failed" => return Err(format!("error in stream: {event}")),
            _ => {}
        }
    }
    let mut meaning = ReplyMeaning::default();
    responses(&mut meaning, last.ok_or("no response.completed")?);
    if meaning.text != text {
        return Err("the pieces do not add up to the final text".to_owned());
    }
    Ok(meaning)
}
