//! `/healthz`, `/readyz`, `/metrics`.

use axum::Router;

use crate::support::{TestApp, get, send};

#[test]
fn a_running_service_is_healthy_and_ready() {
    let app = TestApp::start();
    let health = get(app.address, "/healthz");
    assert_eq!(
        (health.status, health.body.as_str()),
        (200, r#"{"status":"ok"}"#)
    );
    assert_eq!(get(app.address, "/readyz").status, 200);
}

#[test]
fn a_service_whose_database_is_gone_is_healthy_but_not_ready() {
    let app = TestApp::start();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(app.app.store().clone().close()).unwrap();
    assert_eq!(get(app.address, "/readyz").status, 503);
    assert_eq!(get(app.address, "/healthz").status, 200);
}

#[test]
fn metrics_count_requests_and_describe_the_process() {
    let app = TestApp::with(
        "[telemetry]\nmetrics_allow = [\"127.0.0.1\"]",
        Router::new(),
    );
    get(app.address, "/v1/nothing");
    let metrics = get(app.address, "/metrics");
    assert_eq!(metrics.status, 200);
    let counted = "modelgate_http_requests_total{area=\"model_call\",status=\"4xx\"} 1";
    assert!(metrics.body.contains(counted), "{}", metrics.body);
    assert!(
        metrics.body.contains("process_resident_memory_bytes"),
        "{}",
        metrics.body
    );
    assert!(
        metrics.body.contains("modelgate_info{version="),
        "{}",
        metrics.body
    );
}

#[test]
fn metrics_need_a_token_or_a_listed_network() {
    let app = TestApp::start();
    assert_eq!(
        get(app.address, "/metrics").status,
        403,
        "a private address is not enough"
    );
    let settings = "[telemetry]\nmetrics_token = \"0123456789abcdef\"";
    let app = TestApp::with(settings, Router::new());
    for (token, status) in [
        ("0123456789abcdef", 200),
        ("0123456789abcdeg", 403),
        ("", 403),
    ] {
        let token = format!("Bearer {token}");
        let reply = send(
            app.address,
            "GET /metrics",
            &[("authorization", &token)],
            "",
        );
        assert_eq!(reply.status, status, "{token}");
    }
}

#[test]
fn a_listed_network_does_not_include_clients_of_an_unknown_proxy() {
    let listed = "[telemetry]\nmetrics_allow = [\"127.0.0.0/8\"]";
    let app = TestApp::with(listed, Router::new());
    assert_eq!(get(app.address, "/metrics").status, 200);
    for header in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
        let reply = send(app.address, "GET /metrics", &[(header, "127.0.0.1")], "");
        assert_eq!(reply.status, 403, "{header}");
    }
    let open = "[telemetry]\nmetrics_allow = [\"0.0.0.0/0\"]";
    let app = TestApp::with(open, Router::new());
    let reply = send(app.address, "GET /metrics", &[("via", "1.1 proxy")], "");
    assert_eq!(reply.status, 200, "the operator opened it");
}

#[test]
fn metrics_are_for_listed_addresses_behind_trusted_proxies() {
    let settings = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n\
        [telemetry]\nmetrics_allow = [\"10.0.0.0/8\"]";
    let app = TestApp::with(settings, Router::new());
    let outside = [("x-forwarded-for", "203.0.113.7")];
    let refused = send(app.address, "GET /metrics", &outside, "");
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (403, Some("permission_denied"))
    );
    assert_eq!(
        send(
            app.address,
            "GET /metrics",
            &[("x-forwarded-for", "10.1.2.3")],
            ""
        )
        .status,
        200
    );
}
