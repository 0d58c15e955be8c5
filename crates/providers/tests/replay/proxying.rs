//! Calls through a proxy that builds tunnels.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use providers::transport::{
    Egress, Guard, Outbound, PoolSettings, Proxy, Resolve, Resolved, TlsTrust, TransportError,
};
use providers::{Fault, UpstreamFailure};
use testkit::{FakeUpstream, Reply};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{client, patient_timeouts, post, read};

/// A proxy on this machine that leads every tunnel to the port that was asked for, on this machine.
/// Keeps the heads of what it was asked.
async fn proxy(answer: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(tunnel(stream, answer, Arc::clone(&seen)));
        }
    });
    (port, heads)
}

async fn tunnel(mut client: TcpStream, answer: &'static str, seen: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = client.read_u8().await else {
            return;
        };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let place = head.split(' ').nth(1).unwrap().to_owned();
    seen.lock().push(head);
    client.write_all(answer.as_bytes()).await.unwrap();
    if answer.contains(" 200 ") {
        let port: u16 = place.rsplit_once(':').unwrap().1.parse().unwrap();
        let mut upstream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut client, &mut upstream).await;
    }
}

const ESTABLISHED: &str = "HTTP/1.1 200 Connection established\r\nvia: x\r\n\r\n";

fn through(port: u16) -> Egress {
    let proxy = Proxy::parse(&format!("http://user:secret@127.0.0.1:{port}")).unwrap();
    let root = include_bytes!("../fixtures/tls_root.pem");
    Egress::new(
        TlsTrust::with_roots(root).unwrap(),
        Some(proxy),
        patient_timeouts(),
    )
}

#[tokio::test]
async fn a_call_goes_through_a_tunnel_and_the_tunnel_is_used_again() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/v1", Reply::body("text/plain", "through"));
    let (port, heads) = proxy(ESTABLISHED).await;
    let client = client();
    let url = format!("http://inside.test:{}/v1", upstream.address().port());
    for _ in 0..2 {
        let reply = client.send(post(&url), &through(port)).await.unwrap();
        assert_eq!(read(reply).await.unwrap().1, "through");
    }
    let heads = heads.lock();
    assert_eq!(heads.len(), 1);
    assert!(
        heads[0].starts_with("CONNECT 127.0.0.1:"),
        "the proxy is asked for the address that was checked: {}",
        heads[0]
    );
    assert!(heads[0].contains("proxy-authorization: Basic dXNlcjpzZWNyZXQ=\r\n"));
    let request = &upstream.requests()[0];
    assert!(request.header("host").unwrap().starts_with("inside.test:"));
    assert!(request.header("proxy-authorization").is_none());
}

#[tokio::test]
async fn proxies_resolve_names_only_if_the_operator_allows_it() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/v1", Reply::body("text/plain", "through"));
    let (port, heads) = proxy(ESTABLISHED).await;
    // A name that only the proxy can resolve.
    let url = format!("http://inside.invalid:{}/v1", upstream.address().port());
    let mut client = client();
    let error = client.send(post(&url), &through(port)).await.unwrap_err();
    assert_eq!(error, TransportError::Resolve);
    assert!(heads.lock().is_empty());
    let guard = Guard::new(["127.0.0.0/8".parse().unwrap()]);
    client.set_guard(guard.with_names_by_proxy(true));
    let reply = client.send(post(&url), &through(port)).await.unwrap();
    assert_eq!(read(reply).await.unwrap().1, "through");
    assert!(heads.lock()[0].starts_with("CONNECT inside.invalid:"));
}

#[tokio::test]
async fn an_upstream_behind_a_proxy_is_resolved_and_checked() {
    let (port, heads) = proxy(ESTABLISHED).await;
    let guard = Guard::new(["127.0.0.1/32".parse().unwrap()]);
    let names = Arc::new(Rebinding::default());
    let client = Outbound::with_resolver(guard, PoolSettings::default(), names.clone());
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/v1",
        Reply::body("text/plain", "through").header("connection", "close"),
    );
    let url = format!("http://changing.test:{}/v1", upstream.address().port());
    let reply = client.send(post(&url), &through(port)).await.unwrap();
    assert_eq!(read(reply).await.unwrap().1, "through");
    upstream.wait_for_open_connections(0).await;
    // Every new connection resolves and checks again.
    names.is_private.store(true, Ordering::Relaxed);
    let error = client.send(post(&url), &through(port)).await.unwrap_err();
    assert_eq!(error, TransportError::Refused);
    assert_eq!(heads.lock().len(), 1, "the proxy is not asked");
}

/// Resolves names to this machine, later to an address that is not allowed.
#[derive(Default)]
struct Rebinding {
    is_private: AtomicBool,
}

impl Resolve for Rebinding {
    fn resolve<'a>(&'a self, _: &'a str, port: u16) -> Resolved<'a> {
        let is_private = self.is_private.load(Ordering::Relaxed);
        let address = if is_private {
            [10, 0, 0, 1]
        } else {
            [127, 0, 0, 1]
        };
        Box::pin(async move { Ok(vec![SocketAddr::from((address, port))]) })
    }
}

#[tokio::test]
async fn a_secure_call_is_secure_to_its_end_not_to_the_proxy() {
    let upstream = crate::secure::SecureUpstream::start(false).await;
    let (port, _) = proxy(ESTABLISHED).await;
    let url = format!("https://upstream.test:{}/whole", upstream.port);
    let reply = client().send(post(&url), &through(port)).await.unwrap();
    assert_eq!(read(reply).await.unwrap().1, "whole");
    // A name that the certificate does not have.
    let url = format!("https://other.test:{}/whole", upstream.port);
    let error = client().send(post(&url), &through(port)).await.unwrap_err();
    assert!(matches!(error, TransportError::Tls(_)), "{error:?}");
}

#[tokio::test]
async fn a_proxy_that_refuses_is_our_own_trouble() {
    for (answer, status) in [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            Some(407),
        ),
        (
            "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n",
            Some(502),
        ),
        ("nonsense\r\n\r\n", None),
    ] {
        let (port, _) = proxy(answer).await;
        let error = client()
            .send(post("http://a.test/"), &through(port))
            .await
            .unwrap_err();
        assert_eq!(error, TransportError::Proxy(status), "{answer}");
        assert_eq!(UpstreamFailure::from(error).kind, Fault::Unreachable);
    }
}
