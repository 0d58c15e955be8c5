//! One HTTP/1.1 connection, driven by whoever waits for its answer: no task of its own, so that an
//! answer takes no detour and dropping it closes the socket at once. Our own, because every call pays for
//! what stands here: a head is written once and read once, and a body goes on as it was received.

mod framing;
mod head;
mod upload;

use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use bytes::{Bytes, BytesMut};
use http::Method;
use tokio_util::io::poll_read_buf;

use self::framing::{Framing, Next};
pub(crate) use self::head::Head;
use self::upload::Upload;
use super::error::TransportError;
use super::message::Message;
use super::watchdog::{Alarm, Watchdog};
use super::wire::Wire;
use crate::Origin;

/// How much is read at once, at first and at most.
const FIRST_READ: usize = 8 * 1024;
const LARGEST_READ: usize = 64 * 1024;

/// A connection that serves one call at a time.
pub(crate) struct Http1 {
    wire: Wire,
    /// What was received and not yet taken.
    received: BytesMut,
    /// How much there was of a head when it was last looked for.
    seen_of_head: usize,
    read_size: usize,
    upload: Upload,
    framing: Framing,
    /// Whether it can serve another call after this one.
    is_kept: bool,
    /// Whether it has served a call before.
    pub(crate) is_reused: bool,
    /// The timer of its last call.
    pub(crate) alarm: Alarm,
}

impl Http1 {
    pub(crate) fn new(wire: Wire) -> Self {
        Self {
            wire,
            received: BytesMut::new(),
            seen_of_head: 0,
            read_size: FIRST_READ,
            upload: Upload::default(),
            framing: Framing::Ended,
            is_kept: true,
            is_reused: false,
            alarm: None,
        }
    }

    /// Sends a request and waits for the answer's head. None: the connection had ended before, and the
    /// request is as it was.
    pub(crate) async fn exchange(
        &mut self,
        origin: &Origin,
        message: &mut Message,
        watchdog: &mut Watchdog,
    ) -> Result<Option<Head>, TransportError> {
        watchdog.take_over(self.alarm.take());
        let head = head::write(self.upload.take_room(), message, origin);
        self.upload = Upload::new(head, std::mem::take(&mut message.content));
        let has_body = message.method != Method::HEAD;
        let answered = std::future::poll_fn(|cx| match self.poll_head(cx, has_body) {
            Poll::Ready(answer) => Poll::Ready(answer),
            Poll::Pending => watchdog.poll(cx).map(Err),
        });
        match answered.await {
            Err(TransportError::Closed { .. }) if !self.upload.has_begun() => {
                message.content = self.upload.take_content();
                Ok(None)
            }
            answered => answered.map(Some),
        }
    }

    /// The next piece of the answer's body; none at its end.
    pub(crate) fn poll_piece(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, TransportError>>> {
        let piece = ready!(self.poll_body(cx));
        if piece.is_err() {
            self.is_kept = false;
        }
        Poll::Ready(piece.transpose())
    }

    /// Gives back the room that it read into, which the next call needs no sooner than its answer comes.
    pub(crate) fn rest(&mut self) {
        self.received = BytesMut::new();
        self.read_size = FIRST_READ;
    }

    /// Whether its last call is over in a way that lets it serve another.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.is_kept
            && self.upload.is_done()
            && self.framing == Framing::Ended
            && self.received.is_empty()
    }

    /// Whether it can take another request now. Notices a peer that has closed.
    pub(crate) fn is_usable(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        // Whatever comes now, an end or bytes that nobody asked for, ends it.
        self.is_at_rest()
            && (self.wire.is_silent(&mut context) || self.poll_read(&mut context).is_pending())
    }

    fn poll_head(
        &mut self,
        cx: &mut Context<'_>,
        has_body: bool,
    ) -> Poll<Result<Head, TransportError>> {
        self.send(cx)?;
        loop {
            if let Some(answer) = head::read(&mut self.received, &mut self.seen_of_head)? {
                if answer.is_interim() {
                    continue;
                }
                self.framing = Framing::of(&answer, has_body)?;
                self.is_kept &= answer.keeps_connection() && self.framing.has_end();
                return Poll::Ready(Ok(answer.head));
            }
            if ready!(self.poll_read(cx))? == 0 {
                return Poll::Ready(Err(self.closed(false)));
            }
        }
    }

    fn poll_body(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, TransportError>> {
        self.send(cx)?;
        loop {
            match self.framing.take(&mut self.received)? {
                Next::Piece(piece) => return Poll::Ready(Ok(Some(piece))),
                Next::End => return Poll::Ready(Ok(None)),
                Next::More => {}
            }
            if ready!(self.poll_read(cx))? == 0 {
                if self.framing.has_end() {
                    return Poll::Ready(Err(self.closed(true)));
                }
                self.framing = Framing::Ended;
            }
        }
    }

    /// Lets the request go on being sent. A peer that takes no more of it may have answered already: only a
    /// body that breaks off by itself is an error here.
    fn send(&mut self, cx: &mut Context<'_>) -> Result<(), TransportError> {
        if self.upload.is_done() {
            return Ok(());
        }
        match self.upload.poll_send(&mut self.wire, cx) {
            Poll::Pending | Poll::Ready(Ok(())) => Ok(()),
            Poll::Ready(Err(upload::Broken::Body(error))) => Err(error),
            Poll::Ready(Err(upload::Broken::Wire)) => {
                self.is_kept = false;
                if self.upload.has_begun() {
                    self.upload.give_up();
                    return Ok(());
                }
                Err(self.closed(false))
            }
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<usize, TransportError>> {
        // Room that is taken when something has come was somebody else's just now, and is near to the processor.
        if self.received.capacity() == 0 && self.wire.is_silent(cx) {
            return Poll::Pending;
        }
        if self.received.capacity() - self.received.len() < self.read_size / 2 {
            self.received.reserve(self.read_size);
        }
        let room = self.received.capacity() - self.received.len();
        let read = ready!(poll_read_buf(
            Pin::new(&mut self.wire),
            cx,
            &mut self.received
        ));
        if read.as_ref().is_ok_and(|count| *count == room) {
            self.read_size = LARGEST_READ.min(self.read_size * 2);
        }
        let is_answered = self.framing != Framing::Ended;
        Poll::Ready(read.map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => TransportError::Malformed,
            _ => self.closed(is_answered),
        }))
    }

    fn closed(&self, answered: bool) -> TransportError {
        TransportError::Closed {
            reused: self.is_reused,
            answered,
        }
    }
}
