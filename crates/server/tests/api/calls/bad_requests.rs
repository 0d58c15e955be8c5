//! What bad requests get on every endpoint beside text: status, shape, and no charge.

use serde_json::{Value, json};
use store::ledger::{Account, balance};
use store::users;

use super::exchange::{Answer, form, post};
use super::gateway::Gateway;

/// An endpoint that takes JSON, and a body that it would answer.
fn json_endpoints() -> Vec<(&'static str, Value)> {
    let content = json!({"content": {"parts": [{"text": "x"}]}});
    vec![
        (
            "/v1/embeddings",
            json!({"model": "demo-embedding", "input": "x"}),
        ),
        (
            "/v1/rerank",
            json!({"model": "demo-rerank", "query": "x", "documents": ["x"]}),
        ),
        (
            "/v2/rerank",
            json!({"model": "demo-rerank", "query": "x", "documents": ["x"]}),
        ),
        (
            "/rerank",
            json!({"model": "demo-rerank", "query": "x", "documents": ["x"]}),
        ),
        (
            "/v1/moderations",
            json!({"model": "demo-moderation", "input": "x"}),
        ),
        (
            "/v1/images/generations",
            json!({"model": "demo-image", "prompt": "x"}),
        ),
        (
            "/v1/audio/speech",
            json!({"model": "demo-speech", "input": "x", "voice": "alloy"}),
        ),
        (
            "/v1beta/models/demo-embedding:embedContent",
            content.clone(),
        ),
        (
            "/v1beta/models/demo-embedding:batchEmbedContents",
            json!({"requests": [content]}),
        ),
    ]
}

/// Every failure has the shape of its path: four strings, or Google's three members.
fn assert_shape(path: &str, answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{path}: {answer:?}");
    assert!(!answer.header("x-request-id").is_empty());
    let error = &answer.json()["error"];
    if path.starts_with("/v1beta") {
        assert_eq!(error["code"], status, "{path}: {error}");
        assert!(error["status"].is_string() && error["message"].is_string());
        return;
    }
    for name in ["message", "type", "param", "code"] {
        assert!(error[name].is_string(), "{path}: {error}");
    }
    assert_eq!(error["code"], code, "{path}: {error}");
}

fn assert_uncharged(gateway: &mut Gateway) {
    gateway.stop();
    gateway.records(async |store| {
        let root = users::find_by_login(store.read(), "root").await;
        let root = root.expect("the records answer").expect("root");
        let wallet = balance(store.read(), Account::Wallet(root.id)).await;
        assert_eq!(wallet.expect("the records answer"), 100_000_000_000);
    });
}

#[test]
fn json_endpoints_refuse_what_is_wrong_and_charge_nothing() {
    let mut gateway = Gateway::start();
    let address = gateway.program.address;
    let json = "application/json";
    // All of them read bodies alike: ten megabytes are sent to the first alone.
    let mut nested = "[".repeat(10 << 20);
    for (path, good) in json_endpoints() {
        let whole = good.to_string();
        let nobody = post(address, path, &[("content-type", json)], whole.as_bytes());
        assert_shape(path, &nobody, 401, "invalid_api_key");
        let plain = gateway.post_bytes(path, "text/plain", whole.as_bytes());
        assert_shape(path, &plain, 415, "unsupported_media_type");
        let inside = format!("{{\"x\":{nested}");
        for body in [
            "",
            &whole[..whole.len() - 1],
            "[]",
            "7",
            "\"x\"",
            &nested,
            &inside,
        ] {
            let answer = gateway.post_bytes(path, json, body.as_bytes());
            assert_shape(path, &answer, 400, "invalid_request");
        }
        for (name, value) in good.as_object().expect("an object") {
            let mut bad = good.clone();
            bad[name] = json!(value.is_string().then_some(true));
            let answer = gateway.post_bytes(path, json, bad.to_string().as_bytes());
            // A model of vendors' own is the default of moderations.
            let is_default = path == "/v1/moderations" && bad["model"].is_null();
            assert!(
                answer.status == 400 || is_default,
                "{path} {bad}: {answer:?}"
            );
        }
        nested.truncate(1 << 17);
        if good["model"].is_string() {
            let mut bad = good.clone();
            bad["model"] = json!("nobody");
            let answer = gateway.post_bytes(path, json, bad.to_string().as_bytes());
            assert_shape(path, &answer, 404, "model_not_found");
        }
    }
    assert_uncharged(&mut gateway);
}

#[test]
fn forms_refuse_what_is_wrong_and_charge_nothing() {
    let mut gateway = Gateway::start();
    let kind = "multipart/form-data; boundary=BoUnd";
    for (path, model, file) in [
        ("/v1/audio/transcriptions", "demo-transcribe", "file"),
        ("/v1/audio/translations", "demo-transcribe", "file"),
        ("/v1/images/edits", "demo-image", "image"),
        ("/v1/images/variations", "demo-image", "image"),
    ] {
        let good = form(
            &[("model", model), ("prompt", "x")],
            2,
            (file, "a.png", b"abc"),
        );
        let nobody = post(
            gateway.program.address,
            path,
            &[("content-type", kind)],
            &good,
        );
        assert_shape(path, &nobody, 401, "invalid_api_key");
        let plain = gateway.post_bytes(path, "text/plain", &good);
        assert_shape(path, &plain, 415, "unsupported_media_type");
        let unbound = gateway.post_bytes(path, "multipart/form-data", &good);
        assert_shape(path, &unbound, 400, "invalid_request");
        for body in [
            &b""[..],
            &good[..good.len() / 2],
            b"--BoUnd\r\n\r\n",
            b"nothing",
        ] {
            let answer = gateway.post_bytes(path, kind, body);
            assert_shape(path, &answer, 400, "invalid_request");
        }
        let unknown = form(
            &[("model", "nobody"), ("prompt", "x")],
            2,
            (file, "a.png", b"abc"),
        );
        let answer = gateway.post_bytes(path, kind, &unknown);
        assert_shape(path, &answer, 404, "model_not_found");
    }
    assert_uncharged(&mut gateway);
}

#[test]
fn counts_beyond_the_configured_limits_are_rejected_by_their_name() {
    let gateway = Gateway::with_config("[limits]\nmessage_count = 100\ntool_count = 10\n");
    let said = json!({"role": "user", "content": "x"});
    let chat = |messages: usize, tools: usize| {
        let tool = |at| json!({"type": "function", "function": {"name": format!("f{at}")}});
        let tools: Vec<_> = (0..tools).map(tool).collect();
        json!({"model": "demo-chat", "messages": vec![said.clone(); messages], "tools": tools})
    };
    let fits = gateway.post("/v1/chat/completions", &chat(100, 10));
    assert_eq!(fits.status, 200, "{}", fits.body);
    for (body, limit) in [
        (chat(101, 10), "limits.message_count"),
        (chat(100, 11), "limits.tool_count"),
    ] {
        let refused = gateway.post("/v1/chat/completions", &body);
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert!(refused.body.contains(limit), "{}", refused.body);
    }
    let mut kept = json!({"model": "demo-chat", "input": vec![said.clone(); 101]});
    for path in ["/v1/responses", "/v1/responses/input_tokens"] {
        kept["store"] = json!(path == "/v1/responses");
        let refused = gateway.post(path, &kept);
        assert_eq!(refused.status, 400, "{path}: {}", refused.body);
        assert!(
            refused.body.contains("limits.message_count"),
            "{}",
            refused.body
        );
    }
}

#[test]
fn a_body_that_nests_deeper_than_configured_is_refused_by_every_endpoint() {
    let gateway = Gateway::with_config("[limits]\njson_depth = 12\n");
    let text = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "x"}]});
    let endpoints = json_endpoints().into_iter();
    for (path, mut body) in endpoints.chain([("/v1/chat/completions", text)]) {
        body["metadata"] = (0..10).fold(json!(1), |inner, _| json!([inner]));
        let fits = gateway.post(path, &body);
        assert!(!fits.body.contains("deeper"), "{path}: {}", fits.body);
        body["metadata"] = (0..12).fold(json!(1), |inner, _| json!([inner]));
        let refused = gateway.post(path, &body);
        assert_eq!(refused.status, 400, "{path}: {}", refused.body);
        let told = "The request body nests deeper than 12 levels.";
        assert!(refused.body.contains(told), "{path}: {}", refused.body);
    }
}
