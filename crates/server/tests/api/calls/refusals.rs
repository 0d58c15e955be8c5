//! What a bad call gets: the right status, the caller's own shape, and no charge.

use serde_json::{Value, json};

use super::gateway::Gateway;
use crate::support::send;

#[test]
fn a_token_is_taken_from_every_place_and_refused_with_one_text() {
    let gateway = Gateway::start();
    let address = gateway.program.address;
    let body =
        json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hi"}]}).to_string();
    let json_type = ("content-type", "application/json");
    let token = gateway.token.as_str();
    let bearer = format!("Bearer {token}");
    for header in [
        ("authorization", bearer.as_str()),
        ("x-api-key", token),
        ("x-goog-api-key", token),
    ] {
        let reply = send(
            address,
            "POST /v1/chat/completions",
            &[json_type, header],
            &body,
        );
        assert_eq!(reply.status, 200, "{header:?}");
    }
    let line = format!("POST /v1/chat/completions?key={token}");
    assert_eq!(send(address, &line, &[json_type], &body).status, 200);
    let mut texts = Vec::new();
    for header in [
        ("x-other", "1"),
        ("authorization", "Bearer sk-wrong"),
        ("x-api-key", "sk-wrong-too"),
    ] {
        let reply = send(
            address,
            "POST /v1/chat/completions",
            &[json_type, header],
            "",
        );
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"]),
            (401, &json!("invalid_api_key"))
        );
        texts.push(reply.json()["error"]["message"].clone());
    }
    texts.dedup();
    assert_eq!(texts.len(), 1);
    assert!(
        !gateway.program.log().contains(token),
        "the log holds a token"
    );
}

#[test]
fn bad_bodies_are_refused_by_name_and_cost_nothing() {
    let gateway = Gateway::start();
    let before = gateway.owned();
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let bearer = format!("Bearer {}", gateway.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("provider-version", "2023-06-01"),
    ];
    let bodies = [
        "",
        "{",
        "[]",
        "{}",
        r#"{"model":1}"#,
        r#"{"model":"a","model":"b"}"#,
        &deep,
    ];
    for path in [
        "/v1/chat/completions",
        "/v1/completions",
        "/v1/messages",
        "/v1/responses",
        "/v1beta/models/demo-chat:generateContent",
    ] {
        for body in bodies {
            let reply = send(
                gateway.program.address,
                &format!("POST {path}"),
                &headers,
                body,
            );
            let shown = &body[..body.len().min(40)];
            assert_eq!(reply.status, 400, "{path} {shown}: {}", reply.body);
            assert!(
                reply.json()["error"]["message"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
        }
    }
    assert_eq!(gateway.owned(), before);
}

#[test]
fn the_head_is_checked_before_the_body() {
    let gateway = Gateway::start();
    let address = gateway.program.address;
    let key = ("x-api-key", gateway.token.as_str());
    let plain = [key, ("content-type", "text/plain")];
    let reply = send(address, "POST /v1/chat/completions", &plain, "{}");
    assert_eq!(reply.status, 415);
    let json_type = [key, ("content-type", "application/json")];
    let reply = send(address, "POST /v1/messages", &json_type, "{}");
    assert_eq!(reply.status, 400);
    assert!(
        reply.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("version"),
        "{}",
        reply.body
    );
    assert_eq!(
        send(address, "GET /v1/chat/completions", &[], "").status,
        405
    );
}

#[test]
fn an_unknown_model_is_a_404_in_each_shape() {
    let gateway = Gateway::start();
    let user = json!([{"role": "user", "content": "Hi"}]);
    let chat = gateway.post(
        "/v1/chat/completions",
        &json!({"model": "nope", "messages": user}),
    );
    assert_eq!(
        (chat.status, &chat.json()["error"]["param"]),
        (404, &json!("model"))
    );
    let messages = json!({"model": "nope", "max_tokens": 5, "messages": user});
    let messages = gateway.post("/v1/messages", &messages);
    assert_eq!(
        (messages.status, &messages.json()["error"]["type"]),
        (404, &json!("not_found_error"))
    );
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    let generate = gateway.post("/v1beta/models/nope:generateContent", &contents);
    let error: Value = generate.json()["error"].clone();
    assert_eq!(
        (generate.status, &error["code"], &error["status"]),
        (404, &json!(404), &json!("NOT_FOUND"))
    );
}
