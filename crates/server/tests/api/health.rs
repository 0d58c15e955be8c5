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
    let app = TestApp::start();
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
fn metrics_are_for_private_addresses_only() {
    let app = TestApp::with("[server]\ntrusted_proxies = [\"127.0.0.1\"]", Router::new());
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
