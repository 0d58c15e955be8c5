//! Counts of tokens across dialects: a request that was written for an upstream becomes the question that its vendor's
//! counter takes, and the number in the answer is written as the client's dialect has it.

use serde_json::Value;

use crate::canonical::Failure;
use crate::{DialectId, generate_content, json, messages, responses};

/// What the counter of messages takes of a request; it refuses everything else.
const OF_MESSAGES: [&str; 8] = [
    "model",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "cache_control",
];
/// What the counter of responses takes.
const OF_RESPONSES: [&str; 9] = [
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "text",
    "reasoning",
    "truncation",
];

/// Whether vendors of this dialect have a counter.
pub fn has_counter(dialect: DialectId) -> bool {
    match dialect {
        DialectId::Messages | DialectId::GenerateContent | DialectId::Responses => true,
        DialectId::ChatCompletions | DialectId::TextCompletions => false,
    }
}

/// Makes the question of a request that was written in this dialect, for this model of the upstream.
pub fn question(dialect: DialectId, request: &[u8], model: &str) -> Result<Vec<u8>, Failure> {
    match dialect {
        DialectId::Messages => only(&OF_MESSAGES, request),
        DialectId::Responses => only(&OF_RESPONSES, request),
        _ => generate_content::hold_request(request, model),
    }
}

fn only(names: &[&str], request: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut members = json::read_object(request)?;
    members.retain(|name, _| names.contains(&name.as_str()));
    Ok(json::bytes(&Value::Object(members)))
}

/// The number in an upstream's answer.
pub fn answered(dialect: DialectId, body: &[u8]) -> Option<u64> {
    let answer = json::read_upstream_object(body).ok()?;
    let names: &[&str] = match dialect {
        DialectId::GenerateContent => &["totalTokens"],
        // Bedrock has a word of its own.
        _ => &["input_tokens", "inputTokens"],
    };
    names.iter().find_map(|name| answer.get(*name)?.as_u64())
}

/// Writes the number for a client.
pub fn write(dialect: DialectId, tokens: u64) -> Vec<u8> {
    match dialect {
        DialectId::GenerateContent => generate_content::write_count(tokens),
        DialectId::Responses => responses::write_count(tokens),
        _ => messages::count::write_answer(tokens),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_has_what_its_counter_takes() {
        let ask = |dialect, request: Value| -> Value {
            let asked = question(dialect, request.to_string().as_bytes(), "up").unwrap();
            serde_json::from_slice(&asked).unwrap()
        };
        let messages = json!([{"role": "user", "content": "Hi"}]);
        assert_eq!(
            ask(
                DialectId::Messages,
                json!({"model": "up", "max_tokens": 9, "messages": messages, "temperature": 1})
            ),
            json!({"model": "up", "messages": messages})
        );
        assert_eq!(
            ask(
                DialectId::Responses,
                json!({"model": "up", "input": "Hi", "store": false, "instructions": "Be brief."})
            ),
            json!({"model": "up", "input": "Hi", "instructions": "Be brief."})
        );
        assert_eq!(
            ask(DialectId::GenerateContent, json!({"contents": []})),
            json!({"generateContentRequest": {"contents": [], "model": "models/up"}})
        );
    }

    #[test]
    fn a_number_is_read_and_written_in_every_dialect_with_a_counter() {
        let counters = DialectId::ALL.into_iter().filter(|id| has_counter(*id));
        for dialect in counters {
            assert_eq!(answered(dialect, &write(dialect, 41)), Some(41));
            assert_eq!(answered(dialect, b"{}"), None);
            assert_eq!(answered(dialect, b"[41]"), None);
        }
        let amazons = br#"{"inputTokens":41}"#;
        assert_eq!(answered(DialectId::Messages, amazons), Some(41));
    }
}
