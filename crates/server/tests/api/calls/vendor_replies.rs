//! What vendors answer: "Hello there", seven tokens in and two out, in each dialect.

use serde_json::{Value, json};
use testkit::Reply;

/// The whole answer of a dialect.
pub fn whole(dialect: &str) -> Value {
    match dialect {
        "chat" => json!({"id": "c1", "object": "chat.completion", "created": 1, "model": "up-real",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello there"},
                "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}),
        "completions" => json!({"id": "c1", "object": "text_completion", "created": 1,
            "model": "up-real", "choices": [{"index": 0, "text": "Hello there",
                "finish_reason": "stop", "logprobs": null}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}),
        "messages" => json!({"id": "msg_1", "type": "message", "role": "assistant",
            "model": "up-real", "content": [{"type": "text", "text": "Hello there"}],
            "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 7, "output_tokens": 2, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0}}),
        "responses" => json!({"id": "resp_1", "object": "response", "created_at": 1,
            "status": "completed", "model": "up-real", "output": [{"id": "msg_1",
                "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Hello there", "annotations": []}]}],
            "usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0}}}),
        _ => json!({"candidates": [{"index": 0, "finishReason": "STOP", "content":
                {"role": "model", "parts": [{"text": "Hello there"}]}}],
            "modelVersion": "up-real", "responseId": "r1",
            "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2,
                "totalTokenCount": 9}}),
    }
}

/// The streamed answer of a dialect, up to its last content.
pub fn begun(dialect: &str) -> Reply {
    match dialect {
        "chat" => {
            let chunk = |delta: Value| {
                json!({"id": "c1", "object": "chat.completion.chunk", "created": 1,
                    "model": "up-real", "choices": [{"index": 0, "delta": delta,
                    "finish_reason": null}]})
                .to_string()
            };
            Reply::sse()
                .data(&chunk(json!({"role": "assistant", "content": ""})))
                .data(&chunk(json!({"content": "Hello"})))
                .data(&chunk(json!({"content": " there"})))
        }
        "completions" => {
            let chunk = |text: &str| {
                json!({"id": "c1", "object": "text_completion", "created": 1, "model": "up-real",
                    "choices": [{"index": 0, "text": text, "finish_reason": null}]})
                .to_string()
            };
            Reply::sse().data(&chunk("Hello")).data(&chunk(" there"))
        }
        "messages" => {
            let delta = |text: &str| {
                json!({"type": "content_block_delta", "index": 0,
                    "delta": {"type": "text_delta", "text": text}})
                .to_string()
            };
            let start = json!({"type": "message_start", "message": {"id": "msg_1",
                "type": "message", "role": "assistant", "model": "up-real", "content": [],
                "stop_reason": null, "usage": {"input_tokens": 7, "output_tokens": 0,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}}});
            let block = json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "text", "text": ""}});
            Reply::sse()
                .event("message_start", &start.to_string())
                .event("content_block_start", &block.to_string())
                .event("content_block_delta", &delta("Hello"))
                .event("content_block_delta", &delta(" there"))
        }
        "responses" => {
            let shell = |status: &str| {
                json!({"id": "resp_1", "object": "response", "created_at": 1, "status": status,
                    "model": "up-real", "output": []})
            };
            let created = json!({"type": "response.created", "sequence_number": 0,
                "response": shell("in_progress")});
            let item = json!({"type": "response.output_item.added", "sequence_number": 1,
                "output_index": 0, "item": {"id": "msg_1", "type": "message",
                "role": "assistant", "status": "in_progress", "content": []}});
            let part = json!({"type": "response.content_part.added", "sequence_number": 2,
                "item_id": "msg_1", "output_index": 0, "content_index": 0,
                "part": {"type": "output_text", "text": "", "annotations": []}});
            let delta = |number: u64, text: &str| {
                json!({"type": "response.output_text.delta", "sequence_number": number,
                    "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text})
                .to_string()
            };
            Reply::sse()
                .event("response.created", &created.to_string())
                .event("response.output_item.added", &item.to_string())
                .event("response.content_part.added", &part.to_string())
                .event("response.output_text.delta", &delta(3, "Hello"))
                .event("response.output_text.delta", &delta(4, " there"))
        }
        _ => {
            let chunk = |text: &str| {
                json!({"candidates": [{"index": 0, "content":
                    {"role": "model", "parts": [{"text": text}]}}],
                    "modelVersion": "up-real", "responseId": "r1"})
                .to_string()
            };
            Reply::sse().data(&chunk("Hello")).data(&chunk(" there"))
        }
    }
}

/// The streamed answer of a dialect, to its end.
pub fn stream(dialect: &str) -> Reply {
    let begun = begun(dialect);
    match dialect {
        "chat" => {
            let last = json!({"id": "c1", "object": "chat.completion.chunk", "created": 1,
                "model": "up-real", "choices": [{"index": 0, "delta": {},
                "finish_reason": "stop"}]});
            let usage = json!({"id": "c1", "object": "chat.completion.chunk", "created": 1,
                "model": "up-real", "choices": [],
                "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}});
            begun
                .data(&last.to_string())
                .data(&usage.to_string())
                .data("[DONE]")
        }
        "completions" => {
            let last = json!({"id": "c1", "object": "text_completion", "created": 1,
                "model": "up-real",
                "choices": [{"index": 0, "text": "", "finish_reason": "stop"}]});
            let usage = json!({"id": "c1", "object": "text_completion", "created": 1,
                "model": "up-real", "choices": [],
                "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}});
            begun
                .data(&last.to_string())
                .data(&usage.to_string())
                .data("[DONE]")
        }
        "messages" => {
            let delta = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn",
                "stop_sequence": null}, "usage": {"output_tokens": 2}});
            begun
                .event(
                    "content_block_stop",
                    r#"{"type":"content_block_stop","index":0}"#,
                )
                .event("message_delta", &delta.to_string())
                .event("message_stop", r#"{"type":"message_stop"}"#)
        }
        "responses" => {
            let done = json!({"type": "response.completed", "sequence_number": 5,
                "response": whole("responses")});
            begun.event("response.completed", &done.to_string())
        }
        _ => {
            let last = json!({"candidates": [{"index": 0, "finishReason": "STOP",
                "content": {"role": "model", "parts": [{"text": ""}]}}],
                "modelVersion": "up-real", "responseId": "r1",
                "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2,
                    "totalTokenCount": 9}});
            begun.data(&last.to_string())
        }
    }
}
