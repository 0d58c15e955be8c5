//! The events of a stream, each framed as one HTTP chunk, ready to be written one by one.

use serde_json::{Value, json};

use super::request::Format;

/// Begins every stream.
pub(super) const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; \
    charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";
/// Ends every stream.
pub(super) const END: &[u8] = b"0\r\n\r\n";

/// All events of an answer with so many pieces of text.
pub(super) fn events(format: Format, pieces: usize) -> Vec<Vec<u8>> {
    let texts = match format {
        Format::Chat => chat(pieces),
        Format::Messages => messages(pieces),
    };
    texts.iter().map(|text| chunk(text)).collect()
}

fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

fn chat(pieces: usize) -> Vec<String> {
    let event = |choices: Value, usage: Value| {
        let value = json!({
            "id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "gpt-4o-mini", "service_tier": "default", "system_fingerprint": "fp_mock",
            "choices": choices, "usage": usage,
        });
        format!("data: {value}\n\n")
    };
    let choice = |delta: Value, finish: Value| json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
    let first = json!({"role": "assistant", "content": "", "refusal": null});
    let mut all = vec![event(choice(first, Value::Null), Value::Null)];
    all.extend((0..pieces).map(|number| {
        let piece = json!({"content": format!(" word{number}")});
        event(choice(piece, Value::Null), Value::Null)
    }));
    all.push(event(choice(json!({}), json!("stop")), Value::Null));
    let usage = json!({"prompt_tokens": 210, "completion_tokens": pieces,
        "total_tokens": 210 + pieces});
    all.push(event(json!([]), usage));
    all.push("data: [DONE]\n\n".to_owned());
    all
}

fn messages(pieces: usize) -> Vec<String> {
    let event = |name: &str, value: Value| format!("event: {name}\ndata: {value}\n\n");
    let mut all = vec![
        event(
            "message_start",
            json!({"type": "message_start", "message": {"id": "msg_mock", "type": "message",
                "role": "assistant", "model": "claude-mock", "content": [], "stop_reason": null,
                "stop_sequence": null, "usage": {"input_tokens": 210, "output_tokens": 1}}}),
        ),
        event(
            "content_block_start",
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "text", "text": ""}}),
        ),
    ];
    all.extend((0..pieces).map(|number| {
        event(
            "content_block_delta",
            json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": format!(" word{number}")}}),
        )
    }));
    all.push(event(
        "content_block_stop",
        json!({"type": "content_block_stop", "index": 0}),
    ));
    all.push(event(
        "message_delta",
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null},
            "usage": {"output_tokens": pieces}}),
    ));
    all.push(event("message_stop", json!({"type": "message_stop"})));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_stream_has_four_events_beside_its_pieces() {
        let all = events(Format::Chat, 64);
        assert_eq!(all.len(), 68);
        let last = String::from_utf8_lossy(&all[67]);
        assert_eq!(last, "e\r\ndata: [DONE]\n\n\r\n");
    }
}
