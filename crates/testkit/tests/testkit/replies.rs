//! Replies that are well-formed.

use crate::client::{get, is_quiet, read_until, send};
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::{FakeUpstream, Gate, Reply};

#[tokio::test]
async fn a_json_reply_has_status_headers_and_length() {
    let upstream = FakeUpstream::start().await;
    let reply = Reply::json(&json!({ "ok": true }))
        .status(201)
        .header("x-request-id", "r1");
    upstream.on("/v1/models", reply);
    assert_eq!(
        get(&upstream, "/v1/models").await,
        "HTTP/1.1 201 \r\ncontent-length: 11\r\ncontent-type: application/json\r\n\
         x-request-id: r1\r\n\r\n{\"ok\":true}"
    );
}

#[tokio::test]
async fn a_stream_is_sent_chunk_by_chunk_and_ends_properly() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/s", Reply::sse().event("ping", "{}").data("[DONE]"));
    assert_eq!(
        get(&upstream, "/s").await,
        "HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n\
         16\r\nevent: ping\ndata: {}\n\n\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
    );
}

#[tokio::test]
async fn what_is_not_scripted_gets_a_404_that_says_so() {
    let upstream = FakeUpstream::start().await;
    let received = get(&upstream, "/nowhere").await;
    assert!(received.starts_with("HTTP/1.1 404 "));
    assert!(received.contains("no reply is scripted for GET /nowhere"));
}

#[tokio::test]
async fn a_sequence_repeats_its_last_reply() {
    let upstream = FakeUpstream::start().await;
    upstream.on_each("/x", [Reply::html(502), Reply::json(&json!(1))]);
    assert!(get(&upstream, "/x").await.starts_with("HTTP/1.1 502 "));
    assert!(get(&upstream, "/x").await.ends_with("\r\n\r\n1"));
    assert!(get(&upstream, "/x").await.ends_with("\r\n\r\n1"));
}

#[tokio::test]
async fn the_longest_matching_path_answers() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/v1/*", Reply::json(&json!("general")));
    upstream.on("/v1/models/*", Reply::json(&json!("special")));
    assert!(
        get(&upstream, "/v1/models/a:generateContent?alt=sse")
            .await
            .ends_with("\"special\"")
    );
    assert!(
        get(&upstream, "/v1/embeddings")
            .await
            .ends_with("\"general\"")
    );
}

#[tokio::test]
async fn a_reply_can_be_computed_from_the_request() {
    let upstream = FakeUpstream::start().await;
    upstream.on_request("/echo", |request| Reply::json(&json!(request.query)));
    assert!(get(&upstream, "/echo?a=1").await.ends_with("\"a=1\""));
}

#[tokio::test]
async fn paced_frames_come_one_after_the_other() {
    let upstream = FakeUpstream::start().await;
    let pace = Duration::from_millis(40);
    upstream.on("/s", Reply::sse().every(pace).data("1").data("2").data("3"));
    let started = Instant::now();
    get(&upstream, "/s").await;
    assert!(started.elapsed() >= 3 * pace);
}

#[tokio::test]
async fn a_gate_holds_the_stream_until_it_is_opened() {
    let upstream = FakeUpstream::start().await;
    let gate = Gate::new();
    upstream.on("/s", Reply::sse().data("1").wait_for(&gate).data("2"));
    let mut socket = send(&upstream, "GET /s HTTP/1.1\r\n\r\n").await;
    read_until(&mut socket, "data: 1\n\n\r\n").await;
    assert!(is_quiet(&mut socket).await);
    gate.open();
    read_until(&mut socket, "data: 2\n\n\r\n0\r\n\r\n").await;
}
