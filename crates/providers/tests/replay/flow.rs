//! Bodies pass at the reader's pace and leave no trace in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use testkit::{FakeUpstream, Gate, Reply};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{client, patient, post};

const PIECE: usize = 64 * 1024;

/// An upstream whose answer is one line of `total` bytes. Counts what it could send.
async fn endless_line(total: u64) -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let sent = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&sent);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let _ = stream.read(&mut request).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
        let framing = "transfer-encoding: chunked\r\n\r\n";
        stream
            .write_all(format!("{head}{framing}").as_bytes())
            .await
            .unwrap();
        let chunk = [
            format!("{PIECE:x}\r\n").as_bytes(),
            &vec![b'a'; PIECE],
            b"\r\n",
        ]
        .concat();
        while count.load(Ordering::Relaxed) < total {
            if stream.write_all(&chunk).await.is_err() {
                return;
            }
            count.fetch_add(PIECE as u64, Ordering::Relaxed);
        }
        let _ = stream.write_all(b"0\r\n\r\n").await;
    });
    (url, sent)
}

fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}

#[tokio::test]
async fn half_a_gigabyte_in_one_line_leaves_memory_flat() {
    let total = 512 * 1024 * 1024;
    let (url, _) = endless_line(total).await;
    let mut reply = client().send(post(&url), &patient()).await.unwrap();
    let (mut read, mut most) = (0, 0);
    let before = resident_bytes();
    while let Some(piece) = reply.body.piece().await {
        read += piece.unwrap().len() as u64;
        if read % (16 * 1024 * 1024) < 1024 {
            most = most.max(resident_bytes());
        }
    }
    assert_eq!(read, total);
    let grown = most.max(resident_bytes()).saturating_sub(before);
    assert!(grown < 32 * 1024 * 1024, "memory grew by {grown} bytes");
}

#[tokio::test]
async fn a_reader_that_does_not_read_stops_the_upstream() {
    let (url, sent) = endless_line(1024 * 1024 * 1024).await;
    let reply = client().send(post(&url), &patient()).await.unwrap();
    let mut before = 0;
    // The sockets' buffers fill up, and then nothing moves any more.
    let stopped = loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = sent.load(Ordering::Relaxed);
        if now == before {
            break now;
        }
        before = now;
    };
    assert!(stopped < 32 * 1024 * 1024, "{stopped} bytes were taken");
    drop(reply);
}

#[tokio::test]
async fn pieces_arrive_as_they_are_sent() {
    let gate = Gate::new();
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/",
        Reply::sse().data("1").wait_for(&gate).data("2").data("3"),
    );
    let mut reply = client()
        .send(post(&upstream.url("/")), &patient())
        .await
        .unwrap();
    assert_eq!(reply.body.piece().await.unwrap().unwrap(), "data: 1\n\n");
    assert!(
        reply.body.piece().now_or_never().is_none(),
        "the second is not there yet"
    );
    gate.open();
    assert_eq!(reply.body.piece().await.unwrap().unwrap(), "data: 2\n\n");
    assert_eq!(reply.body.piece().await.unwrap().unwrap(), "data: 3\n\n");
    assert!(reply.body.piece().await.is_none());
}

#[tokio::test]
async fn the_beginning_of_a_long_error_is_enough() {
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/",
        Reply::body("text/plain", vec![b'x'; 3_000_000]).status(500),
    );
    let reply = client()
        .send(post(&upstream.url("/")), &patient())
        .await
        .unwrap();
    assert_eq!(reply.body.collect_start(100).await, "x".repeat(100));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_streams_at_once_all_come_to_their_end() {
    let upstream = FakeUpstream::start().await;
    let mut events = Reply::sse().every(Duration::from_millis(3));
    for _ in 0..20 {
        events = events.data("x");
    }
    upstream.on("/", events);
    let client = client();
    for _ in 0..2 {
        let calls: Vec<_> = (0..200)
            .map(|_| {
                let (client, url) = (client.clone(), upstream.url("/"));
                tokio::spawn(async move {
                    let mut reply = client.send(post(&url), &patient()).await.unwrap();
                    let mut read = 0;
                    while let Some(piece) = reply.body.piece().await {
                        read += piece.unwrap().len();
                    }
                    read
                })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap(), 20 * "data: x\n\n".len());
        }
    }
    assert!(
        upstream.accepted_connections() <= 200,
        "the second round has connections already"
    );
}
