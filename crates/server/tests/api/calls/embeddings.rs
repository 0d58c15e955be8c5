//! Vectors: both encodings, token arrays, Google's methods, and what they cost.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::gateway::Gateway;

#[test]
fn vectors_come_as_floats_and_as_base64_and_are_charged_by_tokens() {
    let gateway = Gateway::start();
    let body = json!({"model": "demo-embedding", "input": ["a red fox", "a whale"]});
    let reply = gateway.post("/v1/embeddings", &body);
    let answer = reply.json();
    assert_eq!(answer["data"].as_array().unwrap().len(), 2);
    assert_eq!(
        answer["data"][0]["embedding"].as_array().unwrap().len(),
        256
    );
    assert_eq!(answer["usage"]["prompt_tokens"], 5);
    let body = json!({"model": "demo-embedding", "input": [[1, 2, 3]], "dimensions": 8,
        "encoding_format": "base64"});
    let encoded = gateway.post("/v1/embeddings", &body).json();
    let bytes = STANDARD
        .decode(encoded["data"][0]["embedding"].as_str().unwrap())
        .unwrap();
    assert_eq!(bytes.len(), 32);
    assert_eq!(encoded["usage"]["prompt_tokens"], 3);
    let row = gateway.row(&reply);
    // 5 tokens at 0.02 dollars a million.
    assert_eq!(
        (row.charge_nanos, row.input_tokens, row.is_estimated),
        (100, 5, false)
    );
    assert_eq!(
        (row.endpoint.as_str(), row.model.as_str()),
        ("/v1/embeddings", "demo-embedding")
    );
}

#[test]
fn googles_methods_are_answered_in_their_own_shape() {
    let gateway = Gateway::start();
    let content = |text: &str| json!({"content": {"parts": [{"text": text}]}});
    let one = gateway.post(
        "/v1beta/models/demo-embedding:embedContent",
        &content("fox"),
    );
    assert_eq!(
        one.json()["embedding"]["values"].as_array().unwrap().len(),
        256
    );
    let batch = json!({"requests": [content("fox"), content("whale")]});
    let two = gateway.post("/v1beta/models/demo-embedding:batchEmbedContents", &batch);
    assert_eq!(two.json()["embeddings"].as_array().unwrap().len(), 2);
    let bad = gateway.post("/v1beta/models/demo-embedding:embedContent", &json!({}));
    assert_eq!(
        (bad.status, &bad.json()["error"]["status"]),
        (400, &json!("INVALID_ARGUMENT"))
    );
}

#[test]
fn a_bad_request_is_refused_by_name_and_costs_nothing() {
    let gateway = Gateway::start();
    let mut replies = Vec::new();
    for (body, param) in [
        (json!({"input": "x"}), "model"),
        (json!({"model": "demo-embedding"}), "input"),
        (json!({"model": "demo-embedding", "input": ""}), "input"),
        (json!({"model": "demo-embedding", "input": 7}), "input"),
        (
            json!({"model": "demo-embedding", "input": "x", "encoding_format": "int8"}),
            "encoding_format",
        ),
        (
            json!({"model": "demo-embedding", "input": "x", "dimensions": 0}),
            "dimensions",
        ),
    ] {
        let reply = gateway.post("/v1/embeddings", &body);
        let error: Value = reply.json()["error"].clone();
        assert_eq!(
            (reply.status, error["param"].as_str()),
            (400, Some(param)),
            "{body}"
        );
        replies.push(reply);
    }
    let unknown = json!({"model": "nobody", "input": "x"});
    assert_eq!(gateway.post("/v1/embeddings", &unknown).status, 404);
    let other = json!({"model": "demo-chat", "input": "x"});
    assert!(matches!(
        gateway.post("/v1/embeddings", &other).status,
        400 | 404
    ));
    assert_eq!(gateway.row(&replies[0]).charge_nanos, 0);
}
