//! One HTTP/1.1 connection, driven by whoever waits for its answer: no task of its own, so that an
//! answer takes no detour and dropping it closes the socket at once.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;

use super::error::TransportError;
use super::out_body::OutBody;
use super::watchdog::Watchdog;
use super::wire::Wire;

/// The most that is read ahead of the reader, and the longest head.
const BUFFER: usize = 64 * 1024;
/// The most headers of an answer.
const MOST_HEADERS: usize = 256;

/// A request that got no answer.
pub(crate) enum Unanswered {
    /// It was not sent at all: the connection had ended before.
    Unsent(Box<Request<OutBody>>),
    /// It may have been sent.
    Failed(TransportError),
}

/// A connection that serves one call at a time.
pub(crate) struct Http1 {
    send: SendRequest<OutBody>,
    connection: Connection<TokioIo<Wire>, OutBody>,
    is_over: bool,
    /// Whether it has served a call before.
    pub(crate) is_reused: bool,
}

impl Http1 {
    pub(crate) async fn new(wire: Wire) -> Result<Self, TransportError> {
        let handshake = Builder::new()
            .max_buf_size(BUFFER)
            .max_headers(MOST_HEADERS)
            .handshake(TokioIo::new(wire))
            .await;
        let (send, connection) =
            handshake.map_err(|error| TransportError::of_http(&error, false, false))?;
        Ok(Self {
            send,
            connection,
            is_over: false,
            is_reused: false,
        })
    }

    /// Sends a request and waits for the answer's head.
    pub(crate) async fn exchange(
        &mut self,
        request: Request<OutBody>,
        watchdog: &mut Watchdog,
    ) -> Result<Response<Incoming>, Unanswered> {
        let reused = self.is_reused;
        let mut answer = pin!(self.send.try_send_request(request));
        let answered = std::future::poll_fn(|cx| {
            self.drive(cx);
            if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
                return Poll::Ready(Ok(answer));
            }
            watchdog.poll(cx).map(Err)
        });
        match answered.await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(mut error)) => Err(match error.take_message() {
                Some(request) => Unanswered::Unsent(Box::new(request)),
                None => Unanswered::Failed(TransportError::of_http(error.error(), reused, false)),
            }),
            Err(error) => Err(Unanswered::Failed(error)),
        }
    }

    /// Lets the connection read and write.
    pub(crate) fn drive(&mut self, cx: &mut Context<'_>) {
        if !self.is_over {
            // What went wrong is told to the waiting request or body.
            self.is_over = Pin::new(&mut self.connection).poll(cx).is_ready();
        }
    }

    /// Whether nothing more will come.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether it can take another request now. Notices a peer that has closed.
    pub(crate) fn is_usable(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        !self.is_over && self.send.is_ready()
    }
}
