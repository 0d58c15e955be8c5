//! References that are found, and what only looks like one.

use serde_json::{Value, json};

use super::Surface::{
    ChatCompletions, GenerateContent, Messages, Other, Realtime, Responses, TextCompletions,
};
use super::table::{Action, Table};
use super::*;
use crate::escapes::spelled_out;

/// The path that is rejected.
fn rejected(surface: Surface, text: &str) -> Option<String> {
    let found = look(surface, text.as_bytes()).expect("it is JSON");
    found.rejected.map(|rejected| rejected.path)
}

/// The same text with the last letter of every name and value escaped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letters.peek() == Some(&'"') && letter.is_ascii_alphanumeric() {
            out.extend(format!("\\u{:04x}", u32::from(letter)).chars());
        } else {
            out.push(letter);
        }
    }
    out
}

fn said(content: &Value) -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": content}]})
}

fn with(name: &str, value: Value) -> Value {
    let mut body = json!({"model": "m", "input": "Hi", "messages": [], "contents": []});
    body[name] = value;
    body
}

fn part(part: &Value) -> Value {
    json!({"contents": [{"role": "user", "parts": [part]}]})
}

/// Bodies with one reference each, and the path of the reference.
fn references() -> Vec<(Surface, String, Value)> {
    serde_json::from_str(include_str!("references.json")).expect("a list")
}

#[test]
fn references_are_found_and_named_by_their_path() {
    for (surface, path, body) in references() {
        let text = body.to_string();
        assert_eq!(rejected(surface, &text).as_ref(), Some(&path), "{text}");
        // Realtime events and other operations are always looked through.
        if !matches!(surface, Realtime | Other) {
            let sighted = Sighted::of(text.as_bytes());
            assert!(is_suspected(surface, &sighted), "{text}");
        }
    }
}

#[test]
fn references_are_found_however_they_are_spelled() {
    for (surface, path, body) in references() {
        let text = escaped(&body.to_string());
        assert!(Sighted::of(text.as_bytes()).has(Word::Escaped), "{text}");
        assert_eq!(rejected(surface, &text).as_ref(), Some(&path), "{text}");
        assert_eq!(spelled_out(text.as_bytes()), body.to_string().as_bytes());
    }
}

#[test]
fn what_is_no_reference_passes() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"file_id": "file-1", "container": "c"}});
    let schema = json!({"type": "object", "properties": {"file_id": {"type": "string"}, "prompt": {"type": "object"}}, "required": ["file_id", "file_path"]});
    let mut tools = said(&json!("file-abc"));
    tools["tools"] = json!([{"type": "function", "function": {"name": "file_read", "description": "conv_1", "parameters": schema}}]);
    tools["tool_choice"] = json!({"type": "function", "function": {"name": "file_read"}});
    for (surface, body) in [
        (ChatCompletions, tools),
        (
            ChatCompletions,
            with(
                "messages",
                json!([{"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "file-1"}}]}, {"role": "tool", "tool_call_id": "call_1", "content": "file-1"}]),
            ),
        ),
        (
            ChatCompletions,
            with("metadata", json!({"file_id": "f", "thread": "thread_1"})),
        ),
        (ChatCompletions, with("user", json!("file-1"))),
        (
            ChatCompletions,
            with("audio", json!({"voice": "alloy", "format": "wav"})),
        ),
        (TextCompletions, with("prompt", json!("file-1"))),
        (Messages, said(&json!([call]))),
        (Messages, with("container", json!(null))),
        (Messages, with("metadata", json!({"user_id": "file-1"}))),
        (
            Messages,
            with(
                "mcp_servers",
                json!([{"type": "url", "url": "https://a.example", "name": "n", "authorization_token": "t"}]),
            ),
        ),
        (
            GenerateContent,
            part(&json!({"fileData": {"fileUri": "https://a.example/b.png"}})),
        ),
        (
            GenerateContent,
            part(&json!({"fileData": {"fileUri": "https://storage.googleapis.com/b/o.png"}})),
        ),
        (
            GenerateContent,
            part(
                &json!({"functionCall": {"id": "1", "name": "f", "args": {"fileUri": "files/1"}}}),
            ),
        ),
        (
            GenerateContent,
            part(&json!({"functionResponse": {"name": "f", "response": {"file_id": "1"}}})),
        ),
        (
            Responses,
            with(
                "tools",
                json!([{"type": "code_interpreter", "container": {"type": "auto"}}]),
            ),
        ),
        (
            Responses,
            with(
                "tools",
                json!([{"type": "mcp", "server_label": "l", "connector_id": "connector_dropbox", "authorization": "t"}]),
            ),
        ),
        (Responses, with("prompt_cache_key", json!("resp_1"))),
        (Responses, with("previous_response_id", json!("resp_1"))),
        (
            Responses,
            with("include", json!(["file_search_call.results"])),
        ),
        (
            Responses,
            with(
                "input",
                json!([{"type": "reasoning", "id": "rs_1", "encrypted_content": "e"}, {"type": "function_call", "id": "fc_1", "call_id": "call_1", "arguments": "{\"file_id\":1}"}, {"type": "custom_tool_call", "id": "ctc_1", "input": "file-1"}]),
            ),
        ),
        (
            Realtime,
            json!({"type": "response.create", "response": {"conversation": "none"}}),
        ),
        (
            Realtime,
            json!({"type": "session.update", "session": {"audio": {"input": {"transcription": {"prompt": "file-1"}}}}}),
        ),
        (
            Realtime,
            json!({"type": "conversation.item.truncate", "item_id": "msg_1", "content_index": 0}),
        ),
        (Other, with("prompt", json!("file-1"))),
    ] {
        assert_eq!(rejected(surface, &body.to_string()), None, "{body}");
    }
}

#[test]
fn items_with_ids_are_left_to_whoever_keeps_answers() {
    for (body, has_items) in [
        (with("input", json!([{"id": "msg_1"}])), true),
        (
            with(
                "input",
                json!([{"type": "image_generation_call", "id": "ig_1"}]),
            ),
            true,
        ),
        (
            with("input", json!([{"role": "user", "content": "Hi"}])),
            false,
        ),
    ] {
        let found = look(Responses, body.to_string().as_bytes()).expect("it is JSON");
        assert_eq!(
            (found.has_items, found.rejected),
            (has_items, None),
            "{body}"
        );
    }
}

#[test]
fn an_item_whose_members_are_ambiguous_is_rejected() {
    let text =
        r#"{"input":[{"type":"item_reference","id":"msg_1","role":"user","typ\u0065":"message"}]}"#;
    let failure = look(Responses, text.as_bytes()).expect_err("a failure");
    assert_eq!(failure.param.as_deref(), Some("type"));
}

/// A search for words must not overlook what the table rejects.
#[test]
fn every_rule_and_prefix_raises_suspicion() {
    let table = Table::get();
    let texts = [ChatCompletions, Messages, GenerateContent];
    for rule in table.rules.values().flatten() {
        let is_reference = matches!(rule.action, Action::Reject | Action::Uri);
        let is_searched = rule.on.is_empty() || texts.iter().any(|one| rule.on.contains(one));
        if !is_reference || !is_searched {
            continue;
        }
        let within = rule.within.first().map_or("body", String::as_str);
        let mut name = rule.field.clone();
        if within == "voice" {
            // A voice is part of what sounds.
            name = format!("audio.{name}");
        }
        let text = json!({within: {name: "gs://b"}}).to_string();
        let sighted = Sighted::of(text.as_bytes());
        assert!(is_suspected(ChatCompletions, &sighted), "{text}");
    }
    let unsearched = [
        "rs_",
        "ig_",
        "vsfs_",
        "voice_",
        "asst_",
        "wrkspc_",
        "uprof_",
        "memstore_",
        "vlt_",
        "ftjob-",
        "ft:",
        "corpora/",
        "ragStores/",
        "s3://",
    ];
    for prefix in &table.prefixes {
        let text = json!({"unknown": format!("{prefix}1")}).to_string();
        assert_eq!(rejected(ChatCompletions, &text).as_deref(), Some("unknown"));
        let is_suspected = is_suspected(ChatCompletions, &Sighted::of(text.as_bytes()));
        assert_eq!(
            is_suspected,
            !unsearched.contains(&prefix.as_str()),
            "{prefix}"
        );
    }
}

#[test]
fn every_rule_can_apply() {
    for (name, rules) in &Table::get().rules {
        let general = rules
            .iter()
            .position(|rule| rule.on.is_empty() && rule.within.is_empty() && rule.value.is_none());
        assert!(
            general.is_none_or(|place| place + 1 == rules.len()),
            "{name}"
        );
        assert!(rules.iter().all(|rule| !rule.why.is_empty()), "{name}");
    }
}
