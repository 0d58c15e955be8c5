//! Limits on how much a request may hold, just at them and just beyond.

use serde_json::{Value, json};

use super::*;
use crate::DialectId;
use crate::scan::{scan, scan_count};

const LIMITS: CountLimits = CountLimits {
    messages: 5,
    parts: 20,
    tools: 4,
    schema_nodes: 30,
    stops: 3,
};

/// The field and the message of the rejection.
fn rejected(dialect: DialectId, body: &Value) -> Option<(String, String)> {
    let body = body.to_string();
    let scan = scan(dialect, body.as_bytes()).expect("a valid body");
    let failure = scan.check_counts(body.as_bytes(), &LIMITS).err()?;
    Some((failure.param.unwrap_or_default(), failure.message))
}

fn list(count: usize, entry: &Value) -> Value {
    vec![entry.clone(); count].into()
}

#[test]
fn each_count_is_accepted_up_to_its_limit_in_every_dialect() {
    use DialectId::{ChatCompletions, GenerateContent, Messages, Responses, TextCompletions};
    let said = json!({"role": "user", "content": "q"});
    let content = json!({"role": "user", "parts": [{"text": "q"}]});
    let with = |field: &str, value: Value, more: Value| {
        let mut body = json!({"model": "m", "max_tokens": 9});
        let own = if field == "contents" { &content } else { &said };
        let given = ["messages", "input", "contents"].into_iter();
        for name in given.filter(|name| more[*name] == json!(true)) {
            body[name] = list(1, own);
        }
        body[field] = value;
        body
    };
    let none = || json!({});
    let at = |name: &str| json!({ name: true });
    let function = json!({"name": "f", "input_schema": {"type": "object"}});
    let parts = |count| json!([{"role": "user", "content": list(count, &json!({"type": "text", "text": "q"}))}]);
    let strings = |count| list(count, &json!("q"));
    let groups = |count| json!([{"functionDeclarations": list(count, &json!({"name": "f"}))}, {"googleSearch": {}}]);
    let namespace =
        |count| json!([{"type": "namespace", "tools": list(count, &json!({"name": "f"}))}]);
    let stops = |count| json!({"stopSequences": strings(count), "maxOutputTokens": 3});
    let schema = |count| {
        list(
            1,
            &json!({"name": "f", "input_schema": {"anyOf": list(count - 2, &none())}}),
        )
    };
    type Body<'a> = Box<dyn Fn(usize) -> Value + 'a>;
    let cases: [(DialectId, &str, usize, &str, Body<'_>); 14] = [
        (
            ChatCompletions,
            "messages",
            5,
            "message_count",
            Box::new(|n| with("messages", list(n, &said), none())),
        ),
        (
            Messages,
            "messages",
            5,
            "message_count",
            Box::new(|n| with("messages", list(n, &said), none())),
        ),
        (
            Responses,
            "input",
            5,
            "message_count",
            Box::new(|n| with("input", list(n, &said), none())),
        ),
        (
            GenerateContent,
            "contents",
            5,
            "message_count",
            Box::new(|n| with("contents", list(n, &content), none())),
        ),
        (
            TextCompletions,
            "prompt",
            5,
            "message_count",
            Box::new(|n| with("prompt", strings(n), none())),
        ),
        (
            Messages,
            "messages",
            19,
            "part_count",
            Box::new(|n| with("messages", parts(n), none())),
        ),
        (
            ChatCompletions,
            "messages",
            19,
            "part_count",
            Box::new(|n| {
                with(
                    "messages",
                    json!([{"role": "user", "content": strings(n)}]),
                    none(),
                )
            }),
        ),
        (
            ChatCompletions,
            "tools",
            4,
            "tool_count",
            Box::new(|n| with("tools", list(n, &function), at("messages"))),
        ),
        (
            ChatCompletions,
            "functions",
            4,
            "tool_count",
            Box::new(|n| with("functions", list(n, &function), at("messages"))),
        ),
        (
            GenerateContent,
            "tools",
            3,
            "tool_count",
            Box::new(|n| with("tools", groups(n), at("contents"))),
        ),
        (
            Responses,
            "tools",
            4,
            "tool_count",
            Box::new(|n| with("tools", namespace(n), at("input"))),
        ),
        // The body itself is a node.
        (
            Messages,
            "tools",
            29,
            "schema_node_count",
            Box::new(|n| with("tools", schema(n), at("messages"))),
        ),
        (
            ChatCompletions,
            "stop",
            3,
            "stop_count",
            Box::new(|n| with("stop", strings(n), at("messages"))),
        ),
        (
            GenerateContent,
            "stopSequences",
            3,
            "stop_count",
            Box::new(|n| with("generationConfig", stops(n), at("contents"))),
        ),
    ];
    for (dialect, field, most, limit, body) in cases {
        assert_eq!(rejected(dialect, &body(most)), None, "{dialect:?} {limit}");
        let (param, message) = rejected(dialect, &body(most + 1)).expect(limit);
        assert_eq!(param, field, "{message}");
        assert!(message.contains(&format!("`limits.{limit}`")), "{message}");
    }
}

#[test]
fn objects_in_settings_are_no_tools_and_text_is_no_node() {
    let many = list(20, &json!({"a": 1}));
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "{}{}{}"}],
        "metadata": many, "tools": [{"type": "function", "function": {"name": "f",
            "parameters": {"enum": ["{", "[{}"]}}}]});
    assert_eq!(rejected(DialectId::ChatCompletions, &body), None);
}

#[test]
fn a_body_that_asks_for_a_count_has_the_same_limits() {
    let body = json!({"model": "m", "input": list(6, &json!({"role": "user", "content": "q"}))});
    let body = body.to_string();
    let scan = scan_count(DialectId::Responses, body.as_bytes()).expect("a valid body");
    let rejected = scan.check_counts(body.as_bytes(), &LIMITS);
    assert!(rejected.is_err());
}
