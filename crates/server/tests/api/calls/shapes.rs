//! Every dialect is served, whole and streamed, and lists and counts come in its shape.

use serde_json::json;

use super::gateway::Gateway;
use crate::support::send;

#[test]
fn every_dialect_gets_its_own_answer() {
    let gateway = Gateway::start();
    let said = "Hello from demo-chat. You said: Hi";
    let user = json!([{"role": "user", "content": "Hi"}]);
    let chat = gateway.post(
        "/v1/chat/completions",
        &json!({"model": "demo-chat", "messages": user}),
    );
    assert_eq!(chat.json()["choices"][0]["message"]["content"], said);
    let legacy = gateway.post(
        "/v1/completions",
        &json!({"model": "demo-chat", "prompt": "Hi"}),
    );
    assert_eq!(legacy.json()["choices"][0]["text"], said);
    let body = json!({"model": "demo-chat", "max_tokens": 50, "messages": user});
    let messages = gateway.post("/v1/messages", &body).json();
    assert_eq!(messages["content"][0]["text"], said);
    let counters = [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    assert!(
        counters.iter().all(|name| messages["usage"][name].is_u64()),
        "{messages}"
    );
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    for path in [
        "/v1beta/models/demo-chat:generateContent",
        "/v1/models/demo-chat:generateContent",
    ] {
        let generated = gateway.post(path, &contents).json();
        assert_eq!(
            generated["candidates"][0]["content"]["parts"][0]["text"],
            said
        );
    }
    let answer = gateway
        .post(
            "/v1/responses",
            &json!({"model": "demo-chat", "input": "Hi"}),
        )
        .json();
    assert_eq!(answer["output"][0]["content"][0]["text"], said);
}

#[test]
fn every_dialect_streams() {
    let gateway = Gateway::start();
    let user = json!([{"role": "user", "content": "Hi"}]);
    let chat = json!({"model": "demo-chat", "messages": user, "stream": true});
    let reply = gateway.post("/v1/chat/completions", &chat);
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert!(reply.body.ends_with("data: [DONE]\n\n") && !reply.body.contains("\"usage\":{"));
    let messages =
        json!({"model": "demo-chat", "max_tokens": 50, "messages": user, "stream": true});
    let reply = gateway.post("/v1/messages", &messages);
    assert!(
        reply.body.contains("event: message_start") && reply.body.contains("event: message_stop")
    );
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    let path = "/v1beta/models/demo-chat:streamGenerateContent";
    let reply = gateway.post(&format!("{path}?alt=sse"), &contents);
    assert!(reply.body.starts_with("data: {") && reply.body.contains("\"finishReason\":\"STOP\""));
    let array = gateway.post(path, &contents).json();
    assert!(array.as_array().is_some_and(|chunks| !chunks.is_empty()));
    let responses = json!({"model": "demo-chat", "input": "Hi", "stream": true});
    let reply = gateway.post("/v1/responses", &responses);
    assert!(reply.body.contains("event: response.created"));
    assert!(reply.body.contains("event: response.completed"));
}

#[test]
fn a_declared_tool_is_called_and_its_result_is_answered() {
    let gateway = Gateway::start();
    let tools = json!([{"type": "function", "function": {"name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]);
    let ask = json!({"role": "user", "content": "please use get_weather"});
    let body = json!({"model": "demo-chat", "messages": [ask], "tools": tools});
    let called = gateway.post("/v1/chat/completions", &body).json();
    assert_eq!(called["choices"][0]["finish_reason"], "tool_calls");
    let message = &called["choices"][0]["message"];
    let id = &message["tool_calls"][0]["id"];
    let result = json!({"role": "tool", "tool_call_id": id, "content": "4 C"});
    let body = json!({"model": "demo-chat", "messages": [ask, message, result], "tools": tools});
    let answered = gateway.post("/v1/chat/completions", &body).json();
    assert_eq!(
        answered["choices"][0]["message"]["content"],
        "The tool says: 4 C"
    );
}

#[test]
fn tokens_are_counted_in_three_shapes() {
    let gateway = Gateway::start();
    let body =
        json!({"model": "demo-chat", "messages": [{"role": "user", "content": "hello there"}]});
    assert_eq!(
        gateway.post("/v1/messages/count_tokens", &body).json()["input_tokens"],
        3
    );
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "hello there"}]}]});
    let counted = gateway
        .post("/v1beta/models/demo-chat:countTokens", &contents)
        .json();
    assert_eq!(counted["totalTokens"], 3);
    let body = json!({"model": "demo-chat", "input": "hello there"});
    assert_eq!(
        gateway.post("/v1/responses/input_tokens", &body).json()["input_tokens"],
        3
    );
}

#[test]
fn models_are_listed_in_the_shape_of_the_asking_dialect() {
    let gateway = Gateway::start();
    let address = gateway.program.address;
    let bearer = format!("Bearer {}", gateway.token);
    let chat = send(address, "GET /v1/models", &[("authorization", &bearer)], "").json();
    assert_eq!(chat["object"], "list");
    assert_eq!(chat["data"][0]["id"], "demo-chat");
    let version = [
        ("x-api-key", gateway.token.as_str()),
        ("anthropic-version", "2026-10-21"),
    ];
    let messages = send(address, "GET /v1/models?limit=2", &version, "").json();
    assert_eq!(
        (&messages["has_more"], &messages["data"][0]["type"]),
        (&json!(true), &json!("model"))
    );
    let line = format!("GET /v1beta/models?key={}", gateway.token);
    let generate = send(address, &line, &[], "").json();
    assert_eq!(generate["models"][0]["name"], "models/demo-chat");
    let one = send(
        address,
        "GET /v1/models/demo-chat",
        &[("authorization", &bearer)],
        "",
    );
    assert_eq!(one.json()["id"], "demo-chat");
    let none = send(
        address,
        "GET /v1/models/nope",
        &[("authorization", &bearer)],
        "",
    );
    assert_eq!(
        (none.status, &none.json()["error"]["code"]),
        (404, &json!("model_not_found"))
    );
}

/// Models beside the demo channel's: one without a price, one that has its upstream's, and one
/// that its channel would use for anything.
const MORE_MODELS: &str = r#"
[[channels]]
name = "more"
type = "openai"
base_url = "http://127.0.0.1:9/v1"
key = "sk-vendor"
models = ["acme/unpriced:1", "quick=demo-chat", "text-embedding-3-small"]
"#;

#[test]
fn models_that_are_refused_for_want_of_a_price_are_not_listed() {
    for (settings, is_listed) in [("", false), ("[billing]\nunpriced = \"free\"\n", true)] {
        let gateway = Gateway::with_config(&format!("{settings}{MORE_MODELS}"));
        let bearer = format!("Bearer {}", gateway.token);
        let get = |path: &str| {
            let headers = [("authorization", bearer.as_str())];
            send(gateway.program.address, path, &headers, "")
        };
        let list = get("GET /v1/models").body;
        assert!(list.contains("\"quick\""), "{list}");
        assert_eq!(list.contains("acme/unpriced:1"), is_listed, "{list}");
        let one = get("GET /v1/models/acme%2Funpriced:1");
        assert_eq!(one.status == 200, is_listed, "{}", one.body);
        assert_eq!(get("GET /v1/models/quick").status, 200);
    }
}

#[test]
fn a_page_begins_after_an_id_with_slashes_and_colons() {
    let settings = "[[prices]]\nmodel = \"acme/unpriced:1\"\ninput = \"1\"\n";
    let gateway = Gateway::with_config(&format!("{settings}{MORE_MODELS}"));
    let address = gateway.program.address;
    let version = [
        ("x-api-key", gateway.token.as_str()),
        ("anthropic-version", "2026-10-21"),
    ];
    let cursor = "acme%2Funpriced%3A1";
    let line = format!("GET /v1/models?limit=1&after_id={cursor}");
    let next = send(address, &line, &version, "").json();
    assert_eq!(next["first_id"], "demo-chat");
    let line = format!(
        "GET /v1beta/models?pageSize=1&pageToken={cursor}&key={}",
        gateway.token
    );
    let next = send(address, &line, &[], "").json();
    assert_eq!(next["models"][0]["name"], "models/demo-chat");
    let line = "GET /v1/models?before_id=acme%2Funpriced%3A1";
    let before = send(address, line, &version, "").json();
    assert_eq!(before["data"], json!([]));
}

#[test]
fn models_of_vectors_say_that_they_embed() {
    let gateway = Gateway::with_config(MORE_MODELS);
    let methods = |model: &str| {
        let line = format!("GET /v1beta/models/{model}?key={}", gateway.token);
        let model = send(gateway.program.address, &line, &[], "").json();
        model["supportedGenerationMethods"].clone()
    };
    let embeds = json!(["embedContent", "batchEmbedContents"]);
    assert_eq!(methods("demo-embedding"), embeds);
    assert_eq!(methods("text-embedding-3-small"), embeds);
    let generates = json!(["generateContent", "streamGenerateContent", "countTokens"]);
    assert_eq!(methods("demo-chat"), generates);
    assert_eq!(methods("quick"), generates);
    assert_eq!(methods("demo-rerank"), json!([]));
}
