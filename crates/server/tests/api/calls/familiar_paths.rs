//! Paths that clients of other gateways call: the same endpoints, rights and log rows behind them.

use serde_json::json;

use super::gateway::Gateway;
use crate::support::send;

const BOUND: &str = r#"
[[tokens]]
name = "chat only"
key = "sk-bound-0123456789abcdef"
endpoints = ["/v1/chat/completions"]
"#;

#[test]
fn clients_of_other_gateways_keep_their_addresses() {
    let gateway = Gateway::start();
    let chat = json!({"model": "demo-chat", "max_tokens": 20,
        "messages": [{"role": "user", "content": "Hello"}]});
    let contents = json!({"contents": [{"parts": [{"text": "Hello"}]}]});
    for (path, body, answers_with) in [
        ("/chat/completions", &chat, "choices"),
        ("/openai/chat/completions", &chat, "choices"),
        ("/openai/v1/chat/completions", &chat, "choices"),
        ("/v1beta/openai/chat/completions", &chat, "choices"),
        ("/anthropic/v1/messages", &chat, "stop_reason"),
        (
            "/genai/v1beta/models/demo-chat:generateContent",
            &contents,
            "candidates",
        ),
    ] {
        let reply = gateway.post(path, body);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert!(!reply.json()[answers_with].is_null(), "{path}");
    }
    // Azure's clients: the model in the path as well, the token in a header of its own.
    let address = gateway.program.address;
    let headers = [
        ("api-key", gateway.token.as_str()),
        ("content-type", "application/json"),
    ];
    let line = "POST /openai/deployments/demo-chat/chat/completions?api-version=2024-10-21";
    let reply = send(address, line, &headers, &chat.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(gateway.row(&reply).endpoint, "/v1/chat/completions");
}

#[test]
fn a_list_of_models_is_for_programs_and_a_page_for_browsers() {
    let gateway = Gateway::start();
    let address = gateway.program.address;
    let bearer = format!("Bearer {}", gateway.token);
    let listed = send(
        address,
        "GET /models",
        &[("authorization", bearer.as_str())],
        "",
    );
    assert_eq!(listed.json()["object"], "list");
    let page = send(address, "GET /models", &[("accept", "text/html")], "");
    let kind = page.header("content-type").unwrap_or_default();
    assert!(kind.starts_with("text/html"), "{kind}");
    for path in [
        "/openai/v1/nothing",
        "/openai/nothing",
        "/anthropic/v1/messages/x",
    ] {
        let refused = gateway.post(path, &json!({}));
        assert_eq!(refused.status, 404, "{path}");
        let kind = refused.header("content-type").unwrap_or_default();
        assert!(kind.starts_with("application/json"), "{path}: {kind}");
    }
}

#[test]
fn a_token_that_is_bound_to_an_endpoint_is_so_on_every_path() {
    let gateway = Gateway::with_config(BOUND);
    let headers = [
        ("authorization", "Bearer sk-bound-0123456789abcdef"),
        ("content-type", "application/json"),
    ];
    let address = gateway.program.address;
    let chat = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hello"}]});
    let allowed = send(
        address,
        "POST /chat/completions",
        &headers,
        &chat.to_string(),
    );
    assert_eq!(allowed.status, 200, "{}", allowed.body);
    let vectors = json!({"model": "demo-embedding", "input": "Hello"}).to_string();
    for path in ["/embeddings", "/openai/embeddings"] {
        let refused = send(address, &format!("POST {path}"), &headers, &vectors);
        assert_eq!(refused.status, 403, "{}", refused.body);
    }
}
