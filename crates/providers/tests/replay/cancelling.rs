//! Whoever drops an answer cuts it off: the upstream notices at once.

use std::time::{Duration, Instant};

use testkit::{Ending, FakeUpstream, Reply};

use crate::support::{client, patient, post};

/// How long after a moment the upstream saw us leave.
async fn left_after(upstream: &FakeUpstream, dropped: Instant) -> Duration {
    match upstream.ending(0).await {
        Ending::LeftByPeer { at } => at.saturating_duration_since(dropped),
        other => panic!("the upstream saw {other:?}"),
    }
}

const AT_ONCE: Duration = Duration::from_millis(100);

#[tokio::test]
async fn before_the_head() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::silence());
    let client = client();
    let (request, egress) = (post(&upstream.url("/")), patient());
    let call = client.send(request, &egress);
    let call = tokio::time::timeout(Duration::from_millis(50), call).await;
    assert!(call.is_err(), "the call was dropped by the timeout");
    assert!(left_after(&upstream, Instant::now()).await < AT_ONCE);
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn before_the_first_piece() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::sse().stall());
    let reply = client()
        .send(post(&upstream.url("/")), &patient())
        .await
        .unwrap();
    let dropped = Instant::now();
    drop(reply);
    assert!(left_after(&upstream, dropped).await < AT_ONCE);
}

#[tokio::test]
async fn in_the_middle() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::sse().data("1").stall());
    let client = client();
    let mut reply = client
        .send(post(&upstream.url("/")), &patient())
        .await
        .unwrap();
    assert_eq!(reply.body.piece().await.unwrap().unwrap(), "data: 1\n\n");
    let dropped = Instant::now();
    drop(reply);
    assert!(left_after(&upstream, dropped).await < AT_ONCE);
    assert_eq!(client.held_connections(), 0);
}

#[tokio::test]
async fn in_the_middle_of_what_came_already() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::sse().data("1").data("2").data("3").stall());
    let mut reply = client()
        .send(post(&upstream.url("/")), &patient())
        .await
        .unwrap();
    reply.body.piece().await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    let dropped = Instant::now();
    drop(reply);
    assert!(left_after(&upstream, dropped).await < AT_ONCE);
}
