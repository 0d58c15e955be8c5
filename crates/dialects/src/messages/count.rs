//! Token counts (`/v1/messages/count_tokens`): the question is a request without a cap, the answer
//! one number.

use serde_json::{Map, Value};

use super::contract::{self, Purpose};
use super::{request_read, request_write};
use crate::canonical::{Failure, Request};
use crate::{json, tree};

/// What the vendor's counter takes; everything else in a request does not change the count.
const COUNTED: [&str; 11] = [
    "model",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "output_format",
    "cache_control",
    "mcp_servers",
    "context_management",
];

/// Reads a client's question.
pub fn read_request(body: &[u8]) -> Result<Request, Failure> {
    contract::check(body, Purpose::Count)?;
    tree::read_body(body, request_read::from_members)
}

/// Writes the question for an upstream of this dialect, made from any request.
pub fn write_request(request: &Request) -> Vec<u8> {
    let mut body = request_write::body(request);
    body.retain(|key, _| COUNTED.contains(&key.as_str()));
    json::text(&Value::Object(body)).into_bytes()
}

/// Reads an upstream's answer; Bedrock spells the number in its own way.
pub fn read_answer(body: &[u8]) -> Result<u64, Failure> {
    let answer = json::read_upstream_object(body)?;
    let number = answer
        .get("input_tokens")
        .or_else(|| answer.get("inputTokens"));
    number
        .and_then(Value::as_u64)
        .ok_or_else(|| Failure::upstream("The upstream's token count has no number in it."))
}

/// Writes the answer for a client.
pub fn write_answer(input_tokens: u64) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("input_tokens".to_owned(), input_tokens.into());
    json::text(&Value::Object(body)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_needs_no_cap_and_carries_none() {
        let body = br#"{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":5,"temperature":1,"stream":true}"#;
        let request = read_request(body).unwrap();
        let written: Value = serde_json::from_slice(&write_request(&request)).unwrap();
        assert_eq!(
            written,
            serde_json::json!({"model": "m", "messages": [{"role": "user", "content": "x"}]})
        );
    }

    #[test]
    fn the_answer_is_one_number() {
        assert_eq!(write_answer(12), br#"{"input_tokens":12}"#);
        assert_eq!(read_answer(br#"{"input_tokens":12,"x":1}"#), Ok(12));
        assert_eq!(read_answer(br#"{"inputTokens":12}"#), Ok(12));
        assert!(read_answer(br#"{"input_tokens":"12"}"#).is_err());
        assert!(read_answer(b"[]").is_err());
    }
}
