//! The whole answers, as the bytes that go out: about a kilobyte each, with usage.

use serde_json::{Value, json};

use super::request::Format;

const SENTENCE: &str = "A gateway that is asked for little should cost little, and one that is \
    asked for much should at least say where the time went. ";

/// Every answer that is not a stream.
pub(super) struct Replies {
    chat: Vec<u8>,
    messages: Vec<u8>,
    /// For a share of the calls.
    pub failed: Vec<u8>,
    /// For paths that the mock does not know.
    pub unknown: Vec<u8>,
}

impl Replies {
    pub fn new() -> Self {
        let text = SENTENCE.repeat(4);
        Self {
            chat: reply("200 OK", &chat(&text)),
            messages: reply("200 OK", &messages(&text)),
            failed: reply(
                "500 Internal Server Error",
                &json!({"error": {"message": "The mock was asked to fail.", "type": "server_error",
                    "param": null, "code": null}}),
            ),
            unknown: reply(
                "404 Not Found",
                &json!({"error": {"message": "The mock does not know this path.",
                    "type": "invalid_request_error", "param": null, "code": null}}),
            ),
        }
    }

    pub fn of(&self, format: Format) -> &[u8] {
        match format {
            Format::Chat => &self.chat,
            Format::Messages => &self.messages,
        }
    }
}

fn chat(text: &str) -> Value {
    json!({
        "id": "chatcmpl-mock", "object": "chat.completion", "created": 1_700_000_000,
        "model": "gpt-4o-mini",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": null},
            "logprobs": null, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 210, "completion_tokens": 110, "total_tokens": 320,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}},
        "service_tier": "default", "system_fingerprint": "fp_mock",
    })
}

fn messages(text: &str) -> Value {
    json!({
        "id": "msg_mock", "type": "message", "role": "assistant", "model": "claude-mock",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 210, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0, "output_tokens": 110},
    })
}

fn reply(status: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nx-request-id: req_mock\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
