//! One connection from its first byte to its end: TLS where configured, HTTP/1.1 or HTTP/2, and
//! an orderly end when the service stops.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::Response;
use hyper::body::Body;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use providers::transport::Socket;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::idle_timer::IdleTimer;
use super::own_wakes::Wakeable;
use super::stop::Stop;
use crate::config::LimitsConfig;
use crate::middleware::{Arrival, Peer, Scheme};

/// Streams that one HTTP/2 connection may have open.
const HTTP2_STREAMS: u32 = 256;

/// The headers that the HTTP library takes where it is told nothing.
const USUAL_HEADER_COUNT: usize = 100;

/// How long a connection that has not asked for anything yet may still do so after the stop was
/// asked for: long enough for what is already on its way.
const LAST_CALL: Duration = Duration::from_millis(500);

/// What connections may do.
#[derive(Clone)]
pub struct ConnectionSettings {
    handshake_timeout: Duration,
    idle_timeout: Duration,
    header_count: usize,
    header_bytes: usize,
    tls: Option<TlsAcceptor>,
}

impl ConnectionSettings {
    /// The settings of the configuration.
    pub fn new(limits: &LimitsConfig, tls: Option<TlsAcceptor>) -> Self {
        Self {
            handshake_timeout: Duration::from_secs(limits.handshake_timeout_s),
            idle_timeout: Duration::from_secs(limits.idle_timeout_s),
            header_count: limits.header_count,
            header_bytes: limits.header_bytes,
            tls,
        }
    }
}

/// Serves one accepted connection until it ends.
pub(super) async fn serve<S, B>(
    stream: TcpStream,
    address: SocketAddr,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) where
    S: Service<Arrival, Response = Response<B>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    // Without this, the parts of a stream wait for each other.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it began");
        return;
    }
    // Boxed, here and below: what a connection was at its beginning must not weigh on it for life.
    match &settings.tls {
        None => Box::pin(in_the_clear(stream, address, service, settings, stop)).await,
        Some(tls) => Box::pin(under_tls(tls, stream, address, service, settings, stop)).await,
    }
}

async fn in_the_clear<S, B>(
    stream: TcpStream,
    address: SocketAddr,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) where
    S: Service<Arrival, Response = Response<B>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let peer = Peer {
        address,
        scheme: Scheme::Http,
    };
    let sniffed = before_the_first_request(speaks_http2(&stream), settings, stop).await;
    if let Some(Some(is_http2)) = sniffed {
        let socket = Socket::new(stream);
        speak(socket, is_http2, peer, service, settings, stop).await;
    }
}

async fn under_tls<S, B>(
    acceptor: &TlsAcceptor,
    stream: TcpStream,
    address: SocketAddr,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) where
    S: Service<Arrival, Response = Response<B>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let handshake = Box::pin(acceptor.accept(Socket::new(stream)));
    match before_the_first_request(handshake, settings, stop).await {
        Some(Ok(stream)) => {
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            let peer = Peer {
                address,
                scheme: Scheme::Https,
            };
            speak(stream, is_http2, peer, service, settings, stop).await;
        }
        Some(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
        None => tracing::debug!("a TLS handshake took too long"),
    }
}

/// Waits for what comes before the first request; none where it takes too long.
async fn before_the_first_request<F: Future>(
    waited_for: F,
    settings: &ConnectionSettings,
    stop: &Stop,
) -> Option<F::Output> {
    tokio::select! {
        biased;
        outcome = waited_for => Some(outcome),
        () = tokio::time::sleep(settings.handshake_timeout) => None,
        () = async { stop.asked().await; tokio::time::sleep(LAST_CALL).await } => None,
    }
}

/// Whether the client begins with HTTP/2's preface; none where it leaves before saying anything.
/// Three bytes are enough: no HTTP/1.1 method begins with `PRI`.
async fn speaks_http2(stream: &TcpStream) -> Option<bool> {
    let mut beginning = [0; 3];
    loop {
        match stream.peek(&mut beginning).await {
            Ok(3) => return Some(&beginning == b"PRI"),
            Ok(0) | Err(_) => return None,
            // What was peeked stays readable, so waiting for more needs a pause.
            Ok(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// Speaks one protocol until the connection ends. Boxed on its own: one protocol needs no room for
/// the other.
fn speak<'a, I, S, B>(
    io: I,
    is_http2: bool,
    peer: Peer,
    service: S,
    settings: &'a ConnectionSettings,
    stop: &'a Stop,
) -> BoxFuture<'a, ()>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Arrival, Response = Response<B>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let service = service_fn(move |request| service.call(Arrival { peer, request }));
    let io = TokioIo::new(io);
    if is_http2 {
        let connection = http2_builder(settings).serve_connection(io, service);
        return Box::pin(async move {
            let mut connection = pin!(connection);
            let ended = stop.unless_asked(connection.as_mut()).await;
            let outcome = if let Some(outcome) = ended {
                outcome
            } else {
                connection.as_mut().graceful_shutdown();
                connection.await
            };
            note_end(outcome, peer);
        });
    }
    let connection = http1_builder(settings).serve_connection(io, service);
    Box::pin(async move {
        let mut connection = pin!(connection.with_upgrades());
        let ended = stop.unless_asked(Wakeable::new(connection.as_mut())).await;
        let outcome = if let Some(outcome) = ended {
            outcome
        } else {
            connection.as_mut().graceful_shutdown();
            connection.await
        };
        note_end(outcome, peer);
    })
}

/// Clients leave and break the protocol as they like; it is not our failure.
fn note_end(outcome: hyper::Result<()>, peer: Peer) {
    if let Err(error) = outcome {
        tracing::debug!(%error, peer = %peer.address, "a connection ended early");
    }
}

fn http1_builder(settings: &ConnectionSettings) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(IdleTimer::default())
        .header_read_timeout(settings.idle_timeout)
        .max_header_size(settings.header_bytes);
    // Where it is the library's own number, the library needs no room of its own for each request.
    if settings.header_count != USUAL_HEADER_COUNT {
        builder.max_headers(settings.header_count);
    }
    builder
}

fn http2_builder(settings: &ConnectionSettings) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS)
        .max_header_list_size(u32::try_from(settings.header_bytes).unwrap_or(u32::MAX))
        .adaptive_window(true)
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}
