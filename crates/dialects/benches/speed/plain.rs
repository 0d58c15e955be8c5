//! The smallest calls there are: a question and an answer of about a kilobyte, no tools. What they cost
//! is what every call costs, however little it says.

use dialects::DialectId;
use serde_json::{Value, json};

use crate::requests::MODEL;

const SENTENCE: &str =
    "Say in a few words what this text is about, and keep every figure that it names. ";
const SYSTEM: &str = "You are brief.";

/// A request.
pub fn request(dialect: DialectId) -> Vec<u8> {
    bytes(&asked(dialect, &SENTENCE.repeat(10)))
}

/// A whole answer.
pub fn reply(dialect: DialectId) -> Vec<u8> {
    bytes(&answered(dialect, &SENTENCE.repeat(7)))
}

fn bytes(body: &Value) -> Vec<u8> {
    serde_json::to_vec(body).expect("a JSON value always serialises")
}

fn asked(dialect: DialectId, text: &str) -> Value {
    match dialect {
        DialectId::ChatCompletions => json!({
            "model": MODEL, "max_tokens": 256, "temperature": 0.7, "messages": [
                {"role": "system", "content": SYSTEM}, {"role": "user", "content": text}],
        }),
        DialectId::TextCompletions => json!({
            "model": MODEL, "prompt": text, "max_tokens": 256, "temperature": 0.7,
        }),
        DialectId::Messages => json!({
            "model": MODEL, "messages": [{"role": "user", "content": text}],
            "max_tokens": 256, "temperature": 0.7, "system": SYSTEM,
        }),
        DialectId::GenerateContent => json!({
            "systemInstruction": {"parts": [{"text": SYSTEM}]},
            "contents": [{"role": "user", "parts": [{"text": text}]}],
            "generationConfig": {"temperature": 0.7, "maxOutputTokens": 256},
        }),
        DialectId::Responses => json!({
            "model": MODEL, "instructions": SYSTEM, "input": text, "temperature": 0.7,
            "max_output_tokens": 256,
        }),
    }
}

fn answered(dialect: DialectId, text: &str) -> Value {
    match dialect {
        DialectId::ChatCompletions => json!({
            "id": "chatcmpl-bench", "object": "chat.completion", "created": 1_780_000_000,
            "model": "bench-model-1",
            "choices": [{"index": 0, "logprobs": null, "finish_reason": "stop",
                "message": {"role": "assistant", "content": text, "refusal": null}}],
            "usage": {"prompt_tokens": 210, "completion_tokens": 110, "total_tokens": 320,
                "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}},
            "service_tier": "default", "system_fingerprint": "fp_bench",
        }),
        DialectId::TextCompletions => json!({
            "id": "cmpl-bench", "object": "text_completion", "created": 1_780_000_000,
            "model": "bench-model-1",
            "choices": [{"index": 0, "text": text, "logprobs": null, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 210, "completion_tokens": 110, "total_tokens": 320},
        }),
        DialectId::Messages => json!({
            "id": "msg_bench", "type": "message", "role": "assistant", "model": "bench-model-1",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 210, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0, "output_tokens": 110},
        }),
        DialectId::GenerateContent => json!({
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]},
                "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 210, "candidatesTokenCount": 110,
                "totalTokenCount": 320},
            "modelVersion": "bench-model-1", "responseId": "bench",
        }),
        DialectId::Responses => json!({
            "id": "resp_bench", "object": "response", "created_at": 1_780_000_000,
            "status": "completed", "model": "bench-model-1",
            "output": [{"id": "msg_bench", "type": "message", "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "annotations": [], "text": text}]}],
            "usage": {"input_tokens": 210, "output_tokens": 110, "total_tokens": 320},
        }),
    }
}
