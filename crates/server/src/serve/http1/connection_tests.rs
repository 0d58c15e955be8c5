//! Connections as clients see them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body as AnyBody;
use axum::response::Response as AnyResponse;
use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};
use http::StatusCode;
use hyper::service::Service;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::io::ReaderStream;

use super::*;
use crate::middleware::Scheme;

const BOUNDS: Bounds = Bounds {
    header_count: 16,
    header_bytes: 4096,
};
const PEER: Peer = Peer {
    address: std::net::SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 1),
    scheme: Scheme::Http,
};

/// Answers a path and a body.
struct Answers<F>(F);

impl<F> Service<Arrival> for Answers<F>
where
    F: Fn(String, String) -> BoxFuture<'static, AnyResponse>,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Answer, Infallible>>;

    fn call(&self, Arrival { head, body, .. }: Arrival) -> Self::Future {
        let Sent::Whole(body) = body else {
            panic!("requests come as a whole")
        };
        let body = String::from_utf8_lossy(&body).into_owned();
        let answered = (self.0)(head.parts.uri.path().to_owned(), body);
        Box::pin(async move { Ok(answered.await.into()) })
    }
}

/// A client, and what its connection came to: what was left of it, if anything was.
struct Client {
    io: DuplexStream,
    served: JoinHandle<io::Result<Option<String>>>,
    stop: Stop,
}

impl Client {
    /// Of a server that answers like this.
    fn of<F>(answer: F) -> Self
    where
        F: Fn(String, String) -> BoxFuture<'static, AnyResponse> + Send + 'static,
    {
        Self::of_patient(answer, Duration::from_mins(1))
    }

    /// The same, of one that waits so long for a request.
    fn of_patient<F>(answer: F, patience: Duration) -> Self
    where
        F: Fn(String, String) -> BoxFuture<'static, AnyResponse> + Send + 'static,
    {
        let (io, there) = duplex(64 * 1024);
        let stop = Stop::default();
        let stopped = stop.clone();
        let served = tokio::spawn(async move {
            let bounds = (BOUNDS, patience);
            let connection = Connection::new(there, (PEER, Answers(answer)), bounds, &stopped);
            let Some((mut rest, _)) = connection.run().await? else {
                return Ok(None);
            };
            let mut text = vec![0; 4096];
            let count = rest.read(&mut text).await?;
            Ok(Some(String::from_utf8_lossy(&text[..count]).into_owned()))
        });
        Self { io, served, stop }
    }

    async fn ask(&mut self, text: &str) {
        self.io.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads until this has come; what came without dates.
    async fn read_to(&mut self, end: &str) -> String {
        let mut all = String::new();
        while !all.ends_with(end) {
            let byte = self.io.read_u8().await.unwrap();
            all.push(char::from(byte));
        }
        let is_kept = |line: &&str| !line.starts_with("date: ");
        all.split_inclusive("\r\n").filter(is_kept).collect()
    }

    async fn left(self) -> Option<String> {
        drop(self.io);
        self.served.await.unwrap().unwrap()
    }
}

fn echo(path: String, body: String) -> BoxFuture<'static, AnyResponse> {
    Box::pin(async move { AnyResponse::new(AnyBody::from(format!("{path} {body}!"))) })
}

#[tokio::test]
async fn requests_are_answered_one_after_the_other() {
    let mut client = Client::of(echo);
    let post = "POST /a HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\n\r\none";
    client
        .ask(&format!(
            "{post}GET /b HTTP/1.1\r\nhost: h\r\n\r\nPOST /c HTTP/1.1\r\nhost: h\r\ncontent-"
        ))
        .await;
    let answers = client.read_to("/b !").await;
    assert_eq!(
        answers,
        "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n/a one!\
         HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n/b !"
    );
    // Half a head is not ordinary.
    assert_eq!(
        client.left().await.unwrap(),
        "POST /c HTTP/1.1\r\nhost: h\r\ncontent-"
    );
}

#[tokio::test]
async fn a_body_may_follow_at_once_but_not_late() {
    let mut client = Client::of(echo);
    let head = "POST /a HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\n\r\n";
    client.ask(head).await;
    tokio::task::yield_now().await;
    client.ask("one").await;
    client.read_to("/a one!").await;
    client.ask(head).await;
    assert_eq!(client.served.await.unwrap().unwrap().unwrap(), head);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_handed_on() {
    let mut client = Client::of(echo);
    let text = "POST /a HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\n\r\non";
    client.ask(text).await;
    client.io.shutdown().await.unwrap();
    assert_eq!(client.served.await.unwrap().unwrap().unwrap(), text);
}

#[tokio::test]
async fn a_stream_leaves_as_it_comes() {
    let (pieces, given) = mpsc::channel::<&str>(1);
    let given = std::sync::Mutex::new(Some(given));
    let mut client = Client::of(move |_, _| {
        let given = given.lock().unwrap().take().unwrap();
        let pieces = stream::unfold(given, |mut given| async {
            let piece = given.recv().await?;
            Some((Ok::<_, Infallible>(piece), given))
        });
        Box::pin(async { AnyResponse::new(AnyBody::from_stream(pieces)) })
    });
    client.ask("GET /a HTTP/1.1\r\nhost: h\r\n\r\n").await;
    let head = client.read_to("\r\n\r\n").await;
    assert_eq!(
        head,
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    pieces.send("a piece of text").await.unwrap();
    pieces.send("").await.unwrap();
    assert_eq!(client.read_to("text\r\n").await, "f\r\na piece of text\r\n");
    pieces.send("more").await.unwrap();
    drop(pieces);
    assert_eq!(client.read_to("0\r\n\r\n").await, "4\r\nmore\r\n0\r\n\r\n");
    assert_eq!(client.left().await, None);
}

#[tokio::test]
async fn a_long_body_of_a_known_length_comes_as_it_is() {
    let long = "x".repeat(300_000);
    let sent = long.clone();
    let mut client = Client::of(move |_, _| {
        let sent = sent.clone();
        Box::pin(async move {
            let pieces = ReaderStream::new(std::io::Cursor::new(sent.clone()));
            let mut response = AnyResponse::new(AnyBody::from_stream(pieces));
            let length = sent.len().into();
            response.headers_mut().insert("content-length", length);
            response
        })
    });
    client
        .ask("GET /a HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n")
        .await;
    let mut all = String::new();
    client.io.read_to_string(&mut all).await.unwrap();
    let (head, body) = all.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains("content-length: 300000\r\nconnection: close\r\n"),
        "{head}"
    );
    assert!(body == long);
}

#[tokio::test]
async fn an_answer_that_breaks_off_ends_the_connection() {
    let mut client = Client::of(|path, _| {
        let pieces = match &*path {
            "/error" => vec![Ok("one"), Err("broken")],
            _ => vec![Ok("one")],
        };
        let mut response = AnyResponse::new(AnyBody::from_stream(stream::iter(pieces)));
        if path != "/error" {
            response.headers_mut().insert("content-length", 9.into());
        }
        Box::pin(async { response })
    });
    client.ask("GET /error HTTP/1.1\r\nhost: h\r\n\r\n").await;
    let mut all = String::new();
    client.io.read_to_string(&mut all).await.unwrap();
    assert!(all.ends_with("\r\n\r\n3\r\none\r\n"), "{all}");
    client.served.await.unwrap().unwrap_err();
}

/// Says when it is dropped.
struct Tell(Arc<AtomicBool>);

impl Drop for Tell {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn nobody_goes_on_for_a_client_that_left() {
    for is_begun in [false, true] {
        let is_gone = Arc::new(AtomicBool::new(false));
        let gone = Arc::clone(&is_gone);
        let mut client = Client::of(move |_, _| {
            let tell = Tell(Arc::clone(&gone));
            Box::pin(async move {
                if !is_begun {
                    std::future::pending::<()>().await;
                }
                let pieces = stream::pending::<Result<&str, Infallible>>();
                AnyResponse::new(AnyBody::from_stream(pieces.map(move |piece| {
                    let _ = &tell;
                    piece
                })))
            })
        });
        client.ask("GET /a HTTP/1.1\r\nhost: h\r\n\r\n").await;
        if is_begun {
            client.read_to("\r\n\r\n").await;
        }
        assert!(!is_gone.load(Ordering::Relaxed));
        drop(client.io);
        client.served.await.unwrap().unwrap_err();
        assert!(is_gone.load(Ordering::Relaxed));
    }
}

#[tokio::test]
async fn a_stop_lets_the_last_answer_go_out() {
    let (go_on, may_go_on) = mpsc::channel::<()>(1);
    let may_go_on = Arc::new(tokio::sync::Mutex::new(may_go_on));
    let mut client = Client::of(move |path, body| {
        let may_go_on = Arc::clone(&may_go_on);
        Box::pin(async move {
            may_go_on.lock().await.recv().await;
            let mut response = echo(path, body).await;
            *response.status_mut() = StatusCode::ACCEPTED;
            response
        })
    });
    client.ask("GET /a HTTP/1.1\r\nhost: h\r\n\r\n").await;
    tokio::task::yield_now().await;
    client.stop.ask();
    go_on.send(()).await.unwrap();
    let mut all = String::new();
    client.io.read_to_string(&mut all).await.unwrap();
    assert!(all.starts_with("HTTP/1.1 202 Accepted\r\n"), "{all}");
    assert!(all.contains("connection: close\r\n"), "{all}");
    assert_eq!(client.served.await.unwrap().unwrap(), None);
}

#[tokio::test]
async fn a_connection_without_requests_is_closed() {
    let mut client = Client::of_patient(echo, Duration::from_millis(30));
    client.ask("GET /a HTTP/1.1\r\nhost: h\r\n\r\n").await;
    client.read_to("/a !").await;
    let mut all = String::new();
    client.io.read_to_string(&mut all).await.unwrap();
    assert_eq!(all, "");
    assert_eq!(client.served.await.unwrap().unwrap(), None);
}
