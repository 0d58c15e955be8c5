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
            out.push_str(&format!("\\u{:04x}", u32::from(letter)));
        } else {
            out.push(letter);
        }
    }
    out
}

fn said(content: Value) -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": content}]})
}

fn with(name: &str, value: Value) -> Value {
    let mut body = json!({"model": "m", "input": "Hi", "messages": [], "contents": []});
    body[name] = value;
    body
}

fn part(part: Value) -> Value {
    json!({"contents": [{"role": "user", "parts": [part]}]})
}

fn references() -> Vec<(Surface, Value, &'static str)> {
    let tool = |tool: Value| with("tools", json!([tool]));
    let item = |item: Value| with("input", json!([item]));
    let file = json!({"type": "file", "file_id": "file_1"});
    vec![
        (
            ChatCompletions,
            said(json!([{"type": "file", "file": {"file_id": "f"}}])),
            "messages[0].content[0].file.file_id",
        ),
        (
            ChatCompletions,
            with(
                "messages",
                json!([{"role": "assistant", "audio": {"id": "a"}}]),
            ),
            "messages[0].audio.id",
        ),
        (
            ChatCompletions,
            with("audio", json!({"voice": {"id": "v"}})),
            "audio.voice.id",
        ),
        (
            ChatCompletions,
            with("skills", json!([{"skill_id": "s"}])),
            "skills[0].skill_id",
        ),
        (
            ChatCompletions,
            with("anything", json!("file-abc")),
            "anything",
        ),
        (
            ChatCompletions,
            said(json!([{"type": "image_url", "image_url": {"url": "gs://b/o"}}])),
            "messages[0].content[0].image_url.url",
        ),
        (
            TextCompletions,
            with("thread", json!({"x": ["thread_1"]})),
            "thread.x[0]",
        ),
        (Messages, with("container", json!("c_1")), "container"),
        (
            Messages,
            with("container", json!({"id": "c_1"})),
            "container.id",
        ),
        (
            Messages,
            with(
                "container",
                json!({"skills": [{"type": "custom", "skill_id": "s"}]}),
            ),
            "container.skills[0].skill_id",
        ),
        (
            Messages,
            said(json!([{"type": "image", "source": file}])),
            "messages[0].content[0].source.file_id",
        ),
        (
            Messages,
            said(json!([{"type": "container_upload", "file_id": "f"}])),
            "messages[0].content[0].file_id",
        ),
        (
            Messages,
            said(
                json!([{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "document", "source": file}]}]),
            ),
            "messages[0].content[0].content[0].source.file_id",
        ),
        (
            Messages,
            with(
                "thread",
                json!({"type": "continue", "previous_message_id": "m"}),
            ),
            "thread.previous_message_id",
        ),
        (
            Messages,
            with("user_profile_id", json!("u")),
            "user_profile_id",
        ),
        (Messages, with("workspace_id", json!("w")), "workspace_id"),
        (
            Messages,
            with("fallback_credit_token", json!({"token": "t"})),
            "fallback_credit_token",
        ),
        (
            GenerateContent,
            part(json!({"fileData": {"fileUri": "files/abc"}})),
            "contents[0].parts[0].fileData.fileUri",
        ),
        (
            GenerateContent,
            part(json!({"file_data": {"file_uri": "gs://b/o"}})),
            "contents[0].parts[0].file_data.file_uri",
        ),
        (
            GenerateContent,
            part(
                json!({"fileData": {"fileUri": "https://generativelanguage.googleapis.com/v1beta/files/abc"}}),
            ),
            "contents[0].parts[0].fileData.fileUri",
        ),
        (
            GenerateContent,
            with(
                "systemInstruction",
                json!({"parts": [{"fileData": {"fileUri": "files/a"}}]}),
            ),
            "systemInstruction.parts[0].fileData.fileUri",
        ),
        (
            GenerateContent,
            with("cachedContent", json!("cachedContents/1")),
            "cachedContent",
        ),
        (
            GenerateContent,
            with("continuationToken", json!("dG9rZW4=")),
            "continuationToken",
        ),
        (
            GenerateContent,
            tool(json!({"retrieval": {"vertexRagStore": {"ragResources": [{}]}}})),
            "tools[0].retrieval.vertexRagStore",
        ),
        (
            GenerateContent,
            tool(json!({"retrieval": {"vertex_ai_search": {"datastore": "d"}}})),
            "tools[0].retrieval.vertex_ai_search",
        ),
        (
            GenerateContent,
            tool(json!({"fileSearch": {"fileSearchStoreNames": ["s"]}})),
            "tools[0].fileSearch.fileSearchStoreNames",
        ),
        (
            Responses,
            with("conversation", json!("conv_1")),
            "conversation",
        ),
        (
            Responses,
            with("conversation", json!({"id": "conv_1"})),
            "conversation",
        ),
        (Responses, with("prompt", json!({"id": "pmpt_1"})), "prompt"),
        (
            Responses,
            with(
                "prompt_cache_options",
                json!({"comparison_response_id": "r"}),
            ),
            "prompt_cache_options.comparison_response_id",
        ),
        (
            Responses,
            item(json!({"role": "user", "content": [{"type": "input_file", "file_id": "f"}]})),
            "input[0].content[0].file_id",
        ),
        (
            Responses,
            item(
                json!({"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot", "file_id": "f"}}),
            ),
            "input[0].output.file_id",
        ),
        (
            Responses,
            tool(json!({"type": "file_search", "vector_store_ids": ["vs_1"]})),
            "tools[0].vector_store_ids",
        ),
        (
            Responses,
            tool(json!({"type": "code_interpreter", "container": "cntr_1"})),
            "tools[0].container",
        ),
        (
            Responses,
            tool(
                json!({"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["f"]}}),
            ),
            "tools[0].container.file_ids",
        ),
        (
            Responses,
            tool(json!({"type": "image_generation", "input_image_mask": {"file_id": "f"}})),
            "tools[0].input_image_mask.file_id",
        ),
        (
            Responses,
            tool(
                json!({"type": "shell", "environment": {"type": "container_reference", "container_id": "c"}}),
            ),
            "tools[0].environment.container_id",
        ),
        (
            Responses,
            tool(json!({"type": "shell", "environment": {"skills": [{"skill_id": "s"}]}})),
            "tools[0].environment.skills[0].skill_id",
        ),
        (
            Responses,
            tool(json!({"type": "mcp", "tunnel_id": "t"})),
            "tools[0].tunnel_id",
        ),
        (
            Realtime,
            json!({"type": "session.update", "session": {"prompt": {"id": "p"}}}),
            "session.prompt",
        ),
        (
            Realtime,
            json!({"type": "response.create", "response": {"prompt": {"id": "p"}}}),
            "response.prompt",
        ),
        (
            Realtime,
            json!({"type": "response.create", "response": {"conversation": "conv_1"}}),
            "response.conversation",
        ),
        (
            Realtime,
            json!({"type": "response.create", "response": {"input": [{"type": "item_reference", "id": "i"}]}}),
            "response.input[0].type",
        ),
        (
            Realtime,
            json!({"type": "conversation.item.create", "item": {"content": [{"type": "input_image", "file_id": "f"}]}}),
            "item.content[0].file_id",
        ),
        (
            Other,
            with("images", json!([{"file_id": "f"}])),
            "images[0].file_id",
        ),
        (Other, with("voice", json!({"id": "v"})), "voice.id"),
    ]
}

#[test]
fn references_are_found_and_named_by_their_path() {
    for (surface, body, path) in references() {
        let text = body.to_string();
        assert_eq!(rejected(surface, &text).as_deref(), Some(path), "{text}");
        // Realtime events and other operations are always looked through.
        if !matches!(surface, Realtime | Other) {
            let sighted = Sighted::of(text.as_bytes());
            assert!(is_suspected(surface, &sighted), "{text}");
        }
    }
}

#[test]
fn references_are_found_however_they_are_spelled() {
    for (surface, body, path) in references() {
        let text = escaped(&body.to_string());
        assert!(Sighted::of(text.as_bytes()).has(Word::Escaped), "{text}");
        assert_eq!(rejected(surface, &text).as_deref(), Some(path), "{text}");
        assert_eq!(spelled_out(text.as_bytes()), body.to_string().as_bytes());
    }
}

#[test]
fn what_is_no_reference_passes() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"file_id": "file-1", "container": "c"}});
    let schema = json!({"type": "object", "properties": {"file_id": {"type": "string"}, "prompt": {"type": "object"}}, "required": ["file_id", "file_path"]});
    let mut tools = said(json!("file-abc"));
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
        (Messages, said(json!([call]))),
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
            part(json!({"fileData": {"fileUri": "https://a.example/b.png"}})),
        ),
        (
            GenerateContent,
            part(json!({"fileData": {"fileUri": "https://storage.googleapis.com/b/o.png"}})),
        ),
        (
            GenerateContent,
            part(json!({"functionCall": {"id": "1", "name": "f", "args": {"fileUri": "files/1"}}})),
        ),
        (
            GenerateContent,
            part(json!({"functionResponse": {"name": "f", "response": {"file_id": "1"}}})),
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
