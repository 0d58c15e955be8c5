//! Limits on how much a request may hold, just at them and just beyond.

use serde_json::{Value, json};

use super::*;
use crate::DialectId::{
    self, ChatCompletions, GenerateContent, Messages, Responses, TextCompletions,
};
use crate::scan::{scan, scan_count};

const LIMITS: CountLimits = CountLimits {
    messages: 5,
    parts: 20,
    tools: 4,
    schema_nodes: 30,
    stops: 3,
};

/// Makes a member of a body that holds this many of something.
type Make = fn(usize) -> Value;

/// Checks that a body with `most` in a field is accepted, and one with more rejected by the limit's name.
fn check(dialect: DialectId, field: &str, most: usize, limit: &str, make: Make) {
    let (own, said) = match dialect {
        GenerateContent => (
            "contents",
            json!([{"role": "user", "parts": [{"text": "q"}]}]),
        ),
        Responses => ("input", json!([{"role": "user", "content": "q"}])),
        TextCompletions => ("prompt", json!("q")),
        _ => ("messages", json!([{"role": "user", "content": "q"}])),
    };
    let rejected = |count| {
        let mut body = json!({"model": "m", "max_tokens": 9, own: said});
        body[field] = make(count);
        rejected(dialect, &body)
    };
    assert_eq!(rejected(most), None, "{dialect:?} {limit}");
    let message = rejected(most + 1).expect(limit);
    assert!(message.contains(&format!("`limits.{limit}`")), "{message}");
}

/// Returns the message of the rejection.
fn rejected(dialect: DialectId, body: &Value) -> Option<String> {
    let body = body.to_string();
    let scan = scan(dialect, body.as_bytes()).expect("a valid body");
    let failure = scan.check_counts(body.as_bytes(), &LIMITS).err()?;
    Some(failure.message)
}

fn list(count: usize, entry: &Value) -> Value {
    vec![entry.clone(); count].into()
}

#[test]
fn messages_and_parts_are_accepted_up_to_their_limits() {
    let said: Make = |count| list(count, &json!({"role": "user", "content": "q"}));
    let contents: Make = |count| list(count, &json!({"parts": [{"text": "q"}]}));
    let texts: Make = |count| {
        let parts = list(count, &json!({"type": "text", "text": "q"}));
        json!([{"role": "user", "content": parts}])
    };
    let strings: Make = |count| json!([{"role": "user", "content": list(count, &json!("q"))}]);
    check(ChatCompletions, "messages", 5, "message_count", said);
    check(Messages, "messages", 5, "message_count", said);
    check(Responses, "input", 5, "message_count", said);
    check(GenerateContent, "contents", 5, "message_count", contents);
    let prompts: Make = |count| list(count, &json!("q"));
    check(TextCompletions, "prompt", 5, "message_count", prompts);
    // A message is a part of the conversation as well.
    check(Messages, "messages", 19, "part_count", texts);
    check(ChatCompletions, "messages", 19, "part_count", strings);
}

#[test]
fn tools_schemas_and_stops_are_accepted_up_to_their_limits() {
    let functions: Make = |count| list(count, &json!({"name": "f", "input_schema": {}}));
    let groups: Make = |count| {
        let functions = list(count, &json!({"name": "f"}));
        json!([{"functionDeclarations": functions}, {"googleSearch": {}}])
    };
    let namespace: Make =
        |count| json!([{"type": "namespace", "tools": list(count, &json!({"name": "f"}))}]);
    // The tool and its schema are nodes, and so is the body.
    let schema: Make = |count| {
        let inner = list(count - 3, &json!({}));
        json!([{"name": "f", "input_schema": {"anyOf": inner}}])
    };
    let stops: Make = |count| list(count, &json!("q"));
    let config: Make = |count| json!({"stopSequences": list(count, &json!("q"))});
    check(ChatCompletions, "tools", 4, "tool_count", functions);
    check(ChatCompletions, "functions", 4, "tool_count", functions);
    check(GenerateContent, "tools", 3, "tool_count", groups);
    check(Responses, "tools", 4, "tool_count", namespace);
    check(Messages, "tools", 30, "schema_node_count", schema);
    check(ChatCompletions, "stop", 3, "stop_count", stops);
    check(Messages, "stop_sequences", 3, "stop_count", stops);
    check(GenerateContent, "generationConfig", 3, "stop_count", config);
}

#[test]
fn objects_in_settings_are_no_tools_and_text_is_no_node() {
    let many = list(20, &json!({"a": 1}));
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "{}{}{}"}],
        "metadata": many, "tools": [{"type": "function", "function": {"name": "f",
            "parameters": {"enum": ["{", "[{}"]}}}]});
    assert_eq!(rejected(ChatCompletions, &body), None);
}

#[test]
fn a_body_that_asks_for_a_count_has_the_same_limits() {
    let body = json!({"model": "m", "input": list(6, &json!({"role": "user", "content": "q"}))});
    let body = body.to_string();
    let scan = scan_count(Responses, body.as_bytes()).expect("a valid body");
    let rejected = scan.check_counts(body.as_bytes(), &LIMITS);
    assert!(rejected.is_err());
}
