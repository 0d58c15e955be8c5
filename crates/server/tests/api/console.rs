//! The console's pages: the base address in the home page, security headers, caching.

use axum::Router;

use crate::support::{TestApp, get, send};

#[test]
fn the_home_page_carries_the_base_address() {
    let app = TestApp::start();
    let page = send(app.address, "GET /", &[("host", "gate.example:8443")], "");
    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(
        page.body.contains("http://gate.example:8443"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("__MODELGATE_BASE__"));
}

#[test]
fn behind_a_trusted_proxy_the_base_address_is_the_proxys() {
    let app = TestApp::with("[server]\ntrusted_proxies = [\"127.0.0.1\"]", Router::new());
    let forwarded = [
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "ai.example"),
    ];
    let page = send(app.address, "GET /", &forwarded, "");
    assert!(page.body.contains("https://ai.example"), "{}", page.body);
    assert!(!page.body.contains("gate.example"));
    assert!(page.header("strict-transport-security").is_some());
}

#[test]
fn the_configured_public_address_wins() {
    let app = TestApp::with(
        "[server]\npublic_url = \"https://public.example/\"",
        Router::new(),
    );
    let page = get(app.address, "/");
    assert!(
        page.body.contains("https://public.example"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("https://public.example/\""));
}

#[test]
fn a_hostile_host_does_not_reach_the_page() {
    let app = TestApp::start();
    let page = send(app.address, "GET /", &[("host", "a\"onload=x")], "");
    assert!(!page.body.contains("onload=x"), "{}", page.body);
}

#[test]
fn pages_may_load_from_their_own_origin_only() {
    let app = TestApp::start();
    for path in ["/", "/console/playground", "/setup", "/login/2fa"] {
        let page = get(app.address, path);
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{path}"
        );
        let policy = page.header("content-security-policy").expect(path);
        assert!(policy.contains("default-src 'self'") && policy.contains("script-src 'self';"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        assert_eq!(page.header("cache-control"), Some("no-cache"), "{path}");
    }
}
