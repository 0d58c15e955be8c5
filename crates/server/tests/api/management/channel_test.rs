//! Trying channels out: which steps are told, and which one is said to fail.

use serde_json::{Value, json};
use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use crate::support::{Office, Reply};

const LOOPBACK: &str = "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n";

/// The events of a test: their names and data.
fn events(reply: &Reply) -> Vec<(String, Value)> {
    assert_eq!(reply.status, 200, "{reply:?}");
    let mut events = Vec::new();
    let mut name = String::new();
    for line in reply.body.lines() {
        if let Some(text) = line.strip_prefix("event: ") {
            text.clone_into(&mut name);
        } else if let Some(data) = line.strip_prefix("data: ") {
            events.push((name.clone(), serde_json::from_str(data).expect("JSON")));
        }
    }
    events
}

fn outcomes(events: &[(String, Value)]) -> Vec<String> {
    let text = |data: &Value| {
        let (step, outcome) = (data["step"].as_str(), data["outcome"].as_str());
        format!(
            "{} {}",
            step.unwrap_or_default(),
            outcome.unwrap_or_default()
        )
    };
    let steps = events.iter().filter(|(name, _)| name == "step");
    steps.map(|(_, data)| text(data)).collect()
}

fn scripted(runtime: &Runtime) -> FakeUpstream {
    let upstream = runtime.block_on(FakeUpstream::start());
    upstream.on(
        "/v1/models",
        Scripted::json(&json!({"data": [{"id": "gpt-4o"}, {"id": "b"}]})),
    );
    let usage = json!({"prompt_tokens": 8, "completion_tokens": 1, "total_tokens": 9});
    let whole = json!({"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o",
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "ok"}}], "usage": usage});
    let chunk = |delta: Value, end: Value| {
        json!({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o",
            "choices": [{"index": 0, "delta": delta, "finish_reason": end}]})
        .to_string()
    };
    let streamed = Scripted::sse()
        .data(&chunk(
            json!({"role": "assistant", "content": "ok"}),
            Value::Null,
        ))
        .data(&chunk(json!({}), json!("stop")))
        .data("[DONE]");
    upstream.on_each("/v1/chat/completions", [Scripted::json(&whole), streamed]);
    upstream
}

#[test]
fn a_channel_that_is_not_saved_yet_is_tried_out_to_the_end() {
    let runtime = Runtime::new().unwrap();
    let upstream = scripted(&runtime);
    let office = Office::with(LOOPBACK);
    let trial = json!({"type": "openai", "base_url": upstream.url("/v1"), "key": "sk-trial-canary",
        "models": ["gpt-4o"], "dialects": ["chat"],
        "overrides": {"headers": {"x-team": "research"}}});
    let reply = office.administrator.post("/api/channel/test", &trial);
    assert!(!reply.body.contains("sk-trial-canary"));
    let events = events(&reply);
    assert_eq!(
        outcomes(&events),
        [
            "resolve ok",
            "connect ok",
            "tls skipped",
            "authenticate ok",
            "list_models ok",
            "reply ok",
            "stream ok",
            "cost ok"
        ]
    );
    let (name, done) = events.last().unwrap();
    assert_eq!((name.as_str(), &done["success"]), ("done", &json!(true)));
    // 8 × 2.50 and 1 × 10 dollars for a million tokens.
    assert_eq!(done["cost_usd"], json!("0.00003"));
    let asked = upstream.requests();
    let call = asked
        .iter()
        .find(|one| one.path == "/v1/chat/completions")
        .unwrap();
    assert_eq!(call.header("authorization"), Some("Bearer sk-trial-canary"));
    assert_eq!(call.header("x-team"), Some("research"));
    let fetched = office
        .administrator
        .post("/api/channel/fetch_models", &trial)
        .data();
    assert_eq!(fetched["models"], json!(["gpt-4o", "b"]));
}

#[test]
fn the_step_that_fails_is_named() {
    let runtime = Runtime::new().unwrap();
    let office = Office::with(LOOPBACK);
    let admin = &office.administrator;
    let trial = |base_url: &str| {
        let body =
            json!({"type": "openai", "base_url": base_url, "key": "sk-x", "models": ["gpt-4o"]});
        let events = events(&admin.post("/api/channel/test", &body));
        events.last().unwrap().1["failed_step"].clone()
    };
    assert_eq!(
        trial("http://10.1.2.3/v1"),
        json!("resolve"),
        "the guard refuses it"
    );
    let refused = testkit::RefusedAddress::new();
    assert_eq!(trial(&refused.url("/v1")), json!("connect"));
    let upstream = runtime.block_on(FakeUpstream::start());
    let denied = json!({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}});
    upstream.on("/v1/models", Scripted::json(&denied).status(401));
    assert_eq!(trial(&upstream.url("/v1")), json!("authenticate"));
    let secure = upstream.url("/v1").replace("http://", "https://");
    assert_eq!(trial(&secure), json!("tls"));
    let html = runtime.block_on(FakeUpstream::start());
    html.on("/v1/models", Scripted::html(200));
    html.on("/v1/chat/completions", Scripted::html(200));
    html.on("/v1/responses", Scripted::html(200));
    assert_eq!(trial(&html.url("/v1")), json!("reply"));
}

#[test]
fn the_demo_channel_passes_without_a_network() {
    let office = Office::open();
    let admin = &office.administrator;
    let demo = admin.get("/api/channel/?type=demo").data()["items"][0]["id"].clone();
    let events = events(&admin.post("/api/channel/test", &json!({"id": demo})));
    assert_eq!(
        outcomes(&events),
        [
            "resolve skipped",
            "connect skipped",
            "tls skipped",
            "authenticate ok",
            "list_models ok",
            "reply ok",
            "stream ok",
            "cost ok"
        ]
    );
    assert_eq!(events.last().unwrap().1["success"], json!(true));
    let embedding = json!({"id": demo, "model": "demo-embedding"});
    let events = self::events(&admin.post("/api/channel/test", &embedding));
    assert!(outcomes(&events).contains(&"reply skipped".to_owned()));
    assert_eq!(admin.post("/api/channel/test", &json!({})).status, 400);
    assert_eq!(
        admin.post("/api/channel/test", &json!({"id": 999})).status,
        404
    );
}
