//! Replies that go wrong, each in the way that was asked for.

use crate::client::{connect, get, is_quiet, read_all, read_until, send};
use serde_json::json;
use std::io::ErrorKind;
use std::time::{Duration, Instant};
use testkit::{Ending, FakeUpstream, RefusedAddress, Reply};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

#[tokio::test]
async fn a_cut_stream_has_no_last_chunk() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/s", Reply::sse().data("1").cut());
    assert!(get(&upstream, "/s").await.ends_with("data: 1\n\n\r\n"));
    assert_eq!(upstream.ending(0).await, Ending::ClosedByScript);
}

#[tokio::test]
async fn a_cut_body_is_shorter_than_its_length_says() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::json(&json!({ "text": "hello" })).cut_after(5));
    let received = get(&upstream, "/x").await;
    assert!(received.contains("content-length: 16\r\n"));
    assert!(received.ends_with("\r\n\r\n{\"tex"));
}

#[tokio::test]
async fn a_reset_is_seen_as_a_reset() {
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/s",
        Reply::sse()
            .data("1")
            .pause(Duration::from_millis(50))
            .reset(),
    );
    let mut socket = send(&upstream, "GET /s HTTP/1.1\r\n\r\n").await;
    read_until(&mut socket, "data: 1\n\n\r\n").await;
    let error = socket.read(&mut [0; 16]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn a_stalled_stream_stays_open_and_silent() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/s", Reply::sse().data("1").stall());
    let mut socket = send(&upstream, "GET /s HTTP/1.1\r\n\r\n").await;
    read_until(&mut socket, "data: 1\n\n\r\n").await;
    assert!(is_quiet(&mut socket).await);
    assert_eq!(upstream.open_connections(), 1);
}

#[tokio::test]
async fn silence_sends_nothing_at_all() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::silence());
    let mut socket = send(&upstream, "GET /x HTTP/1.1\r\n\r\n").await;
    upstream.wait_for_requests(1).await;
    assert!(is_quiet(&mut socket).await);
}

#[tokio::test]
async fn nothing_closes_without_a_byte() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::nothing());
    assert_eq!(get(&upstream, "/x").await, "");
}

#[tokio::test]
async fn raw_bytes_replace_the_whole_reply() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::raw("HTTP/1.1 garbage"));
    assert_eq!(get(&upstream, "/x").await, "HTTP/1.1 garbage");
}

#[tokio::test]
async fn a_late_head_comes_late() {
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/x",
        Reply::json(&json!(1)).after(Duration::from_millis(60)),
    );
    let started = Instant::now();
    get(&upstream, "/x").await;
    assert!(started.elapsed() >= Duration::from_millis(60));
}

#[tokio::test]
async fn a_refusal_carries_retry_after() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::too_many_requests("7"));
    let received = get(&upstream, "/x").await;
    assert!(received.starts_with("HTTP/1.1 429 "));
    assert!(received.contains("\r\nretry-after: 7\r\n"));
}

#[tokio::test]
async fn an_html_page_is_marked_as_one() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::html(503));
    let received = get(&upstream, "/x").await;
    assert!(received.contains("content-type: text/html"));
    assert!(received.contains("<html>"));
}

#[tokio::test]
async fn a_huge_line_is_one_line() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/s", Reply::sse().huge_line(3_000_000));
    let received = get(&upstream, "/s").await;
    assert!(received.lines().any(|line| line.len() >= 3_000_000));
}

#[tokio::test]
async fn malformed_frames_leave_as_written() {
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/s",
        Reply::sse()
            .data("{\"a\":")
            .bytes("nonsense without an end"),
    );
    let received = get(&upstream, "/s").await;
    assert!(received.contains("data: {\"a\":\n\n"));
    assert!(received.contains("nonsense without an end\r\n0\r\n\r\n"));
}

#[tokio::test]
async fn a_refused_address_refuses() {
    let refused = RefusedAddress::new();
    let error = TcpStream::connect(refused.address()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn dropping_the_upstream_closes_its_connections() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::silence());
    let mut socket = connect(upstream.address()).await;
    upstream.wait_for_open_connections(1).await;
    drop(upstream);
    assert_eq!(read_all(&mut socket).await, "");
}
