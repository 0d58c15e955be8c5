//! An answer's body, piece by piece, at the reader's pace. Dropping it before its end closes the
//! connection (or resets the stream) at once; at its end the connection waits for another call.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use hyper::body::{Body as _, Incoming};

use super::egress::Timeouts;
use super::error::{Phase, TransportError};
use super::http1::Http1;
use super::http2::Place;
use super::pool::{Pool, Route};
use super::watchdog::Watchdog;

/// A piece of a body, or why there is none.
type Piece = Option<Result<Bytes, TransportError>>;

/// Pieces that are made in this process.
type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>;

/// Where pieces come from.
pub(crate) enum Source {
    /// A connection of its own, which goes back where it came from.
    Http1 {
        connection: Box<Http1>,
        home: Arc<Pool>,
        route: Route,
    },
    /// A place on a shared connection.
    Http2 { incoming: Incoming, _place: Place },
    /// This process itself.
    Pieces(Pieces),
    /// Nowhere any more.
    Ended,
}

/// A body that is being received.
pub struct UpstreamBody {
    source: Source,
    watchdog: Watchdog,
    idle: Duration,
}

impl UpstreamBody {
    pub(crate) fn new(source: Source, watchdog: Watchdog, idle: Duration) -> Self {
        Self {
            source,
            watchdog,
            idle,
        }
    }

    /// A body that this process makes itself, held to the deadlines of one that comes from afar.
    pub fn from_pieces(
        pieces: impl Stream<Item = Result<Bytes, TransportError>> + Send + 'static,
        timeouts: &Timeouts,
    ) -> Self {
        let watchdog = Watchdog::new(Phase::FirstByte, timeouts.first_byte, None);
        Self::new(Source::Pieces(Box::pin(pieces)), watchdog, timeouts.idle)
    }

    /// The next piece; none at the body's end. After an error there is nothing more.
    pub fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Piece> {
        let piece = match self.source.poll(cx) {
            Poll::Pending => match self.watchdog.poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(error) => Some(Err(error)),
            },
            Poll::Ready(piece) => piece,
        };
        match &piece {
            Some(Ok(_)) => self.watchdog.piece_came(self.idle),
            Some(Err(_)) => self.source = Source::Ended,
            None => self.source.retire(&mut self.watchdog),
        }
        Poll::Ready(piece)
    }

    /// The next piece; none at the body's end.
    pub async fn piece(&mut self) -> Piece {
        std::future::poll_fn(|cx| self.poll_piece(cx)).await
    }

    /// The whole body, which must not be longer than this.
    pub fn collect(
        mut self,
        longest: usize,
    ) -> impl Future<Output = Result<Bytes, TransportError>> + Send {
        // Most bodies are one piece: no copy is made of that.
        let mut first = None;
        let mut whole = BytesMut::new();
        let mut length = 0;
        // A block and no function, which would have room for the body twice.
        async move {
            while let Some(piece) = self.piece().await {
                let piece = piece?;
                length += piece.len();
                if length > longest {
                    return Err(TransportError::TooLarge);
                }
                match first.take() {
                    None if whole.is_empty() => first = Some(piece),
                    None => whole.extend_from_slice(&piece),
                    Some(begun) => {
                        whole.extend_from_slice(&begun);
                        whole.extend_from_slice(&piece);
                    }
                }
            }
            Ok(first.unwrap_or_else(|| whole.freeze()))
        }
    }

    /// As much of the body as there is and as fits, for errors: half an explanation is better than
    /// none.
    pub async fn collect_start(mut self, longest: usize) -> Bytes {
        let mut start = BytesMut::new();
        while let Some(Ok(piece)) = self.piece().await {
            let room = longest - start.len();
            start.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.len() > room {
                break;
            }
        }
        start.freeze()
    }
}

impl Source {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Piece> {
        match self {
            Self::Ended => Poll::Ready(None),
            Self::Pieces(pieces) => pieces.as_mut().poll_next(cx),
            Self::Http2 { incoming, .. } => poll_data(incoming, cx),
            Self::Http1 { connection, .. } => connection.poll_piece(cx),
        }
    }

    /// The body has come to its end: its connection may serve again.
    fn retire(&mut self, watchdog: &mut Watchdog) {
        if let Self::Http1 {
            mut connection,
            home,
            route,
            ..
        } = std::mem::replace(self, Self::Ended)
        {
            connection.alarm = watchdog.hand_over();
            home.put(&route, connection, watchdog.last());
        }
    }
}

/// The next piece of data; trailers are stepped over. The HTTP library takes a stream that its peer resets without an
/// error for one that has ended: only a stream that was ended, or that has all of its length, is complete.
fn poll_data(incoming: &mut Incoming, cx: &mut Context<'_>) -> Poll<Piece> {
    loop {
        return match Pin::new(&mut *incoming).poll_frame(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) if is_complete(incoming) => Poll::Ready(None),
            Poll::Ready(None) => Poll::Ready(Some(Err(TransportError::Closed {
                reused: false,
                answered: true,
            }))),
            Poll::Ready(Some(Err(error))) => {
                Poll::Ready(Some(Err(TransportError::of_http(&error, false, true))))
            }
            Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => Poll::Ready(Some(Ok(data))),
                Err(_) => continue,
            },
        };
    }
}

fn is_complete(incoming: &Incoming) -> bool {
    incoming.is_end_stream() || incoming.size_hint().exact() == Some(0)
}

impl Stream for UpstreamBody {
    type Item = Result<Bytes, TransportError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Piece> {
        self.get_mut().poll_piece(cx)
    }
}

impl Drop for UpstreamBody {
    /// A reader that knew the end from the content may not have asked for the end of the body. If
    /// that is there, the connection is kept; anything else is cut off.
    fn drop(&mut self) {
        if let Source::Http1 { .. } = self.source
            && let Poll::Ready(None) = self.source.poll(&mut Context::from_waker(Waker::noop()))
        {
            self.source.retire(&mut self.watchdog);
        }
    }
}

impl std::fmt::Debug for UpstreamBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UpstreamBody")
    }
}
