//! A whole answer of every upstream dialect: words and one call.

use dialects::DialectId;
use serde_json::{Value, json};

use crate::words::text;

/// A whole answer, about 2 KB of it words.
pub fn reply(dialect: DialectId) -> Vec<u8> {
    serde_json::to_vec(&body(dialect)).expect("a JSON value always serialises")
}

fn body(dialect: DialectId) -> Value {
    let words = text(2000, 1);
    let arguments = json!({"harbour": "Nordhafen", "hour": 7});
    match dialect {
        DialectId::ChatCompletions => json!({
            "id": "chatcmpl-bench0001", "object": "chat.completion", "created": 1_780_000_000,
            "model": "bench-model-1",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words,
                "refusal": null, "annotations": [],
                "tool_calls": [{"id": "call_0001", "type": "function",
                    "function": {"name": "tide", "arguments": arguments.to_string()}}]},
                "logprobs": null, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 90, "completion_tokens": 480, "total_tokens": 570,
                "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}},
            "service_tier": "default", "system_fingerprint": "fp_bench",
        }),
        DialectId::TextCompletions => json!({
            "id": "cmpl-bench0001", "object": "text_completion", "created": 1_780_000_000,
            "model": "bench-model-1",
            "choices": [{"index": 0, "text": words, "logprobs": null, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 90, "completion_tokens": 480, "total_tokens": 570},
        }),
        DialectId::Messages => json!({
            "id": "msg_bench0001", "type": "message", "role": "assistant",
            "model": "bench-model-1",
            "content": [{"type": "text", "text": words},
                {"type": "tool_use", "id": "toolu_0001", "name": "tide", "input": arguments}],
            "stop_reason": "tool_use", "stop_sequence": null,
            "usage": {"input_tokens": 26, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 64,
                "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
                "output_tokens": 480, "service_tier": "standard"},
        }),
        DialectId::GenerateContent => json!({
            "candidates": [{"content": {"role": "model", "parts": [{"text": words},
                {"functionCall": {"name": "tide", "args": arguments}}]},
                "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": 480,
                "totalTokenCount": 570, "cachedContentTokenCount": 64,
                "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 90}]},
            "modelVersion": "bench-model-1", "responseId": "bench0001",
        }),
        DialectId::Responses => json!({
            "id": "resp_bench0001", "object": "response", "created_at": 1_780_000_000,
            "status": "completed", "error": null, "incomplete_details": null,
            "instructions": null, "model": "bench-model-1",
            "output": [
                {"id": "msg_bench0001", "type": "message", "status": "completed",
                    "role": "assistant", "content": [{"type": "output_text", "annotations": [],
                        "logprobs": [], "text": words}]},
                {"id": "fc_bench0001", "type": "function_call", "status": "completed",
                    "call_id": "call_0001", "name": "tide", "arguments": arguments.to_string()},
            ],
            "parallel_tool_calls": true, "service_tier": "default", "store": false,
            "temperature": 1, "tool_choice": "auto", "tools": [], "top_p": 1,
            "usage": {"input_tokens": 90, "input_tokens_details": {"cached_tokens": 64},
                "output_tokens": 480, "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 570},
            "metadata": {},
        }),
    }
}
