//! HTTP/1.1 as upstreams really speak it: every way to end a body, and what must not be believed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::stream;
use providers::{RequestBody, TransportError};
use testkit::{FakeUpstream, Reply};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{client, patient, post, read, whole};

/// Answers every request with these bytes, on as many connections as it takes. Gives its address and the
/// number of connections.
async fn scripted(answer: &'static str, closes: bool) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                while read_request(&mut stream).await {
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    if closes {
                        return;
                    }
                }
            });
        }
    });
    (url, connections)
}

/// The head and the body that every test here sends; false at the end of the connection.
async fn read_request(stream: &mut TcpStream) -> bool {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.ends_with(br#"{"model":"m"}"#) {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return false,
            Ok(count) => request.extend_from_slice(&buffer[..count]),
        }
    }
    true
}

#[tokio::test]
async fn every_way_to_end_a_body_is_understood() {
    for (answer, closes, connections) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
            false,
            1,
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n\
             HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            false,
            1,
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
             2;name=value\r\nhe\r\n3\r\nllo\r\n0\r\nx-trailer: 1\r\n\r\n",
            false,
            1,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            false,
            1,
        ),
        ("HTTP/1.1 200 OK\r\n\r\nhello", true, 2),
        (
            "HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello",
            false,
            2,
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello",
            false,
            2,
        ),
        // What two readers could understand in two ways ends the connection.
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 99\r\ntransfer-encoding: chunked\r\n\r\n\
             5\r\nhello\r\n0\r\n\r\n",
            false,
            2,
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n",
            false,
            2,
        ),
    ] {
        let (url, counted) = scripted(answer, closes).await;
        let client = client();
        for _ in 0..2 {
            let found = whole(&client, &url).await;
            assert_eq!(found, Ok((200, "hello".to_owned())), "{answer}");
        }
        assert_eq!(counted.load(Ordering::SeqCst), connections, "{answer}");
    }
}

#[tokio::test]
async fn what_contradicts_itself_or_breaks_off_is_no_answer() {
    let closed = TransportError::Closed {
        reused: false,
        answered: true,
    };
    for (answer, error) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
            TransportError::Malformed,
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello",
            TransportError::Malformed,
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            TransportError::Malformed,
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
            closed.clone(),
        ),
        ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello", closed),
    ] {
        let (url, _) = scripted(answer, true).await;
        assert_eq!(whole(&client(), &url).await, Err(error), "{answer}");
    }
}

#[tokio::test]
async fn bodies_of_every_kind_arrive_whole() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "ok"));
    let client = client();
    let long = Bytes::from(vec![b'x'; 3 << 20]);
    let pieces = || {
        let pieces: Vec<std::io::Result<Bytes>> =
            (0..3).map(|_| Ok(long.slice(..1 << 20))).collect();
        Box::pin(stream::iter(pieces))
    };
    let bodies = [
        RequestBody::Whole(long.clone()),
        RequestBody::Stream {
            pieces: pieces(),
            length: Some(3 << 20),
        },
        RequestBody::Stream {
            pieces: pieces(),
            length: None,
        },
    ];
    for (place, body) in bodies.into_iter().enumerate() {
        let mut request = post(&upstream.url("/"));
        request.body = body;
        let reply = client.send(request, &patient()).await.unwrap();
        assert_eq!(read(reply).await.unwrap(), (200, "ok".to_owned()));
        let received = &upstream.requests()[place];
        assert_eq!(received.text().len(), 3 << 20, "{place}");
        let length = received.header("content-length");
        assert_eq!(length.is_some(), place < 2, "{place}");
    }
    assert_eq!(upstream.accepted_connections(), 1);
}

#[tokio::test]
async fn a_body_that_is_not_as_long_as_it_was_said_is_not_sent_as_if_it_were() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "ok"));
    for length in [1, 3] {
        let piece = Ok(Bytes::from_static(b"xx"));
        let mut request = post(&upstream.url("/"));
        request.body = RequestBody::Stream {
            pieces: Box::pin(stream::iter([piece])),
            length: Some(length),
        };
        let refused = client().send(request, &patient()).await.err();
        assert_eq!(refused, Some(TransportError::RequestBody), "{length}");
    }
}

#[tokio::test]
async fn an_answer_that_comes_before_the_end_of_the_request_counts() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut beginning = [0; 16];
        stream.read_exact(&mut beginning).await.unwrap();
        let answer = "HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno";
        stream.write_all(answer.as_bytes()).await.unwrap();
        // Held open: a reset could overtake the answer.
        std::future::pending::<()>().await;
        drop(stream);
    });
    let client = client();
    let mut request = post(&url);
    request.body = RequestBody::Whole(vec![b'x'; 32 << 20].into());
    let reply = client.send(request, &patient()).await.unwrap();
    assert_eq!(read(reply).await.unwrap(), (413, "no".to_owned()));
    assert_eq!(client.held_connections(), 0);
}
