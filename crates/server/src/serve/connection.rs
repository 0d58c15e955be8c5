//! One connection from its first byte to its end: TLS where configured, HTTP/1.1 or HTTP/2, and
//! an orderly end when the service stops.

use std::error::Error;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::BoxFuture;
use providers::transport::Socket;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio_rustls::TlsAcceptor;

use super::answering::Answering;
use super::http1::{self, Bounds, Rewound};
use super::library;
use super::patient::Patient;
use super::stop::Stop;
use crate::clock::InTurns;
use crate::config::LimitsConfig;
use crate::middleware::{Peer, Scheme};

/// How long a connection that has not asked for anything yet may still do so after the stop was
/// asked for: long enough for what is already on its way.
const LAST_CALL: Duration = Duration::from_millis(500);

/// What connections may do.
#[derive(Clone)]
pub struct ConnectionSettings {
    handshake_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) bounds: Bounds,
    tls: Option<TlsAcceptor>,
}

impl ConnectionSettings {
    /// The settings of the configuration.
    pub fn new(limits: &LimitsConfig, tls: Option<TlsAcceptor>) -> Self {
        Self {
            handshake_timeout: Duration::from_secs(limits.handshake_timeout_s),
            idle_timeout: Duration::from_secs(limits.idle_timeout_s),
            bounds: Bounds {
                header_count: limits.header_count,
                header_bytes: limits.header_bytes,
            },
            tls,
        }
    }
}

/// A connection that was accepted, and its place among those that may be open.
pub(super) struct Accepted {
    pub(super) stream: TcpStream,
    pub(super) address: SocketAddr,
    pub(super) place: OwnedSemaphorePermit,
}

/// Serves one accepted connection until it ends.
pub(super) async fn serve<S: Answering>(
    accepted: Accepted,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) {
    // Without this, the parts of a stream wait for each other.
    if let Err(error) = accepted.stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it began");
        return;
    }
    // Boxed, here and below: what a connection was at its beginning must not weigh on it for life.
    match &settings.tls {
        None => Box::pin(in_the_clear(accepted, service, settings, stop)).await,
        Some(tls) => Box::pin(under_tls(tls, accepted, service, settings, stop)).await,
    }
}

async fn in_the_clear<S: Answering>(
    accepted: Accepted,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) {
    let Accepted {
        stream,
        address,
        place,
    } = accepted;
    let peer = Peer {
        address,
        scheme: Scheme::Http,
    };
    let sniffed = before_the_first_request(speaks_http2(&stream), settings, stop).await;
    if let Some(Some(is_http2)) = sniffed {
        let socket = Patient::new(Socket::new(stream), settings.idle_timeout).counted(place);
        InTurns(speak(socket, is_http2, peer, service, settings, stop)).await;
    }
}

async fn under_tls<S: Answering>(
    acceptor: &TlsAcceptor,
    accepted: Accepted,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) {
    let Accepted {
        stream,
        address,
        place,
    } = accepted;
    let handshake = Box::pin(acceptor.accept(Socket::new(stream)));
    match before_the_first_request(handshake, settings, stop).await {
        Some(Ok(stream)) => {
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            let peer = Peer {
                address,
                scheme: Scheme::Https,
            };
            let stream = Patient::new(stream, settings.idle_timeout).counted(place);
            InTurns(speak(stream, is_http2, peer, service, settings, stop)).await;
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
fn speak<'a, I, S>(
    io: I,
    is_http2: bool,
    peer: Peer,
    service: S,
    settings: &'a ConnectionSettings,
    stop: &'a Stop,
) -> BoxFuture<'a, ()>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Answering,
{
    if is_http2 {
        return Box::pin(library::speak_http2(io, peer, service, settings, stop));
    }
    Box::pin(async move {
        let left = speak_http1(io, peer, service, settings, stop).await;
        if let Some((io, service)) = left {
            Box::pin(library::speak_http1(io, peer, service, settings, stop)).await;
        }
    })
}

/// Speaks HTTP/1.1 for as long as it is ordinary; what is left then.
async fn speak_http1<I, S>(
    io: I,
    peer: Peer,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) -> Option<(Rewound<I>, S)>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Answering,
{
    let bounds = (settings.bounds, settings.idle_timeout);
    let connection = http1::Connection::new(io, (peer, service), bounds, stop);
    let mut connection = pin!(connection.run());
    let outcome = match stop.unless_asked(connection.as_mut()).await {
        Some(outcome) => outcome,
        // It has seen it as well, and comes to its end.
        None => stop.unless_cut(connection).await?,
    };
    outcome.unwrap_or_else(|error| {
        note_end(&error, peer);
        None
    })
}

/// Clients leave and break the protocol as they like; it is not our failure.
pub(super) fn note_end(error: &(dyn Error + 'static), peer: Peer) {
    tracing::debug!(error, peer = %peer.address, "a connection ended early");
}
