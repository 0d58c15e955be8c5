//! An upstream that tells no usage: whoever gets its answer in another dialect is told what is charged for.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{CHAT, GENERATE, MESSAGES, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::{begun, whole};

const CLIENTS: [&str; 5] = ["chat", "completions", "messages", "responses", "generate"];
const UPSTREAMS: [Speaks; 4] = [CHAT, RESPONSES, MESSAGES, GENERATE];

/// The whole answer of a dialect without its usage.
fn silent(dialect: &str) -> Value {
    let mut answer = whole(dialect);
    let members = answer.as_object_mut().expect("an object");
    members.remove("usage");
    members.remove("usageMetadata");
    answer
}

/// The streamed answer of a dialect without its usage.
fn silent_stream(dialect: &str) -> Scripted {
    match dialect {
        "chat" => {
            let last = json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "up-real",
                "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            begun(dialect).data(&last.to_string()).data("[DONE]")
        }
        "messages" => {
            let frames = [
                json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
                    "model": "up-real", "content": [], "stop_reason": null}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0,
                    "delta": {"type": "text_delta", "text": "Hello there"}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
                json!({"type": "message_stop"}),
            ];
            let named = |reply: Scripted, frame: &Value| {
                reply.event(frame["type"].as_str().expect("a text"), &frame.to_string())
            };
            frames.iter().fold(Scripted::sse(), named)
        }
        "responses" => {
            let done = json!({"type": "response.completed", "sequence_number": 5,
                "response": silent("responses")});
            begun(dialect).event("response.completed", &done.to_string())
        }
        _ => {
            let last = json!({"candidates": [{"index": 0, "finishReason": "STOP",
                "content": {"role": "model", "parts": [{"text": ""}]}}],
                "modelVersion": "up-real", "responseId": "r1"});
            begun(dialect).data(&last.to_string())
        }
    }
}

/// Input and output that an answer, or a frame of it, tells its client.
fn told(client: &str, answer: &Value) -> Option<(i64, i64)> {
    let (usage, input, output) = match client {
        "chat" | "completions" => (&answer["usage"], "prompt_tokens", "completion_tokens"),
        "generate" => (
            &answer["usageMetadata"],
            "promptTokenCount",
            "candidatesTokenCount",
        ),
        _ => (&answer["usage"], "input_tokens", "output_tokens"),
    };
    Some((usage[input].as_i64()?, usage[output].as_i64()?))
}

/// The last usage that a stream tells.
fn told_at_last(client: &str, body: &str) -> Option<(i64, i64)> {
    let lines = body.lines().rev();
    let mut frames = lines.filter_map(|line| {
        let frame: Value = serde_json::from_str(line.strip_prefix("data: ")?).ok()?;
        Some(match frame.get("response") {
            Some(response) => response.clone(),
            None => frame,
        })
    });
    frames.find_map(|frame| told(client, &frame))
}

#[test]
fn what_an_upstream_does_not_tell_is_told_as_it_is_charged() {
    for speaks in UPSTREAMS {
        let vendor = Vendor::speaking(speaks);
        vendor.answers(speaks, &silent(speaks.dialect));
        for client in CLIENTS.into_iter().filter(|it| *it != speaks.dialect) {
            let (path, body) = asks(client, false);
            let reply = vendor.post(&path, &body);
            let what = format!("{client} to {}: {}", speaks.dialect, reply.body);
            let (call, _) = vendor.logged(&reply);
            let charged = (call.input_tokens, call.output_tokens);
            assert_eq!(told(client, &reply.json()), Some(charged), "{what}");
            assert!(
                call.is_estimated && charged.0 > 0 && charged.1 > 0,
                "{what}"
            );
        }
    }
}

#[test]
fn what_a_stream_does_not_tell_is_told_with_its_end() {
    for speaks in UPSTREAMS {
        let vendor = Vendor::speaking(speaks);
        vendor
            .upstream()
            .on(speaks.stream_path, silent_stream(speaks.dialect));
        for client in CLIENTS.into_iter().filter(|it| *it != speaks.dialect) {
            let (path, mut body) = asks(client, true);
            if matches!(client, "chat" | "completions") {
                body["stream_options"] = json!({"include_usage": true});
            }
            let reply = vendor.post(&path, &body);
            let what = format!("{client} to {}: {}", speaks.dialect, reply.body);
            let (call, _) = vendor.logged(&reply);
            let charged = (call.input_tokens, call.output_tokens);
            assert_eq!(told_at_last(client, &reply.body), Some(charged), "{what}");
            assert!(charged.0 > 0 && charged.1 > 0, "{what}");
        }
    }
}

#[test]
fn what_comes_whole_is_told_in_the_stream_that_is_made_of_it() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &silent("chat"));
    for client in ["messages", "responses", "generate"] {
        let (path, body) = asks(client, true);
        let reply = vendor.post(&path, &body);
        let (call, _) = vendor.logged(&reply);
        let charged = (call.input_tokens, call.output_tokens);
        let what = format!("{client}: {}", reply.body);
        assert_eq!(told_at_last(client, &reply.body), Some(charged), "{what}");
        assert!(call.is_estimated && charged.1 > 0, "{what}");
    }
}

#[test]
fn several_prompts_are_told_what_all_of_them_are_charged() {
    let vendor = Vendor::speaking(MESSAGES);
    vendor.answers(MESSAGES, &silent("messages"));
    let body = json!({"model": "m", "prompt": ["Hi", "Ho"]});
    let reply = vendor.post("/v1/completions", &body);
    let (call, _) = vendor.logged(&reply);
    let charged = (call.input_tokens, call.output_tokens);
    assert_eq!(told("completions", &reply.json()), Some(charged));
    assert!(call.is_estimated && charged.1 > 0, "{}", reply.body);
}

#[test]
fn an_answer_in_the_clients_own_dialect_stays_as_it_is() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &silent("chat"));
    let (path, body) = asks("chat", false);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.json(), silent("chat"));
    let (call, _) = vendor.logged(&reply);
    assert!(call.is_estimated && call.output_tokens > 0);
}
