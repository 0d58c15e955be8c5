//! Every wait has an end, and the failure says what was waited for.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt as _;
use providers::transport::{Phase, TransportError};
use providers::{RequestBody, UpstreamFailure};
use testkit::{FakeUpstream, Reply};
use tokio::net::TcpListener;

use crate::support::{client, hasty, post, read};

async fn whole(url: &str) -> Result<(u16, String), TransportError> {
    read(client().send(post(url), &hasty()).await?).await
}

fn timeout(phase: Phase) -> TransportError {
    TransportError::Timeout(phase)
}

#[tokio::test]
async fn no_head_in_time() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::silence());
    let started = Instant::now();
    let error = whole(&upstream.url("/")).await.unwrap_err();
    assert_eq!(error, timeout(Phase::Head));
    let waited = started.elapsed();
    assert!(waited > Duration::from_millis(550) && waited < Duration::from_secs(5));
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn a_late_head_within_the_deadline_is_no_failure() {
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/",
        Reply::body("text/plain", "late").after(Duration::from_millis(200)),
    );
    assert_eq!(whole(&upstream.url("/")).await.unwrap().1, "late");
}

#[tokio::test]
async fn a_head_and_then_nothing() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::sse().stall());
    let error = whole(&upstream.url("/")).await.unwrap_err();
    assert_eq!(error, timeout(Phase::FirstByte));
    assert_eq!(
        UpstreamFailure::from(error).kind.name(),
        "first_byte_timeout"
    );
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn a_stream_that_falls_silent() {
    let upstream = FakeUpstream::start().await;
    let slow = Reply::sse()
        .every(Duration::from_millis(250))
        .data("1")
        .data("2")
        .data("3");
    upstream.on("/", slow.stall());
    let mut reply = client()
        .send(post(&upstream.url("/")), &hasty())
        .await
        .unwrap();
    let mut pieces = 0;
    let error = loop {
        match reply.body.piece().await.unwrap() {
            Ok(_) => pieces += 1,
            Err(error) => break error,
        }
    };
    // Longer than either deadline altogether, but never too long at a time.
    assert_eq!(pieces, 3);
    assert_eq!(error, timeout(Phase::Idle));
    assert!(
        reply.body.piece().await.is_none(),
        "after an error there is nothing"
    );
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn a_slow_upload_puts_the_deadline_off() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "thanks"));
    let mut request = post(&upstream.url("/"));
    let pieces = futures_util::stream::unfold(0, |turn| async move {
        tokio::time::sleep(Duration::from_millis(250)).await;
        (turn < 4).then(|| (Ok(Bytes::from_static(b"piece ")), turn + 1))
    });
    request.body = RequestBody::Stream {
        pieces: Box::pin(pieces),
        length: Some(24),
    };
    let reply = client().send(request, &hasty()).await.unwrap();
    assert_eq!(reply.status, 200);
    let seen = upstream.only_request();
    assert_eq!(seen.text(), "piece piece piece piece ");
    assert_eq!(seen.header("content-length"), Some("24"));
}

#[tokio::test]
async fn an_upload_that_breaks_off_is_the_clients_fault() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "thanks"));
    let mut request = post(&upstream.url("/"));
    let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    let pieces = futures_util::stream::iter([Ok(Bytes::from_static(b"half")), Err(broken)]);
    request.body = RequestBody::Stream {
        pieces: Box::pin(pieces),
        length: None,
    };
    let error = client().send(request, &hasty()).await.unwrap_err();
    assert_eq!(error, TransportError::RequestBody);
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn an_upload_that_stands_still_is_the_clients_fault() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "thanks"));
    let mut request = post(&upstream.url("/"));
    let begun = futures_util::stream::iter([Ok(Bytes::from_static(b"half"))]);
    let pieces = begun.chain(futures_util::stream::pending());
    request.body = RequestBody::Stream {
        pieces: Box::pin(pieces),
        length: Some(8),
    };
    let error = client().send(request, &hasty()).await.unwrap_err();
    assert_eq!(error, TransportError::RequestBody);
}

#[tokio::test]
async fn a_peer_that_accepts_and_never_shakes_hands() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("https://upstream.test:{port}/");
    let error = whole(&url).await.unwrap_err();
    assert_eq!(error, timeout(Phase::Connect));
}
