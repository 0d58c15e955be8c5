//! Streamed replies of a shape and a size, of every upstream dialect, as the chunks in which they arrive.

use dialects::DialectId;
use serde_json::{Value, json};

/// What a stream has much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Deltas of text.
    Deltas,
    /// Deltas of text that nearly is a long stop sequence.
    Stops,
    /// One delta that arrives in very small chunks.
    SmallChunks,
    /// Tool calls, one after the other.
    Calls,
    /// Tool calls that are all open at once, and whose arguments come in reverse.
    OpenCalls,
}

impl Shape {
    /// All shapes, each with the smallest size to measure.
    pub const ALL: [(Self, usize); 5] = [
        (Self::Deltas, 400),
        (Self::Stops, 400),
        (Self::SmallChunks, 20_000),
        (Self::Calls, 200),
        (Self::OpenCalls, 200),
    ];

    /// The stop sequences of the request.
    pub fn stops(self, size: usize) -> Vec<String> {
        match self {
            Self::Stops => vec!["a".repeat(size) + "b", "b".to_owned() + &"a".repeat(size)],
            _ => Vec::new(),
        }
    }
}

/// The chunks of a stream, or `None` if the dialect does not have this shape.
pub fn stream(upstream: DialectId, shape: Shape, size: usize) -> Option<Vec<Vec<u8>>> {
    let mut events = Events::new(upstream)?;
    match shape {
        Shape::Deltas => (0..size).for_each(|_| events.text("word ")),
        Shape::Stops => (0..size).for_each(|_| events.text("aaaa")),
        Shape::SmallChunks => events.text(&"x".repeat(size)),
        Shape::Calls => (0..size).for_each(|at| {
            events.open_call(at);
            events.arguments(at);
            events.close_call(at);
        }),
        Shape::OpenCalls => {
            // In the other dialects calls are written one after the other.
            if !matches!(upstream, DialectId::ChatCompletions | DialectId::Responses) {
                return None;
            }
            (0..size).for_each(|at| events.open_call(at));
            (0..size).rev().for_each(|at| events.arguments(at));
            (0..size).for_each(|at| events.close_call(at));
        }
    }
    let frames = events.end(matches!(shape, Shape::Calls | Shape::OpenCalls));
    if shape == Shape::SmallChunks {
        return Some(frames.concat().chunks(4).map(<[u8]>::to_vec).collect());
    }
    Some(frames)
}

struct Events {
    upstream: DialectId,
    frames: Vec<Vec<u8>>,
    has_text: bool,
}

impl Events {
    fn new(upstream: DialectId) -> Option<Self> {
        if upstream == DialectId::TextCompletions {
            return None;
        }
        let mut events = Self {
            upstream,
            frames: Vec::new(),
            has_text: false,
        };
        match upstream {
            DialectId::Messages => events
                .push(&json!({"type": "message_start", "message": {"id": "m",
                "type": "message", "role": "assistant", "model": "m", "content": []}})),
            DialectId::Responses => {
                events.push(&json!({"type": "response.created", "response":
                {"id": "r", "created_at": 1, "model": "m", "status": "in_progress", "output": []}}));
            }
            _ => {}
        }
        Some(events)
    }

    fn push(&mut self, event: &Value) {
        self.frames.push(format!("data: {event}\n\n").into_bytes());
    }

    fn delta(&mut self, delta: &Value, finish: &Value) {
        self.push(
            &json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}),
        );
    }

    fn candidate(&mut self, parts: &Value, finish: &Value) {
        self.push(
            &json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0,
            "finishReason": finish}], "modelVersion": "m", "responseId": "r"}),
        );
    }

    fn text(&mut self, text: &str) {
        let is_first = !std::mem::replace(&mut self.has_text, true);
        match self.upstream {
            DialectId::Messages => {
                if is_first {
                    self.push(&json!({"type": "content_block_start", "index": 0,
                        "content_block": {"type": "text", "text": ""}}));
                }
                self.push(&json!({"type": "content_block_delta", "index": 0,
                    "delta": {"type": "text_delta", "text": text}}));
            }
            DialectId::GenerateContent => self.candidate(&json!([{"text": text}]), &Value::Null),
            DialectId::Responses => self.push(
                &json!({"type": "response.output_text.delta", "output_index": 0,
                "content_index": 0, "delta": text}),
            ),
            _ => self.delta(&json!({"content": text}), &Value::Null),
        }
    }

    fn open_call(&mut self, at: usize) {
        let id = format!("call_{at:05}");
        match self.upstream {
            DialectId::Messages => self.push(&json!({"type": "content_block_start", "index": at,
                "content_block": {"type": "tool_use", "id": id, "name": "f", "input": {}}})),
            DialectId::GenerateContent => {
                let call = json!({"functionCall": {"id": id, "name": "f", "args": {"a": 1}}});
                self.candidate(&json!([call]), &Value::Null);
            }
            DialectId::Responses => self.push(&json!({"type": "response.output_item.added",
                "output_index": at, "item": {"type": "function_call", "id": "fc", "call_id": id,
                    "name": "f", "arguments": ""}})),
            _ => self.delta(
                &json!({"tool_calls": [{"index": at, "id": id, "type": "function",
                "function": {"name": "f", "arguments": ""}}]}),
                &Value::Null,
            ),
        }
    }

    fn arguments(&mut self, at: usize) {
        let text = "{\"a\":1}";
        match self.upstream {
            DialectId::Messages => self.push(&json!({"type": "content_block_delta", "index": at,
                "delta": {"type": "input_json_delta", "partial_json": text}})),
            DialectId::GenerateContent => {}
            DialectId::Responses => self.push(&json!({"output_index": at, "delta": text,
                "type": "response.function_call_arguments.delta"})),
            _ => self.delta(
                &json!({"tool_calls": [{"index": at, "function": {"arguments": text}}]}),
                &Value::Null,
            ),
        }
    }

    fn close_call(&mut self, at: usize) {
        match self.upstream {
            DialectId::Messages => self.push(&json!({"type": "content_block_stop", "index": at})),
            DialectId::Responses => self.push(&json!({"type": "response.output_item.done",
                "output_index": at, "item": {"type": "function_call", "id": "fc",
                    "call_id": format!("call_{at:05}"), "name": "f", "arguments": "{\"a\":1}"}})),
            _ => {}
        }
    }

    fn end(mut self, has_calls: bool) -> Vec<Vec<u8>> {
        match self.upstream {
            DialectId::Messages => {
                if self.has_text {
                    self.push(&json!({"type": "content_block_stop", "index": 0}));
                }
                let reason = if has_calls { "tool_use" } else { "end_turn" };
                self.push(
                    &json!({"type": "message_delta", "delta": {"stop_reason": reason},
                    "usage": {"input_tokens": 1, "output_tokens": 1}}),
                );
                self.push(&json!({"type": "message_stop"}));
            }
            DialectId::GenerateContent => self.candidate(&json!([{"text": ""}]), &json!("STOP")),
            DialectId::Responses => self.push(&json!({"type": "response.completed", "response":
                {"id": "r", "model": "m", "status": "completed", "output": []}})),
            _ => {
                let reason = if has_calls { "tool_calls" } else { "stop" };
                self.delta(&json!({}), &json!(reason));
                self.frames.push(b"data: [DONE]\n\n".to_vec());
            }
        }
        self.frames
    }
}
