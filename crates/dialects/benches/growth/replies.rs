//! Complete replies of a shape and a size, of every upstream dialect.

use dialects::DialectId;
use serde_json::{Value, json};

/// What a reply has much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Tool calls.
    Calls,
    /// Tool calls that all have one id.
    RepeatedIds,
    /// Parts with text.
    Texts,
    /// Citations of one text.
    Citations,
    /// One long text.
    Words,
}

impl Shape {
    /// All shapes, each with the smallest size to measure.
    pub const ALL: [(Self, usize); 5] = [
        (Self::Calls, 200),
        (Self::RepeatedIds, 200),
        (Self::Texts, 200),
        (Self::Citations, 200),
        (Self::Words, 2000),
    ];
}

/// A reply, or `None` if the dialect does not have this shape.
pub fn reply(upstream: DialectId, shape: Shape, size: usize) -> Option<Vec<u8>> {
    let body = match upstream {
        DialectId::ChatCompletions => chat(shape, size)?,
        DialectId::TextCompletions => return None,
        DialectId::Messages => messages(shape, size),
        DialectId::GenerateContent => generate(shape, size),
        DialectId::Responses => responses(shape, size),
    };
    Some(body.to_string().into_bytes())
}

fn id(shape: Shape, at: usize) -> String {
    match shape {
        Shape::RepeatedIds => "same".to_owned(),
        _ => format!("call_{at:05}"),
    }
}

fn words(size: usize) -> String {
    "größer ".repeat(size)
}

fn chat(shape: Shape, size: usize) -> Option<Value> {
    let message = match shape {
        Shape::Calls | Shape::RepeatedIds => {
            let call = |at| {
                json!({"id": id(shape, at), "type": "function",
                "function": {"name": "f", "arguments": "{\"a\":1}"}})
            };
            let calls: Vec<Value> = (0..size).map(call).collect();
            json!({"role": "assistant", "content": null, "tool_calls": calls})
        }
        Shape::Texts => return None,
        Shape::Citations => {
            let note = |at: usize| {
                json!({"type": "url_citation", "url_citation": {"url": "https://a.test",
                "title": "A", "start_index": at, "end_index": at + 4}})
            };
            let notes: Vec<Value> = (0..size).map(note).collect();
            json!({"role": "assistant", "content": words(size), "annotations": notes})
        }
        Shape::Words => json!({"role": "assistant", "content": words(size)}),
    };
    Some(
        json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}),
    )
}

fn messages(shape: Shape, size: usize) -> Value {
    let content: Vec<Value> = match shape {
        Shape::Calls | Shape::RepeatedIds => (0..size)
            .map(|at| json!({"type": "tool_use", "id": id(shape, at), "name": "f", "input": {"a": 1}}))
            .collect(),
        Shape::Texts => vec![json!({"type": "text", "text": "Some words."}); size],
        Shape::Citations => {
            let note = json!({"type": "web_search_result_location", "url": "https://a.test",
                "title": "A", "cited_text": "x", "encrypted_index": "x"});
            vec![json!({"type": "text", "text": words(size), "citations": vec![note; size]})]
        }
        Shape::Words => vec![json!({"type": "text", "text": words(size)})],
    };
    json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}})
}

fn generate(shape: Shape, size: usize) -> Value {
    let parts: Vec<Value> = match shape {
        Shape::Calls | Shape::RepeatedIds => (0..size)
            .map(|at| json!({"functionCall": {"id": id(shape, at), "name": "f", "args": {"a": 1}}}))
            .collect(),
        // Two texts in a row would be one.
        Shape::Texts => (0..size)
            .map(|at| json!({"text": "Some words.", "thought": at % 2 == 0}))
            .collect(),
        Shape::Citations | Shape::Words => vec![json!({"text": words(size)})],
    };
    let mut candidate = json!({"content": {"role": "model", "parts": parts},
        "finishReason": "STOP", "index": 0});
    if shape == Shape::Citations {
        let support = |at: usize| {
            json!({"groundingChunkIndices": [0],
            "segment": {"startIndex": at * 9, "endIndex": at * 9 + 4}})
        };
        let supports: Vec<Value> = (0..size).map(support).collect();
        candidate["groundingMetadata"] = json!({"groundingSupports": supports,
            "groundingChunks": [{"web": {"uri": "https://a.test", "title": "A"}}]});
    }
    json!({"candidates": [candidate], "modelVersion": "m", "responseId": "r"})
}

fn responses(shape: Shape, size: usize) -> Value {
    let text = |notes: Vec<Value>, text: String| {
        let part = json!({"type": "output_text", "text": text, "annotations": notes});
        json!({"type": "message", "id": "msg", "role": "assistant", "status": "completed",
            "content": [part]})
    };
    let output: Vec<Value> = match shape {
        Shape::Calls | Shape::RepeatedIds => (0..size)
            .map(|at| {
                json!({"type": "function_call", "id": "fc", "call_id": id(shape, at),
                "name": "f", "arguments": "{\"a\":1}"})
            })
            .collect(),
        Shape::Texts => vec![text(Vec::new(), "Some words.".to_owned()); size],
        Shape::Citations => {
            let note = |at: usize| {
                json!({"type": "url_citation", "url": "https://a.test", "title": "A",
                "start_index": at, "end_index": at + 4})
            };
            vec![text((0..size).map(note).collect(), words(size))]
        }
        Shape::Words => vec![text(Vec::new(), words(size))],
    };
    json!({"id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "m",
        "output": output, "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}})
}
