//! Inputs so large that only a linear conversion comes to its end before the runner ends the test
//! (`.config/nextest.toml`). The growth itself is measured by `benches/growth`.

use dialects::canonical::FinishReason;
use dialects::convert::{StreamConverter, convert_reply, convert_request, dialect};
use dialects::passes::Target;
use dialects::sse::SseReader;
use dialects::{DialectId, Framing, PathHints, ReplyContext};
use serde_json::{Value, json};

/// Converts a request and returns it as the upstream gets it.
fn sent(client: DialectId, upstream: DialectId, model: &str, body: &Value) -> Value {
    let path = PathHints {
        model: Some("m".to_owned()),
        stream: false,
    };
    let request = dialect(client).read_request(body.to_string().as_bytes(), &path);
    let request = request.expect("it reads");
    let target = Target::new(upstream, model);
    let written = convert_request(request, &target, &mut ReplyContext::default());
    let written = written.expect("it is written");
    serde_json::from_slice(&written.body).expect("it is JSON")
}

#[test]
fn bulk_of_tools_is_converted() {
    let tool = |at: usize| json!({"type": "function", "function": {"name": format!("tool_{at}")}});
    let tools: Vec<Value> = (0..100_000).map(tool).collect();
    let body =
        json!({"model": "m", "messages": [{"role": "user", "content": "q"}], "tools": tools});
    let sent = sent(DialectId::ChatCompletions, DialectId::Messages, "m", &body);
    assert_eq!(sent["tools"].as_array().map(Vec::len), Some(100_000));
}

#[test]
fn bulk_of_tool_calls_in_a_reply_is_converted() {
    let call = |at: usize| {
        json!({"id": format!("call_{at}"), "type": "function",
            "function": {"name": "f", "arguments": "{}"}})
    };
    let calls: Vec<Value> = (0..100_000).map(call).collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    let reply = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]});
    let (chat, messages) = (DialectId::ChatCompletions, DialectId::Messages);
    let context = ReplyContext::default();
    let converted = convert_reply(chat, messages, reply.to_string().as_bytes(), &context);
    let body: Value = serde_json::from_slice(&converted.unwrap().0.body).unwrap();
    assert_eq!(body["content"].as_array().map(Vec::len), Some(100_000));
}

#[test]
fn bulk_of_chunks_of_one_event_is_read() {
    let frame = [b"data: ", "x".repeat(2 << 20).as_bytes(), b"\n\n"].concat();
    let mut reader = SseReader::default();
    let mut lengths = Vec::new();
    for chunk in frame.chunks(1) {
        let read = reader.push(chunk, &mut |frame| lengths.push(frame.data.len()));
        read.unwrap();
    }
    assert_eq!(lengths, [2 << 20]);
}

#[test]
fn bulk_of_text_like_a_stop_sequence_is_cut() {
    let context = ReplyContext {
        stop: vec!["a".repeat(30_000) + "b"],
        ..ReplyContext::default()
    };
    let chat = DialectId::ChatCompletions;
    let sse = Framing::ServerSentEvents;
    let mut converter = StreamConverter::new(chat, sse, DialectId::Messages, &context);
    let chunk = |delta: Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = json!({"id": "c", "model": "m", "choices": [choice]});
        format!("data: {chunk}\n\n")
    };
    let mut out = Vec::new();
    for _ in 0..60_000 {
        converter.push(chunk(json!({"content": "a"}), None).as_bytes(), &mut out);
    }
    converter.push(chunk(json!({"content": "b"}), None).as_bytes(), &mut out);
    converter.push(chunk(json!({}), Some("stop")).as_bytes(), &mut out);
    converter.push(b"data: [DONE]\n\n", &mut out);
    let sent = String::from_utf8(out)
        .unwrap()
        .matches("text_delta")
        .count();
    // Half of the letters come before the stop sequence.
    assert_eq!(sent, 30_000);
    let stop = FinishReason::StopSequence(context.stop[0].clone());
    assert_eq!(converter.outcome().finish, Some(stop));
}

#[test]
fn references_cannot_multiply_the_text_of_a_schema() {
    let reference = json!({"$ref": "#/$defs/long"});
    let properties: Value = (0..2_000)
        .map(|at| (format!("p{at}"), reference.clone()))
        .collect();
    let parameters = json!({"type": "object", "properties": properties,
        "$defs": {"long": {"type": "string", "description": "x".repeat(20_000)}}});
    let tool = json!({"type": "function", "function": {"name": "f", "parameters": parameters}});
    let body =
        json!({"model": "m", "messages": [{"role": "user", "content": "q"}], "tools": [tool]});
    let (chat, generate) = (DialectId::ChatCompletions, DialectId::GenerateContent);
    let sent = sent(chat, generate, "gemini-2.0-flash", &body);
    let written = &sent["tools"][0]["functionDeclarations"][0]["parameters"]["properties"];
    assert_eq!(written["p0"]["type"], "STRING");
    assert_eq!(written["p1999"], json!({"type": "OBJECT"}));
    assert!(sent.to_string().len() < 2 << 20);
}
