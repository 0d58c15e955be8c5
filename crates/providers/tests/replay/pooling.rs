//! Connections are used again, and old ones do not cost a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use providers::RequestBody;
use providers::transport::PoolSettings;
use testkit::{FakeUpstream, Reply};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{client, client_with, patient, post, read, whole};

fn ok() -> Reply {
    Reply::body("application/json", r#"{"ok":true}"#)
}

#[tokio::test]
async fn calls_one_after_the_other_share_a_connection() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/whole", ok());
    upstream.on("/stream", Reply::sse().data("1").data("[DONE]"));
    upstream.on("/empty", Reply::body("text/plain", "").status(204));
    let client = client();
    for path in [
        "/whole", "/stream", "/empty", "/whole", "/nowhere", "/stream",
    ] {
        whole(&client, &upstream.url(path)).await.unwrap();
    }
    assert_eq!(upstream.requests().len(), 6);
    assert_eq!(upstream.accepted_connections(), 1);
    assert_eq!(client.held_connections(), 1);
}

#[tokio::test]
async fn a_connection_that_waits_holds_nothing_of_its_last_request() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", ok());
    let client = client();
    let body = Bytes::from(vec![b' '; 1000]);
    let mut request = post(&upstream.url("/"));
    request.body = RequestBody::Whole(body.clone());
    let reply = client.send(request, &patient()).await.unwrap();
    assert!(body.is_unique(), "it is sent");
    assert_eq!(read(reply).await.unwrap().0, 200);
    assert_eq!(client.held_connections(), 1);
}

#[tokio::test]
async fn calls_at_the_same_time_have_a_connection_each_and_leave_them_for_later() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", ok().after(Duration::from_millis(50)));
    let client = client();
    for _ in 0..3 {
        let url = upstream.url("/");
        let calls = (0..8).map(|_| whole(&client, &url));
        for answer in futures_util::future::join_all(calls).await {
            assert_eq!(answer.unwrap().0, 200);
        }
    }
    assert_eq!(upstream.accepted_connections(), 8);
    assert_eq!(client.held_connections(), 8);
}

#[tokio::test]
async fn no_more_connections_wait_than_allowed() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", ok().after(Duration::from_millis(50)));
    let settings = PoolSettings {
        idle_per_upstream: 2,
        ..PoolSettings::default()
    };
    let client = client_with(settings);
    let url = upstream.url("/");
    futures_util::future::join_all((0..6).map(|_| whole(&client, &url))).await;
    assert_eq!(client.held_connections(), 2);
    upstream.wait_for_open_connections(2).await;
}

#[tokio::test]
async fn a_connection_that_waits_too_long_is_closed() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", ok());
    let idle_for = Duration::from_millis(100);
    let client = client_with(PoolSettings {
        idle_for,
        ..PoolSettings::default()
    });
    whole(&client, &upstream.url("/")).await.unwrap();
    assert_eq!(upstream.open_connections(), 1);
    upstream.wait_for_open_connections(0).await;
    assert_eq!(client.held_connections(), 0);
}

/// Answers one request on each connection, then closes it; counts connections.
async fn one_shot_server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let served = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&served);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            let mut request = vec![0; 4096];
            let _ = stream.read(&mut request).await;
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
            stream.write_all(answer).await.unwrap();
        }
    });
    (url, served)
}

#[tokio::test]
async fn a_connection_that_the_peer_closed_meanwhile_costs_no_call() {
    let (url, served) = one_shot_server().await;
    let client = client();
    for turn in 1..=4 {
        assert_eq!(whole(&client, &url).await.unwrap(), (200, "ok".to_owned()));
        assert_eq!(served.load(Ordering::SeqCst), turn);
        // With and without the time to notice that the connection is closed.
        tokio::time::sleep(Duration::from_millis(20 * (turn as u64 % 2))).await;
    }
}

#[tokio::test]
async fn ways_out_do_not_share_connections() {
    use providers::transport::{Egress, TlsTrust};
    let upstream = FakeUpstream::start().await;
    upstream.on("/", ok());
    let client = client();
    let root = include_bytes!("../fixtures/tls_root.pem");
    let other = Egress::new(
        TlsTrust::with_roots(root).unwrap(),
        None,
        patient().timeouts(),
    );
    for egress in [patient(), other, patient()] {
        let reply = client
            .send(post(&upstream.url("/")), &egress)
            .await
            .unwrap();
        crate::support::read(reply).await.unwrap();
    }
    assert_eq!(upstream.accepted_connections(), 2);
}

#[tokio::test]
async fn an_answer_that_was_read_to_its_meaning_keeps_its_connection() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::sse().data("[DONE]"));
    let client = client();
    for _ in 0..2 {
        let mut reply = client
            .send(post(&upstream.url("/")), &patient())
            .await
            .unwrap();
        reply.body.piece().await.unwrap().unwrap();
        // The end of the body is on its way; the reader has seen enough.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(upstream.accepted_connections(), 1);
}
