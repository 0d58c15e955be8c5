//! What the fake upstream remembers of its clients.

use crate::client::{connect, get, read_until, send};
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::{Ending, FakeUpstream, Reply};
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn a_request_is_recorded_whole() {
    let upstream = FakeUpstream::start().await;
    send(
        &upstream,
        "POST /v1/messages?beta=true HTTP/1.1\r\nX-Api-Key: k\r\ncontent-length: 7\r\n\r\n{\"a\":1}",
    )
    .await;
    upstream.wait_for_requests(1).await;
    let request = upstream.only_request();
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.query, "beta=true");
    assert_eq!(request.header("x-api-key"), Some("k"));
    assert_eq!(request.json(), json!({ "a": 1 }));
}

#[tokio::test]
async fn a_chunked_body_is_put_together() {
    let upstream = FakeUpstream::start().await;
    let mut socket = send(
        &upstream,
        "POST /x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r",
    )
    .await;
    socket
        .write_all(b"\n4;note\r\ndefg\r\n0\r\n\r\n")
        .await
        .unwrap();
    upstream.wait_for_requests(1).await;
    assert_eq!(upstream.only_request().text(), "abcdefg");
}

#[tokio::test]
async fn a_kept_connection_serves_several_requests() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::json(&json!(1)));
    let mut socket = connect(upstream.address()).await;
    for _ in 0..3 {
        socket.write_all(b"GET /x HTTP/1.1\r\n\r\n").await.unwrap();
        read_until(&mut socket, "\r\n\r\n1").await;
    }
    assert_eq!(upstream.accepted_connections(), 1);
    let connections: Vec<usize> = upstream
        .requests()
        .iter()
        .map(|seen| seen.connection)
        .collect();
    assert_eq!(connections, [0, 0, 0]);
}

#[tokio::test]
async fn a_complete_reply_counts_as_answered_and_its_connection_as_closed() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/x", Reply::json(&json!(1)));
    get(&upstream, "/x").await;
    assert_eq!(upstream.ending(0).await, Ending::Answered);
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn a_peer_that_leaves_a_stalled_stream_is_noticed_at_once() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/s", Reply::sse().data("1").stall());
    let mut socket = send(&upstream, "GET /s HTTP/1.1\r\n\r\n").await;
    read_until(&mut socket, "data: 1\n\n\r\n").await;
    let left = Instant::now();
    drop(socket);
    let Ending::LeftByPeer { at } = upstream.ending(0).await else {
        panic!("the peer left before the end");
    };
    assert!(at - left < Duration::from_millis(100));
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn a_peer_that_leaves_while_frames_are_paced_is_noticed() {
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/s",
        Reply::sse()
            .data("1")
            .every(Duration::from_mins(1))
            .data("2"),
    );
    let mut socket = send(&upstream, "GET /s HTTP/1.1\r\n\r\n").await;
    read_until(&mut socket, "data: 1\n\n\r\n").await;
    drop(socket);
    assert!(matches!(
        upstream.ending(0).await,
        Ending::LeftByPeer { .. }
    ));
}
