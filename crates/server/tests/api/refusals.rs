//! Unknown paths and wrong methods: JSON in the shape of the asking dialect, never HTML.

use axum::Router;
use axum::routing::post;
use serde_json::json;

use crate::support::{TestApp, get, send};

#[test]
fn an_unknown_path_is_refused_in_the_shape_of_its_dialect() {
    let app = TestApp::start();
    let chat = get(app.address, "/v1/nothing");
    assert_eq!(chat.status, 404);
    let error = &chat.json()["error"];
    for field in ["message", "type", "param", "code"] {
        assert!(error[field].is_string(), "{field}: {error}");
    }
    assert_eq!(error["code"], "not_found");

    let messages = get(app.address, "/v1/messages/nothing");
    assert_eq!(messages.status, 404);
    let body = messages.json();
    assert_eq!(
        (&body["type"], &body["error"]["type"]),
        (&json!("error"), &json!("not_found_error"))
    );
    assert_eq!(body["request_id"].as_str(), messages.header("x-request-id"));

    for path in ["/v1beta/nothing", "/v1beta"] {
        let generate = get(app.address, path);
        assert_eq!(generate.status, 404, "{path}");
        let error = &generate.json()["error"];
        assert_eq!(
            (&error["code"], &error["status"]),
            (&json!(404), &json!("NOT_FOUND")),
            "{path}"
        );
    }

    let management = get(app.address, "/api/nothing");
    assert_eq!(management.status, 404);
    assert_eq!(management.json()["success"], false);
    assert_eq!(management.json()["code"], "not_found");
    assert!(management.json()["data"].is_null() && management.json()["message"].is_string());
}

#[test]
fn no_unknown_path_gets_html() {
    let app = TestApp::start();
    for path in [
        "/api",
        "/api/",
        "/v1",
        "/v1/",
        "/v2/x",
        "/rerank/x",
        "/nothing",
        "/a.js",
        "//api",
    ] {
        let reply = send(
            app.address,
            &format!("GET {path}"),
            &[("accept", "text/html")],
            "",
        );
        assert_eq!(reply.status, 404, "{path}");
        assert!(reply.json().is_object(), "{path}");
    }
}

#[test]
fn a_wrong_method_is_refused_in_the_shape_of_its_dialect() {
    let routes = Router::new().route("/api/thing", post(|| async { "ok" }));
    let app = TestApp::with("", routes);
    let chat = get(app.address, "/v1/chat/completions");
    assert_eq!((chat.status, chat.header("allow")), (405, Some("POST")));
    assert_eq!(chat.json()["error"]["code"], "method_not_supported");
    let messages = get(app.address, "/v1/messages");
    assert_eq!(messages.status, 405);
    assert_eq!(messages.json()["error"]["type"], "invalid_request_error");
    let generate = send(app.address, "DELETE /v1beta/models/x", &[], "");
    assert_eq!(
        (generate.status, &generate.json()["error"]["code"]),
        (405, &json!(405))
    );
    let management = get(app.address, "/api/thing");
    assert_eq!(
        (management.status, &management.json()["success"]),
        (405, &json!(false))
    );
    let page = send(app.address, "POST /login", &[], "");
    assert_eq!(
        (page.status, &page.json()["code"]),
        (405, &json!("method_not_allowed"))
    );
    let probe = send(app.address, "POST /healthz", &[], "");
    assert_eq!(probe.status, 405);
}

#[test]
fn browsers_may_make_model_calls_but_not_management_calls() {
    let app = TestApp::start();
    let ask = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "POST"),
        (
            "access-control-request-headers",
            "authorization,x-stainless-lang",
        ),
    ];
    let allowed = send(app.address, "OPTIONS /v1/chat/completions", &ask, "");
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        allowed.header("access-control-allow-headers"),
        Some("authorization,x-stainless-lang")
    );
    let call = send(
        app.address,
        "POST /v1/nothing",
        &[("origin", "https://app.example")],
        "",
    );
    assert_eq!(call.header("access-control-allow-origin"), Some("*"));
    let management = send(app.address, "OPTIONS /api/user/self", &ask, "");
    assert_eq!(management.header("access-control-allow-origin"), None);
}

#[test]
fn the_operator_can_choose_the_origins() {
    let app = TestApp::with(
        "[server]\ncors_origins = [\"https://app.example\"]",
        Router::new(),
    );
    let of = |origin| send(app.address, "GET /v1/models", &[("origin", origin)], "");
    let allowed = of("https://app.example");
    assert_eq!(
        allowed.header("access-control-allow-origin"),
        Some("https://app.example")
    );
    assert_eq!(allowed.header("vary"), Some("origin"));
    assert_eq!(
        of("https://evil.example").header("access-control-allow-origin"),
        None
    );
}
