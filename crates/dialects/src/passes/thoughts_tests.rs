//! Proofs of thoughts on their way through chat clients, which have no place for them but the ids of calls.

use serde_json::{Value, json};

use crate::convert::{StreamConverter, convert_reply};
use crate::passes::tests::{CHAT, MESSAGES, RESPONSES, chat, send, tool, user};
use crate::testing::streams::values_of;
use crate::{DialectId, Framing, ReplyContext, Signature};

/// The id of the call in a vendor's answer as a chat client sees it, whole and streamed.
fn shown_ids(upstream: DialectId, whole: &Value, stream: &[Value]) -> [String; 2] {
    let context = ReplyContext::default();
    let whole = whole.to_string();
    let (written, _) = convert_reply(upstream, CHAT, whole.as_bytes(), &context).unwrap();
    let body: Value = serde_json::from_slice(&written.body).unwrap();
    let whole = body["choices"][0]["message"]["tool_calls"][0]["id"].clone();
    let mut out = Vec::new();
    let mut converter = StreamConverter::new(upstream, Framing::ServerSentEvents, CHAT, &context);
    for event in stream {
        let kind = event["type"].as_str().unwrap();
        converter.push(
            format!("event: {kind}\ndata: {event}\n\n").as_bytes(),
            &mut out,
        );
    }
    converter.close(&mut out);
    let deltas = values_of(&out);
    let calls = |chunk: &Value| {
        chunk["choices"][0]["delta"]["tool_calls"][0]
            .get("id")
            .cloned()
    };
    let streamed = deltas.iter().find_map(calls).unwrap();
    [whole, streamed].map(|id| id.as_str().unwrap().to_owned())
}

/// A chat client's history after that answer; thoughts are shown to it, and not all send them back.
fn history(id: &str) -> Value {
    let call = json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let mut body = chat(&json!([
        user("q"),
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        tool(id, "1")
    ]));
    body["reasoning_effort"] = json!("high");
    body
}

#[test]
fn a_thought_of_messages_returns_through_a_chat_client() {
    let whole = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}, "content": [
            {"type": "thinking", "thinking": "hm", "signature": "U0lH"},
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]});
    let block = |index: u64, start: Value, delta: Value| {
        [
            json!({"type": "content_block_start", "index": index, "content_block": start}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]
    };
    let mut stream = vec![json!({"type": "message_start", "message": {"id": "msg_1",
        "model": "m", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}})];
    for block in [
        block(
            0,
            json!({"type": "thinking", "thinking": "hm", "signature": ""}),
            json!({"type": "signature_delta", "signature": "U0lH"}),
        ),
        block(
            1,
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": "Let me see."}),
        ),
        block(
            2,
            json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}),
            json!({"type": "input_json_delta", "partial_json": ""}),
        ),
    ] {
        stream.extend(block);
    }
    stream.push(
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
        "usage": {"output_tokens": 2}}),
    );
    stream.push(json!({"type": "message_stop"}));
    let riding = Signature::native(MESSAGES, "U0lH").ride_on("t");
    for id in shown_ids(MESSAGES, &whole, &stream) {
        assert_eq!(id, riding);
        let sent = send(CHAT, MESSAGES, "claude-sonnet-4-5", &history(&id));
        let content = &sent.body["messages"][1]["content"];
        let thought = json!({"type": "thinking", "thinking": "", "signature": "U0lH"});
        assert_eq!(content[0], thought, "an answer begins with its thought");
        assert_eq!(content[1]["text"], "Let me see.");
        assert_eq!(content[2]["id"], "t");
        assert_eq!(sent.body["messages"][2]["content"][0]["tool_use_id"], "t");
        assert_eq!(sent.body["thinking"]["type"], "enabled");
        assert!(sent.dropped.is_empty(), "{:?}", sent.dropped);
    }
}

#[test]
fn a_thought_of_responses_returns_through_a_chat_client() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [],
        "encrypted_content": "ENC"});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f",
        "arguments": "{}", "status": "completed"});
    let whole = json!({"id": "resp_1", "object": "response", "model": "m",
        "status": "completed", "output": [thought, call]});
    let mut stream = vec![json!({"type": "response.created", "response": {"id": "resp_1"}})];
    for (index, item) in [&thought, &call].into_iter().enumerate() {
        for kind in ["added", "done"] {
            let kind = format!("response.output_item.{kind}");
            stream.push(json!({"type": kind, "output_index": index, "item": item}));
        }
    }
    stream.push(json!({"type": "response.completed", "response": whole}));
    for id in shown_ids(RESPONSES, &whole, &stream) {
        assert_eq!(id, Signature::native(RESPONSES, "ENC").ride_on("c"));
        let input = send(CHAT, RESPONSES, "m", &history(&id)).body["input"].clone();
        assert_eq!(input[1]["encrypted_content"], "ENC");
        assert_eq!(input[2]["role"], "assistant");
        assert_eq!(input[3]["call_id"], "c");
        assert_eq!(input[4]["call_id"], "c");
    }
}

#[test]
fn a_redacted_thought_of_messages_rides_on_nothing() {
    let whole = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}, "content": [
            {"type": "redacted_thinking", "data": "RED"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]});
    let context = ReplyContext::default();
    let whole = whole.to_string();
    let (written, _) = convert_reply(MESSAGES, CHAT, whole.as_bytes(), &context).unwrap();
    let body: Value = serde_json::from_slice(&written.body).unwrap();
    assert_eq!(body["choices"][0]["message"]["tool_calls"][0]["id"], "t");
}

#[test]
fn what_rides_on_an_id_and_is_not_ours_leaves_call_and_result_together() {
    let body = history("c__thought__abc");
    for (to, call, result) in [
        (
            CHAT,
            "/messages/1/tool_calls/0/id",
            "/messages/2/tool_call_id",
        ),
        (
            MESSAGES,
            "/messages/1/content/1/id",
            "/messages/2/content/0/tool_use_id",
        ),
    ] {
        let sent = send(CHAT, to, "m", &body).body;
        assert_eq!(sent.pointer(call), Some(&json!("c")), "{sent}");
        assert_eq!(sent.pointer(result), Some(&json!("c")), "{sent}");
    }
}
