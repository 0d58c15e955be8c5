//! A handler that panics.

use axum::Router;
use axum::routing::get as get_route;

use crate::support::{TestApp, get};

async fn panics() -> &'static str {
    panic!("a secret detail")
}

#[test]
fn a_panic_is_one_failed_request_and_nothing_more() {
    let routes = Router::new()
        .route("/v1/panic", get_route(panics))
        .route("/api/panic", get_route(panics));
    let app = TestApp::with("", routes);
    for path in ["/v1/panic", "/api/panic"] {
        let reply = get(app.address, path);
        assert_eq!(reply.status, 500, "{path}");
        assert!(
            reply.json().to_string().contains("internal_error"),
            "{}",
            reply.body
        );
        assert!(!reply.body.contains("secret detail"));
        assert_eq!(reply.header("x-request-id").map(str::len), Some(32));
    }
    assert_eq!(get(app.address, "/healthz").status, 200);
}
