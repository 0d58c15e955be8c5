//! Token counts (`/v1/messages/count_tokens`): the question is a request without a cap, the answer
//! one number.

use serde_json::{Map, Value};

use super::contract::{self, Purpose};
use super::request_read;
use crate::canonical::{Failure, Request};
use crate::{json, tree};

/// Reads a client's question.
pub fn read_request(body: &[u8]) -> Result<Request, Failure> {
    contract::check(body, Purpose::Count)?;
    tree::read_body(body, request_read::from_members)
}

/// An upstream's answer as clients know it, where it is not written so: Bedrock has a word of its own for the number.
pub fn respelled(body: &[u8]) -> Option<Vec<u8>> {
    let answer = json::read_upstream_object(body).ok()?;
    if answer.contains_key("input_tokens") {
        return None;
    }
    answer.get("inputTokens")?.as_u64().map(write_answer)
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
    fn a_question_needs_no_cap() {
        let body = br#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;
        let request = read_request(body).unwrap();
        assert_eq!((request.model.as_str(), request.max_output), ("m", None));
        assert_eq!(request.turns.len(), 1);
    }

    #[test]
    fn the_answer_is_one_number() {
        assert_eq!(write_answer(12), br#"{"input_tokens":12}"#);
        assert_eq!(respelled(br#"{"inputTokens":12}"#), Some(write_answer(12)));
        for body in [
            r#"{"input_tokens":12,"x":1}"#,
            r#"{"inputTokens":"12"}"#,
            "[]",
        ] {
            assert_eq!(respelled(body.as_bytes()), None);
        }
    }
}
