//! What the HTTP library speaks: HTTP/2, and HTTP/1.1 with all that it has.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::task::TaskTracker;

use super::answering::Answering;
use super::connection::{ConnectionSettings, note_end};
use super::idle_timer::IdleTimer;
use super::own_wakes::Wakeable;
use super::request_check::{CheckedStream, Verdicts, is_valid_host};
use super::stop::Stop;
use crate::middleware::{Answer, Arrival, Head, Peer, Sent};
use crate::refusal::Refusal;

/// Streams that one HTTP/2 connection may have open.
const HTTP2_STREAMS: u32 = 256;

/// The headers that the library takes where it is told nothing.
const USUAL_HEADER_COUNT: usize = 100;

/// Speaks HTTP/2 until the connection ends.
pub(super) async fn speak_http2<I, S: Answering>(
    io: I,
    peer: Peer,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = taking(peer, service, Checks::Http2);
    let builder = http2_builder(settings, Streams(stop.running().clone()));
    let connection = builder.serve_connection(TokioIo::new(io), service);
    let mut connection = pin!(connection);
    let ended = stop.unless_asked(connection.as_mut()).await;
    come_to_end(
        connection,
        ended,
        http2::Connection::graceful_shutdown,
        (peer, stop),
    )
    .await;
}

/// Speaks HTTP/1.1 until the connection ends.
pub(super) async fn speak_http1<I, S: Answering>(
    io: I,
    peer: Peer,
    service: S,
    settings: &ConnectionSettings,
    stop: &Stop,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let verdicts = Verdicts::default();
    let io = CheckedStream::new(io, settings.bounds, verdicts.clone());
    let service = taking(peer, service, Checks::Http1(verdicts));
    let connection = http1_builder(settings).serve_connection(TokioIo::new(io), service);
    let mut connection = pin!(connection.with_upgrades());
    let ended = stop.unless_asked(Wakeable::new(connection.as_mut())).await;
    let ask_for_end = http1::UpgradeableConnection::graceful_shutdown;
    come_to_end(connection, ended, ask_for_end, (peer, stop)).await;
}

/// Lets a connection that has not ended answer what it is at, and no more.
async fn come_to_end<C: Future<Output = hyper::Result<()>>>(
    mut connection: Pin<&mut C>,
    ended: Option<C::Output>,
    ask_for_end: impl FnOnce(Pin<&mut C>),
    (peer, stop): (Peer, &Stop),
) {
    let outcome = if ended.is_some() {
        ended
    } else {
        ask_for_end(connection.as_mut());
        stop.unless_cut(connection).await
    };
    if let Some(Err(error)) = outcome {
        note_end(&error, peer);
    }
}

/// The service as the library calls it.
fn taking<S: Answering>(
    peer: Peer,
    service: S,
    checks: Checks,
) -> impl Service<
    Request<Incoming>,
    Response = Response<S::Content>,
    Error = Infallible,
    Future: Send + 'static,
> {
    service_fn(move |request: Request<Incoming>| {
        let (head, body) = request.into_parts();
        let head = match checks.refusal(&head) {
            None => Head::new(head),
            Some(refusal) => Head::rejected(head, refusal),
        };
        let (head, body) = (Arc::new(head), Sent::Pieces(body));
        let answering = service.call(Arrival { peer, head, body });
        let checks = checks.clone();
        async move {
            let response = answering.await.map(Answer::into_response)?;
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                checks.upgrade();
            }
            Ok(response)
        }
    })
}

/// Checks of request heads beyond those of the library.
#[derive(Clone)]
enum Checks {
    /// Heads are checked before the library reads them.
    Http1(Verdicts),
    /// The library rejects malformed heads itself; these are checked for their host.
    Http2,
}

impl Checks {
    /// Returns the refusal to respond with if the head is invalid.
    fn refusal(&self, head: &Parts) -> Option<Refusal> {
        match self {
            Self::Http1(verdicts) => verdicts.next(),
            Self::Http2 if head.method == Method::CONNECT => Some(Refusal::MethodNotAllowed),
            Self::Http2 => (!has_one_host(head)).then_some(Refusal::InvalidHost),
        }
    }

    fn upgrade(&self) {
        if let Self::Http1(verdicts) = self {
            verdicts.upgrade();
        }
    }
}

/// Reports whether an HTTP/2 request names one valid host: in `:authority`, in `host`, or the same in both.
fn has_one_host(head: &Parts) -> bool {
    let authority = head.uri.authority().map(Authority::as_str);
    let mut hosts = head.headers.get_all(header::HOST).iter();
    let (host, second) = (hosts.next().map(HeaderValue::as_bytes), hosts.next());
    let authority = authority.map(str::as_bytes);
    let is_same = match (authority, host) {
        (Some(authority), Some(host)) => authority.eq_ignore_ascii_case(host),
        _ => true,
    };
    second.is_none() && is_same && authority.or(host).is_some_and(is_valid_host)
}

fn http1_builder(settings: &ConnectionSettings) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(IdleTimer::default())
        .header_read_timeout(settings.idle_timeout)
        .max_header_size(settings.bounds.header_bytes);
    // Where it is the library's own number, the library needs no room of its own for each request.
    if settings.bounds.header_count != USUAL_HEADER_COUNT {
        builder.max_headers(settings.bounds.header_count);
    }
    builder
}

/// Runs the streams of an HTTP/2 connection, which are tasks of their own and may outlive it.
#[derive(Clone)]
struct Streams(TaskTracker);

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        self.0.spawn(async move { drop(stream.await) });
    }
}

fn http2_builder(settings: &ConnectionSettings, streams: Streams) -> http2::Builder<Streams> {
    let header_bytes = u32::try_from(settings.bounds.header_bytes).unwrap_or(u32::MAX);
    let mut builder = http2::Builder::new(streams);
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS)
        .max_header_list_size(header_bytes)
        .adaptive_window(true)
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}
