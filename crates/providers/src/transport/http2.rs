//! One HTTP/2 connection, shared by many calls. It runs as a task and ends when nobody holds it.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::error::TransportError;
use super::message::Message;
use super::out_body::OutBody;
use super::watchdog::Watchdog;
use super::wire::Wire;

/// Calls that share a connection; beyond that another one is opened.
const MOST_CALLS: usize = 64;
/// How much of one answer is taken ahead of its reader.
const STREAM_WINDOW: u32 = 256 * 1024;
/// All of them together, so that one slow reader does not stop the others.
const CONNECTION_WINDOW: u32 = 16 * 1024 * 1024;
const LONGEST_HEAD: u32 = 64 * 1024;
const PING_EVERY: Duration = Duration::from_secs(20);

/// A shared connection.
pub(crate) struct Http2 {
    send: SendRequest<OutBody>,
    calls: Arc<AtomicUsize>,
    /// How many calls the peer takes at once.
    granted: Arc<AtomicUsize>,
    last_use: Mutex<Instant>,
}

/// A call's place on a connection.
pub(crate) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request that got no answer.
pub(crate) enum Unanswered {
    /// It was not sent at all: the connection had ended before.
    Unsent(Box<Message>),
    /// It may have been sent.
    Failed(TransportError),
}

impl Http2 {
    pub(crate) async fn new(wire: Wire) -> Result<Self, TransportError> {
        let handshake = Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(LONGEST_HEAD)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_EVERY)
            .handshake(TokioIo::new(wire))
            .await;
        let (send, mut connection) =
            handshake.map_err(|error| TransportError::of_http(&error, false, false))?;
        let granted = Arc::new(AtomicUsize::new(MOST_CALLS));
        let noted = Arc::clone(&granted);
        // What goes wrong is told to the calls on it.
        tokio::spawn(std::future::poll_fn(move |cx| {
            let is_over = Pin::new(&mut connection).poll(cx).map(drop);
            noted.store(connection.current_max_send_streams(), Ordering::Relaxed);
            is_over
        }));
        let last_use = Mutex::new(Instant::now());
        Ok(Self {
            send,
            calls: Arc::default(),
            granted,
            last_use,
        })
    }

    /// A place for one more call, if there is one and the connection lives.
    pub(crate) fn place(&self) -> Option<Place> {
        if self.send.is_closed() {
            return None;
        }
        let most = self.granted.load(Ordering::Relaxed).clamp(1, MOST_CALLS);
        let taken = self.calls.fetch_add(1, Ordering::Relaxed);
        let place = Place(Arc::clone(&self.calls));
        if taken >= most {
            return None;
        }
        *self.last_use.lock() = Instant::now();
        Some(place)
    }

    /// Whether it serves nobody for so long, or is closed.
    pub(crate) fn is_spent(&self, idle: Duration) -> bool {
        let is_idle = self.calls.load(Ordering::Relaxed) == 0;
        self.send.is_closed() || (is_idle && self.last_use.lock().elapsed() >= idle)
    }

    /// Sends a request and waits for the answer's head.
    pub(crate) async fn exchange(
        &self,
        request: Request<OutBody>,
        watchdog: &mut Watchdog,
        reused: bool,
    ) -> Result<Response<Incoming>, Unanswered> {
        let mut send = self.send.clone();
        let mut answer = pin!(send.try_send_request(request));
        let answered = std::future::poll_fn(|cx| {
            if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
                return Poll::Ready(Ok(answer));
            }
            watchdog.poll(cx).map(Err)
        });
        match answered.await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(mut error)) => Err(match error.take_message() {
                Some(request) => Unanswered::Unsent(Box::new(Message::of_http2(request))),
                None => Unanswered::Failed(TransportError::of_http(error.error(), reused, false)),
            }),
            Err(error) => Err(Unanswered::Failed(error)),
        }
    }
}
