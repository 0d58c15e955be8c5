//! `x-request-id`: on every reply, and chosen by nobody but us and trusted proxies.

use axum::Router;

use crate::support::{TestApp, get, send};

#[test]
fn every_reply_has_an_id_of_its_own() {
    let app = TestApp::start();
    let ids: Vec<String> = ["/", "/healthz", "/v1/nothing", "/api/nothing", "/healthz"]
        .map(|path| {
            get(app.address, path)
                .header("x-request-id")
                .expect(path)
                .to_owned()
        })
        .into();
    assert!(ids.iter().all(|id| id.len() == 32), "{ids:?}");
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
}

#[test]
fn only_a_trusted_proxy_may_choose_the_id() {
    let chosen = [("x-request-id", "chosen-outside-1")];
    let alone = TestApp::start();
    let reply = send(alone.address, "GET /healthz", &chosen, "");
    assert_ne!(reply.header("x-request-id"), Some("chosen-outside-1"));
    let behind = TestApp::with(
        "[server]\ntrusted_proxies = [\"127.0.0.0/8\"]",
        Router::new(),
    );
    let reply = send(behind.address, "GET /healthz", &chosen, "");
    assert_eq!(reply.header("x-request-id"), Some("chosen-outside-1"));
    let strange = [("x-request-id", "a b\tc<script>")];
    let reply = send(behind.address, "GET /healthz", &strange, "");
    assert_eq!(reply.header("x-request-id").map(str::len), Some(32));
}

#[test]
fn no_two_calls_have_one_id_whatever_a_proxy_hands_on() {
    let behind = TestApp::with(
        "[server]\ntrusted_proxies = [\"127.0.0.0/8\"]",
        Router::new(),
    );
    let chosen = [("x-request-id", "chosen-outside-1")];
    let id = || {
        let reply = send(behind.address, "POST /v1/chat/completions", &chosen, "{}");
        reply.header("x-request-id").expect("an id").to_owned()
    };
    let (one, other) = (id(), id());
    assert_ne!(one, other);
    assert!(one.starts_with("chosen-outside-1-") && other.starts_with("chosen-outside-1-"));
}
