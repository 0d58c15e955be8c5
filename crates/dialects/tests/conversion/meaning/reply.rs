//! What an answer says.

use dialects::DialectId;
use serde_json::{Value, json};

use super::json::{arguments, list, pick, string};
use super::request::chat_call;

/// What an answer says.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ReplyMeaning {
    pub text: String,
    pub calls: Vec<(String, String)>,
    /// `stop`, `length`, `tool` or `filter`.
    pub finish: Option<&'static str>,
    pub input: Option<u64>,
    pub output: Option<u64>,
    pub cached: Option<u64>,
}

/// Reads a whole answer; `None` where it has not the form of one.
pub fn reply(dialect: DialectId, body: &Value) -> Option<ReplyMeaning> {
    let mut meaning = ReplyMeaning::default();
    match dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions => chat(&mut meaning, body)?,
        DialectId::Messages => messages(&mut meaning, body)?,
        DialectId::GenerateContent => generate(&mut meaning, body),
        DialectId::Responses => responses(&mut meaning, body),
    }
    Some(meaning)
}

fn chat(meaning: &mut ReplyMeaning, body: &Value) -> Option<()> {
    let choice = body["choices"].get(0)?;
    let message = &choice["message"];
    meaning.text = string(message.get("content")) + &string(message.get("refusal"));
    meaning.calls = list(&message["tool_calls"]).iter().map(chat_call).collect();
    meaning.finish = chat_finish(&choice["finish_reason"]);
    chat_usage(meaning, &body["usage"]);
    Some(())
}

pub fn chat_finish(word: &Value) -> Option<&'static str> {
    match word.as_str()? {
        "stop" => Some("stop"),
        "length" => Some("length"),
        "tool_calls" | "function_call" => Some("tool"),
        "content_filter" => Some("filter"),
        _ => None,
    }
}

pub fn chat_usage(meaning: &mut ReplyMeaning, usage: &Value) {
    if usage.is_object() {
        meaning.input = usage["prompt_tokens"].as_u64();
        meaning.output = usage["completion_tokens"].as_u64();
        let cached = &usage["prompt_tokens_details"]["cached_tokens"];
        meaning.cached = Some(cached.as_u64().unwrap_or(0));
    }
}

fn messages(meaning: &mut ReplyMeaning, body: &Value) -> Option<()> {
    for block in body["content"].as_array()? {
        match block["type"].as_str().unwrap_or_default() {
            "text" => meaning.text += block["text"].as_str().unwrap_or_default(),
            "tool_use" => {
                let call = (string(block.get("name")), arguments(&block["input"]));
                meaning.calls.push(call);
            }
            _ => {}
        }
    }
    meaning.finish = messages_finish(&body["stop_reason"]);
    messages_usage(meaning, &body["usage"]);
    Some(())
}

pub fn messages_finish(word: &Value) -> Option<&'static str> {
    match word.as_str()? {
        "end_turn" | "stop_sequence" | "pause_turn" => Some("stop"),
        "max_tokens" | "model_context_window_exceeded" => Some("length"),
        "tool_use" => Some("tool"),
        "refusal" => Some("filter"),
        _ => None,
    }
}

pub fn messages_usage(meaning: &mut ReplyMeaning, usage: &Value) {
    if !usage.is_object() {
        return;
    }
    let read = usage["cache_read_input_tokens"].as_u64().unwrap_or(0);
    let made = usage["cache_creation_input_tokens"].as_u64().unwrap_or(0);
    if let Some(rest) = usage["input_tokens"].as_u64() {
        meaning.input = Some(rest + read + made);
    }
    meaning.output = usage["output_tokens"].as_u64().or(meaning.output);
    meaning.cached = Some(read);
}

/// Reads a whole answer of generate content, or one piece of a stream.
pub fn generate(meaning: &mut ReplyMeaning, body: &Value) {
    if let Some(candidate) = body["candidates"].get(0) {
        for part in list(&candidate["content"]["parts"]) {
            if part["thought"] == true {
                continue;
            }
            if let Some(text) = part["text"].as_str() {
                meaning.text += text;
            } else if let Some(call) = part.get("functionCall") {
                let given = if call["args"].is_null() {
                    &json!({})
                } else {
                    &call["args"]
                };
                meaning
                    .calls
                    .push((string(call.get("name")), arguments(given)));
            }
        }
        if let Some(word) = candidate["finishReason"].as_str() {
            meaning.finish = generate_finish(word);
        }
    }
    if meaning.finish == Some("stop") && !meaning.calls.is_empty() {
        meaning.finish = Some("tool");
    }
    let usage = &body["usageMetadata"];
    if usage.is_object() {
        let count = |name: &str| usage[name].as_u64().unwrap_or(0);
        meaning.input = Some(count("promptTokenCount") + count("toolUsePromptTokenCount"));
        meaning.output = Some(count("candidatesTokenCount") + count("thoughtsTokenCount"));
        meaning.cached = Some(count("cachedContentTokenCount"));
    }
}

fn generate_finish(word: &str) -> Option<&'static str> {
    match word {
        "STOP" | "OTHER" | "MALFORMED_FUNCTION_CALL" => Some("stop"),
        "MAX_TOKENS" => Some("length"),
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => Some("filter"),
        _ => None,
    }
}

/// Reads a whole answer of responses.
pub fn responses(meaning: &mut ReplyMeaning, body: &Value) {
    for item in list(&body["output"]) {
        match item["type"].as_str().unwrap_or_default() {
            "message" => {
                for part in list(&item["content"]) {
                    meaning.text += &(string(part.get("text")) + &string(part.get("refusal")));
                }
            }
            "function_call" | "custom_tool_call" => {
                let given = arguments(pick(item, &["arguments", "input"]));
                meaning.calls.push((string(item.get("name")), given));
            }
            _ => {}
        }
    }
    meaning.finish = match body["status"].as_str() {
        Some("completed") if meaning.calls.is_empty() => Some("stop"),
        Some("completed") => Some("tool"),
        Some("incomplete") => match body["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => Some("filter"),
            _ => Some("length"),
        },
        _ => None,
    };
    let usage = &body["usage"];
    if usage.is_object() {
        meaning.input = usage["input_tokens"].as_u64();
        meaning.output = usage["output_tokens"].as_u64();
        let cached = &usage["input_tokens_details"]["cached_tokens"];
        meaning.cached = Some(cached.as_u64().unwrap_or(0));
    }
}
