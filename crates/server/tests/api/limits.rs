//! Bodies and heads that are too large, and connections that say too little.

use std::time::Instant;

use axum::Router;

use crate::support::{Connection, TestApp, send};

const SMALL: &str = "[limits]\nbody_bytes = 1024";

#[test]
fn a_body_that_is_declared_too_large_is_refused_before_it_is_sent() {
    let app = TestApp::with(SMALL, Router::new());
    for (path, code) in [("/v1/x", "/error/code"), ("/api/x", "/code")] {
        let mut connection = Connection::open(app.address);
        connection.write(&format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1025\r\n\r\n"
        ));
        let reply = connection.read_to_end();
        assert_eq!(reply.status, 413, "{path}");
        assert_eq!(
            reply.json().pointer(code).unwrap(),
            "request_too_large",
            "{path}"
        );
    }
}

#[test]
fn a_body_that_grows_too_large_is_refused() {
    let app = TestApp::with(SMALL, Router::new());
    let mut connection = Connection::open(app.address);
    connection
        .write("POST /v1/messages/x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
    connection.write(&format!("401\r\n{}\r\n", "a".repeat(0x401)));
    let reply = connection.read_to_end();
    assert_eq!(reply.status, 413);
    assert_eq!(reply.json()["error"]["type"], "request_too_large");
}

#[test]
fn a_body_of_exactly_the_limit_is_read() {
    let app = TestApp::with(SMALL, Router::new());
    let reply = send(app.address, "POST /v1/x", &[], &"a".repeat(1024));
    assert_eq!(reply.status, 404);
}

#[test]
fn too_many_and_too_large_headers_are_refused() {
    let app = TestApp::with(
        "[limits]\nheader_count = 16\nheader_bytes = 8192",
        Router::new(),
    );
    let many = vec![("x-a", "b"); 20];
    assert_eq!(send(app.address, "GET /healthz", &many, "").status, 431);
    let large = "a".repeat(9000);
    assert_eq!(
        send(app.address, "GET /healthz", &[("x-a", &large)], "").status,
        431
    );
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let app = TestApp::with(
        "[limits]\nhandshake_timeout_s = 1\nidle_timeout_s = 2",
        Router::new(),
    );
    for beginning in ["", "P", "GET / HTTP/1.1\r\nhost:"] {
        let mut connection = Connection::open(app.address);
        connection.write(beginning);
        let started = Instant::now();
        connection.wait_for_close();
        assert!(started.elapsed().as_secs() < 10, "{beginning:?}");
    }
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for_without_end() {
    let app = TestApp::with("[limits]\nidle_timeout_s = 1", Router::new());
    for path in ["/api/user/login", "/v1/nothing"] {
        let mut connection = Connection::open(app.address);
        connection.write(&format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{{"
        ));
        let reply = connection.read_start();
        assert!(
            (400..500).contains(&reply.status),
            "{path}: {}",
            reply.status
        );
    }
}
