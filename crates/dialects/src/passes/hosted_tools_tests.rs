//! Hosted tools beside functions, their limits, and choices that leave them out.

use serde_json::{Value, json};

use crate::passes::tests::{CHAT, GENERATE, MESSAGES, RESPONSES, send, user};

/// A request of messages with a search and a function.
fn searching() -> Value {
    json!({"model": "m", "max_tokens": 9, "messages": [user("q")], "tool_choice": {"type": "auto"},
        "tools": [{"name": "f", "input_schema": {"type": "object"}},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 3,
                "blocked_domains": ["a.test"]}]})
}

#[test]
fn functions_beside_a_search_are_announced_or_go_alone() {
    let new = send(MESSAGES, GENERATE, "gemini-3-pro-preview", &searching()).body;
    assert_eq!(new["tools"][1], json!({"googleSearch": {}}));
    let config = json!({"includeServerSideToolInvocations": true,
        "functionCallingConfig": {"mode": "VALIDATED"}});
    assert_eq!(new["toolConfig"], config);
    let old = send(MESSAGES, GENERATE, "gemini-2.5-flash", &searching());
    assert_eq!(old.body["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        old.body["toolConfig"],
        json!({"functionCallingConfig": {"mode": "AUTO"}})
    );
    assert_eq!(old.dropped, ["tools.web_search_20250305"]);
    let mut alone = searching();
    alone["tools"].as_array_mut().unwrap().remove(0);
    let old = send(MESSAGES, GENERATE, "gemini-2.5-flash", &alone).body;
    assert_eq!(old["tools"], json!([{"googleSearch": {}}]));
    assert_eq!(
        old["toolConfig"],
        json!({"functionCallingConfig": {"mode": "AUTO"}})
    );
}

#[test]
fn limits_of_a_search_that_are_lost_are_named() {
    for to in [CHAT, GENERATE, RESPONSES] {
        let sent = send(MESSAGES, to, "m", &searching());
        assert_eq!(
            sent.dropped,
            ["tools.blocked_domains", "tools.max_uses"],
            "{to:?}"
        );
    }
    let body = json!({"model": "m", "input": "q", "tools": [
        {"type": "web_search", "filters": {"allowed_domains": ["a.test"]}}]});
    assert!(send(RESPONSES, MESSAGES, "m", &body).dropped.is_empty());
    let sent = send(RESPONSES, CHAT, "m", &body);
    assert_eq!(sent.dropped, ["tools.allowed_domains"]);
}

#[test]
fn a_narrowed_choice_leaves_out_hosted_tools_that_it_does_not_name() {
    let function = json!({"type": "function", "name": "f"});
    let mut body = json!({"model": "m", "input": "q", "tools": [
        {"type": "function", "name": "f", "parameters": {"type": "object"}}, {"type": "web_search"}],
        "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [function]}});
    let names = |body: &Value| {
        let sent = send(RESPONSES, MESSAGES, "m", body).body;
        let tools = sent["tools"].as_array().unwrap().clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&body), ["f"]);
    body["tool_choice"]["tools"] = json!([function, {"type": "web_search"}]);
    assert_eq!(names(&body), ["f", "web_search"]);
}
