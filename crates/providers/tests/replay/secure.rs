//! TLS: whom a channel trusts, and HTTP/2 where the upstream offers it.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use providers::transport::{Egress, Phase, TlsTrust, TransportError};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::{client, hasty, patient_timeouts, post, read, whole};

pub const ROOT: &[u8] = include_bytes!("../fixtures/tls_root.pem");
const LEAF: &[u8] = include_bytes!("../fixtures/tls_leaf.pem");
const KEY: &[u8] = include_bytes!("../fixtures/tls_leaf_key.pem");

/// A server's side of TLS for the names `upstream.test` and `proxy.test`.
pub fn acceptor(offers_http2: bool) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(LEAF).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    if offers_http2 {
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    }
    TlsAcceptor::from(Arc::new(config))
}

/// What the secure upstream saw.
#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    over_http2: AtomicUsize,
    /// Endless bodies that somebody still reads.
    open_bodies: AtomicUsize,
}

/// An upstream with TLS for the names `upstream.test` and `proxy.test`.
pub struct SecureUpstream {
    pub port: u16,
    seen: Arc<Seen>,
}

impl SecureUpstream {
    pub async fn start(offers_http2: bool) -> Self {
        let acceptor = acceptor(offers_http2);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(acceptor.clone(), stream, Arc::clone(&shared)));
            }
        });
        Self { port, seen }
    }

    fn url(&self, path: &str) -> String {
        format!("https://upstream.test:{}{path}", self.port)
    }
}

async fn serve(acceptor: TlsAcceptor, stream: tokio::net::TcpStream, seen: Arc<Seen>) {
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    seen.connections.fetch_add(1, Ordering::SeqCst);
    let service =
        service_fn(move |request| std::future::ready(Ok::<_, Infallible>(answer(&request, &seen))));
    let server = auto::Builder::new(TokioExecutor::new());
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

/// Counts an endless body until it is dropped.
struct OpenBody(Arc<Seen>);

impl Drop for OpenBody {
    fn drop(&mut self) {
        self.0.open_bodies.fetch_sub(1, Ordering::SeqCst);
    }
}

fn answer(
    request: &Request<Incoming>,
    seen: &Arc<Seen>,
) -> Response<UnsyncBoxBody<Bytes, Infallible>> {
    if request.version() == Version::HTTP_2 {
        seen.over_http2.fetch_add(1, Ordering::SeqCst);
    }
    let body = match request.uri().path() {
        "/endless" => {
            seen.open_bodies.fetch_add(1, Ordering::SeqCst);
            let open = OpenBody(Arc::clone(seen));
            let frames = futures_util::stream::unfold(open, |open| async move {
                tokio::time::sleep(Duration::from_millis(10)).await;
                Some((Ok(Frame::data(Bytes::from_static(b"data: x\n\n"))), open))
            });
            StreamBody::new(frames).boxed_unsync()
        }
        "/silent" => {
            let nothing = futures_util::stream::pending::<Result<Frame<Bytes>, Infallible>>();
            StreamBody::new(nothing).boxed_unsync()
        }
        path => {
            let text = path.trim_start_matches('/').to_owned();
            Full::new(Bytes::from(text)).boxed_unsync()
        }
    };
    Response::new(body)
}

pub fn trusting() -> Egress {
    Egress::new(
        TlsTrust::with_roots(ROOT).unwrap(),
        None,
        patient_timeouts(),
    )
}

#[tokio::test]
async fn an_unknown_authority_is_refused_unless_the_channel_trusts_it() {
    let upstream = SecureUpstream::start(false).await;
    let client = client();
    let error = whole(&client, &upstream.url("/whole")).await.unwrap_err();
    assert!(matches!(&error, TransportError::Tls(_)), "{error:?}");
    assert!(!error.to_string().contains("upstream.test"));
    for _ in 0..2 {
        let reply = client
            .send(post(&upstream.url("/whole")), &trusting())
            .await
            .unwrap();
        assert_eq!(read(reply).await.unwrap(), (200, "whole".to_owned()));
    }
    assert_eq!(upstream.seen.connections.load(Ordering::SeqCst), 1);
    assert_eq!(upstream.seen.over_http2.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let upstream = SecureUpstream::start(false).await;
    let url = format!("https://other.test:{}/whole", upstream.port);
    let error = client().send(post(&url), &trusting()).await.unwrap_err();
    assert!(matches!(error, TransportError::Tls(_)), "{error:?}");
}

#[tokio::test]
async fn plain_text_where_tls_is_expected_is_a_failure_of_tls() {
    let upstream = testkit::FakeUpstream::start().await;
    let url = format!("https://upstream.test:{}/", upstream.address().port());
    let error = client().send(post(&url), &hasty()).await.unwrap_err();
    let is_expected =
        matches!(error, TransportError::Tls(_)) || error == TransportError::Timeout(Phase::Connect);
    assert!(is_expected, "{error:?}");
}

#[tokio::test]
async fn calls_share_a_connection_where_the_upstream_speaks_http2() {
    let upstream = SecureUpstream::start(true).await;
    let client = client();
    let first = client
        .send(post(&upstream.url("/first")), &trusting())
        .await
        .unwrap();
    assert_eq!(read(first).await.unwrap().1, "first");
    let (url, egress) = (upstream.url("/next"), trusting());
    let calls = (0..20).map(|_| async { read(client.send(post(&url), &egress).await?).await });
    for answer in futures_util::future::join_all(calls).await {
        assert_eq!(answer.unwrap(), (200, "next".to_owned()));
    }
    assert_eq!(upstream.seen.connections.load(Ordering::SeqCst), 1);
    assert_eq!(upstream.seen.over_http2.load(Ordering::SeqCst), 21);
    assert_eq!(client.held_connections(), 1);
}

#[tokio::test]
async fn dropping_an_answer_over_http2_resets_its_stream_and_no_other() {
    let upstream = SecureUpstream::start(true).await;
    let client = client();
    let mut kept = client
        .send(post(&upstream.url("/endless")), &trusting())
        .await
        .unwrap();
    let mut dropped = client
        .send(post(&upstream.url("/endless")), &trusting())
        .await
        .unwrap();
    kept.body.piece().await.unwrap().unwrap();
    dropped.body.piece().await.unwrap().unwrap();
    assert_eq!(upstream.seen.open_bodies.load(Ordering::SeqCst), 2);
    drop(dropped);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(upstream.seen.open_bodies.load(Ordering::SeqCst), 1);
    kept.body.piece().await.unwrap().unwrap();
    assert_eq!(upstream.seen.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn deadlines_count_over_http2_too() {
    let upstream = SecureUpstream::start(true).await;
    let hasty = trusting().with_timeouts(hasty().timeouts());
    let reply = client()
        .send(post(&upstream.url("/silent")), &hasty)
        .await
        .unwrap();
    assert_eq!(
        read(reply).await.unwrap_err(),
        TransportError::Timeout(Phase::FirstByte)
    );
}
