//! A streamed answer of every upstream dialect, cut into the chunks in which it arrives: one frame
//! each, as vendors flush them.

use dialects::DialectId;
use serde_json::{Value, json};

use crate::words::pieces;

/// The frames of a streamed text that comes in `deltas` pieces.
pub fn stream(dialect: DialectId, deltas: usize) -> Vec<Vec<u8>> {
    match dialect {
        DialectId::ChatCompletions => chat(deltas),
        DialectId::TextCompletions => legacy(deltas),
        DialectId::Messages => messages(deltas),
        DialectId::GenerateContent => generate(deltas),
        DialectId::Responses => responses(deltas),
    }
}

fn unnamed(data: &Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

/// A frame that is named as its data's type.
fn named(data: &Value) -> Vec<u8> {
    let name = data["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

fn chat(deltas: usize) -> Vec<Vec<u8>> {
    let chunk = |choices: Value, usage: Value| {
        unnamed(&json!({
            "id": "chatcmpl-bench0001", "object": "chat.completion.chunk",
            "created": 1_780_000_000, "model": "bench-model-1", "service_tier": "default",
            "system_fingerprint": "fp_bench", "choices": choices, "usage": usage,
            "obfuscation": "x3Pq0a",
        }))
    };
    let piece = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
        chunk(json!([choice]), Value::Null)
    };
    let head = piece(
        json!({"role": "assistant", "content": "", "refusal": null}),
        Value::Null,
    );
    let mut frames = vec![head];
    frames.extend(pieces(deltas).map(|text| piece(json!({"content": text}), Value::Null)));
    frames.push(piece(json!({}), json!("stop")));
    let usage = json!({"prompt_tokens": 90, "completion_tokens": deltas,
        "total_tokens": 90 + deltas, "prompt_tokens_details": {"cached_tokens": 64}});
    frames.push(chunk(json!([]), usage));
    frames.push(b"data: [DONE]\n\n".to_vec());
    frames
}

fn legacy(deltas: usize) -> Vec<Vec<u8>> {
    let chunk = |choices: Value, usage: Value| {
        unnamed(&json!({
            "id": "cmpl-bench0001", "object": "text_completion", "created": 1_780_000_000,
            "model": "bench-model-1", "choices": choices, "usage": usage,
        }))
    };
    let piece = |text: &str, finish: Value| {
        let choice = json!({"index": 0, "text": text, "logprobs": null, "finish_reason": finish});
        chunk(json!([choice]), Value::Null)
    };
    let mut frames: Vec<_> = pieces(deltas)
        .map(|text| piece(text, Value::Null))
        .collect();
    frames.push(piece("", json!("stop")));
    let usage = json!({"prompt_tokens": 90, "completion_tokens": deltas,
        "total_tokens": 90 + deltas});
    frames.push(chunk(json!([]), usage));
    frames.push(b"data: [DONE]\n\n".to_vec());
    frames
}

fn messages(deltas: usize) -> Vec<Vec<u8>> {
    let mut frames = vec![
        named(&json!({"type": "message_start", "message": {
            "id": "msg_bench0001", "type": "message", "role": "assistant",
            "model": "bench-model-1", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 26, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 64, "output_tokens": 1}}})),
        named(&json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": ""}})),
        named(&json!({"type": "ping"})),
    ];
    frames.extend(pieces(deltas).map(|text| {
        named(&json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text}}))
    }));
    frames.extend([
        named(&json!({"type": "content_block_stop", "index": 0})),
        named(&json!({"type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": null},
            "usage": {"input_tokens": 26, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 64, "output_tokens": deltas}})),
        named(&json!({"type": "message_stop"})),
    ]);
    frames
}

fn generate(deltas: usize) -> Vec<Vec<u8>> {
    let frame = |(place, text): (usize, &str)| {
        let mut candidate = json!({"content": {"parts": [{"text": text}], "role": "model"}});
        if place + 1 == deltas {
            candidate["finishReason"] = json!("STOP");
        }
        candidate["index"] = json!(0);
        let data = json!({"candidates": [candidate],
            "usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": place + 1,
                "totalTokenCount": 91 + place,
                "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 90}],
                "thoughtsTokenCount": 48},
            "modelVersion": "bench-model-1", "responseId": "bench0001"});
        format!("data: {data}\r\n\r\n").into_bytes()
    };
    pieces(deltas).enumerate().map(frame).collect()
}

fn responses(deltas: usize) -> Vec<Vec<u8>> {
    let text: String = pieces(deltas).collect();
    let response = |status: &str, output: Value, usage: Value| {
        json!({
            "id": "resp_bench0001", "object": "response", "created_at": 1_780_000_000,
            "status": status, "error": null, "incomplete_details": null, "instructions": null,
            "model": "bench-model-1", "output": output, "parallel_tool_calls": true,
            "reasoning": {"effort": null, "summary": null}, "service_tier": "default",
            "store": false, "temperature": 1, "text": {"format": {"type": "text"}},
            "tool_choice": "auto", "tools": [], "top_p": 1, "truncation": "disabled",
            "usage": usage, "metadata": {},
        })
    };
    let part = |text: &str| json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text});
    let item = |status: &str, content: Value| {
        json!({"id": "msg_bench0001", "type": "message", "status": status,
            "role": "assistant", "content": content})
    };
    let done = item("completed", json!([part(&text)]));
    let usage = json!({"input_tokens": 90, "input_tokens_details": {"cached_tokens": 64},
        "output_tokens": deltas, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 90 + deltas});
    let begun = response("in_progress", json!([]), Value::Null);
    let place = json!({"item_id": "msg_bench0001", "output_index": 0, "content_index": 0});

    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
        json!({"type": "response.output_item.added", "output_index": 0,
            "item": item("in_progress", json!([]))}),
        with(
            &json!({"type": "response.content_part.added", "part": part("")}),
            &place,
        ),
    ];
    events.extend(pieces(deltas).map(|piece| {
        with(
            &json!({"type": "response.output_text.delta", "delta": piece, "logprobs": [],
                "obfuscation": "GjZKe5SS9Ux"}),
            &place,
        )
    }));
    events.extend([
        with(
            &json!({"type": "response.output_text.done", "text": text, "logprobs": []}),
            &place,
        ),
        with(
            &json!({"type": "response.content_part.done", "part": part(&text)}),
            &place,
        ),
        json!({"type": "response.output_item.done", "output_index": 0, "item": done}),
        json!({"type": "response.completed",
            "response": response("completed", json!([done]), usage)}),
    ]);
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events.iter().map(named).collect()
}

/// An event with more members.
fn with(event: &Value, more: &Value) -> Value {
    let mut event = event.clone();
    for (key, value) in more.as_object().into_iter().flatten() {
        event[key.as_str()] = value.clone();
    }
    event
}
