//! The one client for calls to upstreams. Follows no redirect, adds no header of its own beside
//! `host` and the framing, and never sends a request twice once a byte of it may have left.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use http::header::{self, HeaderName};
use hyper::body::Incoming;
use tokio::time::Instant;

use super::body::{Source, UpstreamBody};
use super::dial::Dialler;
use super::egress::Egress;
use super::error::{Phase, TransportError};
use super::guard::Guard;
use super::http1::{Head, Http1};
use super::http2::{Http2, Place, Unanswered};
use super::message::Message;
use super::pool::{Held, Pool, PoolSettings, Route};
use super::resolve::{Resolve, SystemResolver};
use super::watchdog::Watchdog;
use crate::{Headers, Origin, UpstreamRequest};

/// Headers that belong to one connection, not to the call.
const OF_CONNECTIONS: [HeaderName; 12] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// An answer whose body is still coming.
#[derive(Debug)]
pub struct UpstreamReply {
    /// The status.
    pub status: StatusCode,
    /// The headers. Of a success there may be no other than the content type.
    pub headers: Headers,
    /// The body.
    pub body: UpstreamBody,
}

/// Sends requests. Cheap to clone; clones share connections. One for each worker thread: a
/// connection is best driven where it was made.
#[derive(Clone)]
pub struct Outbound(Arc<Shared>);

/// What clones share.
struct Shared {
    pool: Arc<Pool>,
    guard: Guard,
    resolver: Arc<dyn Resolve>,
}

impl Outbound {
    /// A client under this guard.
    pub fn new(guard: Guard, settings: PoolSettings) -> Self {
        Self::with_resolver(guard, settings, Arc::new(SystemResolver))
    }

    /// A client that finds names in its own way.
    pub fn with_resolver(guard: Guard, settings: PoolSettings, resolver: Arc<dyn Resolve>) -> Self {
        Self(Arc::new(Shared {
            pool: Pool::new(settings),
            guard,
            resolver,
        }))
    }

    /// Puts another guard in place. Connections were checked by the old one: those that wait go, and those of calls
    /// under way, which clones from before have, serve no other call.
    pub fn set_guard(&mut self, guard: Guard) {
        let resolver = Arc::clone(&self.0.resolver);
        *self = Self::with_resolver(guard, self.0.pool.settings(), resolver);
    }

    /// The guard in place.
    pub(super) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// How names become addresses.
    pub(super) fn resolver(&self) -> &dyn Resolve {
        &*self.0.resolver
    }

    /// How many connections are held for calls to come.
    pub fn held_connections(&self) -> usize {
        self.0.pool.held()
    }

    /// Sends a request and waits for the answer's head.
    pub async fn send(
        &self,
        request: UpstreamRequest,
        egress: &Egress,
    ) -> Result<UpstreamReply, TransportError> {
        self.send_timed(request, egress, &mut None).await
    }

    /// The same; `connecting` learns how long a new connection took, whatever becomes of the request. A connection that
    /// was at hand took nothing.
    pub fn send_timed<'a>(
        &'a self,
        request: UpstreamRequest,
        egress: &'a Egress,
        connecting: &'a mut Option<Duration>,
    ) -> impl Future<Output = Result<UpstreamReply, TransportError>> + 'a {
        // Outside of what waits, which would have room for the request twice.
        let (message, origin, upload) = Message::new(request);
        let route = Route {
            origin,
            egress: egress.route,
        };
        let timeouts = egress.timeouts;
        let watchdog = move || Watchdog::new(Phase::Head, timeouts.first_byte, upload.clone());
        let mut attempt = Attempt {
            outbound: self,
            route,
            message: Some(message),
            watchdog: watchdog(),
            connecting,
        };
        async move {
            if let Some(reply) = attempt.on_held().await? {
                return Ok(attempt.reply(reply, egress));
            }
            // Boxed: most calls find a connection at hand.
            let reply = Box::pin(attempt.on_new(egress, watchdog)).await?;
            Ok(attempt.reply(reply, egress))
        }
    }

    /// A fresh stream to an origin. `connecting` learns how long that took.
    pub(crate) async fn dial(
        &self,
        origin: &Origin,
        egress: &Egress,
        offer_http2: bool,
        connecting: &mut Option<Duration>,
    ) -> Result<(super::wire::Wire, bool), TransportError> {
        let dialler = Dialler {
            guard: self.guard(),
            resolver: self.resolver(),
            egress,
        };
        let begun = Instant::now();
        let stream = dialler.dial(origin, offer_http2).await?;
        *connecting = Some(connecting.unwrap_or_default() + begun.elapsed());
        Ok(stream)
    }
}

/// One request on its way through held and new connections.
struct Attempt<'a> {
    outbound: &'a Outbound,
    route: Route,
    /// The request, unless a shared connection has it.
    message: Option<Message>,
    watchdog: Watchdog,
    connecting: &'a mut Option<Duration>,
}

/// Where the body behind a head comes from.
enum Carrier {
    Http1(Box<Http1>),
    Http2(Incoming, Place),
}

type Answered = (Head, Carrier);

impl Attempt<'_> {
    /// Tries a connection that is at hand. None: there is none, or it ended before the request
    /// could be sent.
    async fn on_held(&mut self) -> Result<Option<Answered>, TransportError> {
        let pool = &self.outbound.0.pool;
        match pool.take(&self.route, self.watchdog.last()) {
            Some(Held::Http1(connection)) => self.on_http1(connection).await,
            // Boxed: it would make every call's way larger.
            Some(Held::Http2(shared, place)) => Box::pin(self.on_http2(&shared, place, true)).await,
            None => Ok(None),
        }
    }

    /// Makes a connection and uses it.
    async fn on_new(
        &mut self,
        egress: &Egress,
        watchdog: impl Fn() -> Watchdog,
    ) -> Result<Answered, TransportError> {
        let origin = self.route.origin.clone();
        let dialled = self.outbound.dial(&origin, egress, true, self.connecting);
        let (wire, is_http2) = dialled.await?;
        // Connecting has a deadline of its own.
        self.watchdog = watchdog();
        let closed = TransportError::Closed {
            reused: false,
            answered: false,
        };
        let answered = if is_http2 {
            let shared = Arc::new(Http2::new(wire).await?);
            let place = shared.place().ok_or_else(|| closed.clone())?;
            self.outbound.0.pool.share(&self.route, &shared);
            self.on_http2(&shared, place, false).await?
        } else {
            self.on_http1(Box::new(Http1::new(wire))).await?
        };
        answered.ok_or(closed)
    }

    async fn on_http1(
        &mut self,
        mut connection: Box<Http1>,
    ) -> Result<Option<Answered>, TransportError> {
        let Some(message) = self.message.as_mut() else {
            return Ok(None);
        };
        let origin = &self.route.origin;
        let answer = connection.exchange(origin, message, &mut self.watchdog);
        let head = answer.await?;
        Ok(head.map(|head| (head, Carrier::Http1(connection))))
    }

    async fn on_http2(
        &mut self,
        shared: &Http2,
        place: Place,
        reused: bool,
    ) -> Result<Option<Answered>, TransportError> {
        let Some(message) = self.message.take() else {
            return Ok(None);
        };
        let message = message.for_http2(&self.route.origin);
        let answer = shared.exchange(message, &mut self.watchdog, reused).await;
        match answer {
            Ok(answer) => {
                let (parts, incoming) = answer.into_parts();
                let head = Head {
                    status: parts.status,
                    headers: parts.headers.into(),
                };
                Ok(Some((head, Carrier::Http2(incoming, place))))
            }
            Err(Unanswered::Unsent(message)) => {
                self.message = Some(*message);
                Ok(None)
            }
            Err(Unanswered::Failed(error)) => Err(error),
        }
    }

    fn reply(self, (head, carrier): Answered, egress: &Egress) -> UpstreamReply {
        let mut watchdog = self.watchdog;
        watchdog.head_came();
        let source = match carrier {
            Carrier::Http1(connection) => Source::Http1 {
                connection,
                home: Arc::clone(&self.outbound.0.pool),
                route: self.route,
            },
            Carrier::Http2(incoming, place) => Source::Http2 {
                incoming,
                _place: place,
            },
        };
        UpstreamReply {
            status: head.status,
            headers: head.headers,
            body: UpstreamBody::new(source, watchdog, egress.timeouts.idle),
        }
    }
}

/// Removes headers that belong to connections, those that `connection` names included.
pub(crate) fn strip_connection_headers(headers: &mut Headers) {
    // Most calls have none of them.
    if !headers.keys().any(|name| OF_CONNECTIONS.contains(name)) {
        return;
    }
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in OF_CONNECTIONS.iter().chain(&named) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn headers_of_connections_do_not_pass() {
        let mut headers = Headers::default();
        for (name, value) in [
            ("connection", "close, X-Private"),
            ("x-private", "1"),
            ("transfer-encoding", "chunked"),
            ("content-length", "7"),
            ("host", "evil.test"),
            ("te", "trailers"),
            ("x-public", "1"),
        ] {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        strip_connection_headers(&mut headers);
        assert_eq!(headers.keys().collect::<Vec<_>>(), ["x-public"]);
    }
}
