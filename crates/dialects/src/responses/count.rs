//! Token counting: the body of `/v1/responses/input_tokens` and its answer.

use serde_json::{Value, json};

use super::request_write::write_map;
use crate::canonical::{Failure, Request};
use crate::json;

/// The fields of a request that counting takes.
const COUNTED: [&str; 11] = [
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "text",
    "reasoning",
    "truncation",
    "previous_response_id",
    "conversation",
];

/// Writes the body that asks an upstream to count a request's input.
pub fn write_count_request(request: &Request) -> Vec<u8> {
    let mut map = write_map(request);
    map.retain(|key, _| COUNTED.contains(&key.as_str()));
    json::bytes(&map)
}

/// Reads an upstream's count.
pub fn read_count(body: &[u8]) -> Result<u64, Failure> {
    let map = json::read_upstream_object(body)?;
    map.get("input_tokens")
        .and_then(Value::as_u64)
        .ok_or_else(|| Failure::upstream("The upstream's count has no `input_tokens`."))
}

/// Writes a count for a client.
pub fn write_count(tokens: u64) -> Vec<u8> {
    json::bytes(&json!({"object": "response.input_tokens", "input_tokens": tokens}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::responses::request_read::read_request;

    #[test]
    fn only_what_counts_is_sent_to_be_counted() {
        let request = read_request(
            br#"{"model":"m","input":"hi","instructions":"x","stream":true,"store":false,
            "temperature":0,"max_output_tokens":99,"truncation":"auto","tools":[]}"#,
        )
        .expect("a request");
        let body: Value = serde_json::from_slice(&write_count_request(&request)).expect("JSON");
        assert_eq!(
            body,
            json!({"model": "m", "instructions": "x", "input": "hi", "tools": [],
                "truncation": "auto"})
        );
    }

    #[test]
    fn a_count_is_written_and_read() {
        let body = write_count(42);
        assert_eq!(
            body,
            br#"{"object":"response.input_tokens","input_tokens":42}"#
        );
        assert_eq!(read_count(&body), Ok(42));
        assert!(read_count(br#"{"input_tokens":"many"}"#).is_err());
    }
}
