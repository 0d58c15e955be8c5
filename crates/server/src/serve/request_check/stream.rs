//! A connection whose request heads are checked as they are read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BytesMut};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::io::poll_read_buf;

use super::chunks::{ChunkScanner, Scanned};
use super::head::{self, BodyFraming, CheckedHead};
use crate::refusal::Refusal;
use crate::serve::http1::Bounds;

/// Read size while a head is incomplete.
const READ_BYTES: usize = 4 * 1024;
/// Bytes of a rejected request that are read and dropped, so that the client receives the response.
const MAX_DROPPED_BYTES: usize = 256 * 1024;

/// State that a stream shares with the service behind the HTTP library. The library calls the service once for each head,
/// in the order of the heads.
#[derive(Clone, Debug, Default)]
pub(in crate::serve) struct Verdicts(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Number of calls of the service.
    calls: AtomicUsize,
    /// The number of the call that must be rejected.
    rejected: Mutex<Option<(usize, Refusal)>>,
    is_upgraded: AtomicBool,
}

impl Verdicts {
    /// Counts a call of the service. Returns the refusal to respond with if its head was invalid.
    pub(in crate::serve) fn next(&self) -> Option<Refusal> {
        let call = self.0.calls.fetch_add(1, Ordering::Relaxed);
        let rejected = *self.0.rejected.lock();
        rejected.and_then(|(rejected, refusal)| (rejected == call).then_some(refusal))
    }

    /// Stops the checks: the connection switches to another protocol.
    pub(in crate::serve) fn upgrade(&self) {
        self.0.is_upgraded.store(true, Ordering::Relaxed);
    }
}

/// What the next bytes are.
enum State {
    /// Bytes of a head, of which this many have been searched for its end.
    Head { searched: usize },
    /// Bytes of a body with a length.
    Body(u64),
    /// Bytes of a body in chunks.
    Chunks(ChunkScanner),
    /// Bytes that the library reads without checks, because it ends the connection or has upgraded it.
    Unchecked,
    /// Bytes after an invalid chunk, which are not read.
    Broken,
    /// Bytes after a rejected head, of which this many have been dropped.
    Rejected { dropped: usize },
}

/// Reads from a connection; passes on valid heads and their bodies.
pub(in crate::serve) struct CheckedStream<I> {
    io: I,
    bounds: Bounds,
    verdicts: Verdicts,
    /// Number of heads so far.
    heads: usize,
    state: State,
    /// Received bytes that were not passed on.
    held: BytesMut,
    /// Number of held bytes that may be passed on.
    cleared: usize,
}

impl<I> CheckedStream<I> {
    pub(in crate::serve) fn new(io: I, bounds: Bounds, verdicts: Verdicts) -> Self {
        Self {
            io,
            bounds,
            verdicts,
            heads: 0,
            state: State::Head { searched: 0 },
            held: BytesMut::new(),
            cleared: 0,
        }
    }

    /// Classifies held bytes until some are cleared or more are needed.
    fn classify(&mut self) {
        if self.verdicts.0.is_upgraded.load(Ordering::Relaxed) {
            self.state = State::Unchecked;
        }
        while self.cleared == 0 && !self.held.is_empty() {
            match &mut self.state {
                State::Head { .. } => {
                    if !self.classify_head() {
                        return;
                    }
                }
                State::Body(_) | State::Chunks(_) => {
                    let held = std::mem::take(&mut self.held);
                    self.cleared = self.body_bytes(&held);
                    self.held = held;
                }
                State::Unchecked => self.cleared = self.held.len(),
                State::Broken => return,
                State::Rejected { dropped } => {
                    *dropped = dropped.saturating_add(self.held.len());
                    self.held.clear();
                }
            }
        }
    }

    /// Returns how many of these bytes belong to the current body, and moves on to the next head after its end.
    fn body_bytes(&mut self, bytes: &[u8]) -> usize {
        let (count, next) = match &mut self.state {
            State::Body(remaining) => {
                let count =
                    usize::try_from(*remaining).map_or(bytes.len(), |most| most.min(bytes.len()));
                *remaining -= count as u64;
                (
                    count,
                    (*remaining == 0).then_some(State::Head { searched: 0 }),
                )
            }
            State::Chunks(scanner) => match scanner.scan(bytes) {
                Scanned::More => (bytes.len(), None),
                Scanned::End(count) => (count, Some(State::Head { searched: 0 })),
                Scanned::Invalid(at) => (at, Some(State::Broken)),
            },
            _ => (0, None),
        };
        if let Some(next) = next {
            self.state = next;
        }
        count
    }

    /// Looks for the end of a head in the held bytes. Returns false if more bytes are needed.
    fn classify_head(&mut self) -> bool {
        // Empty lines before a request are ignored, as RFC 9112 asks for.
        while self.held.starts_with(b"\r\n") {
            self.held.advance(2);
            self.state = State::Head { searched: 0 };
        }
        let State::Head { searched } = self.state else {
            return true;
        };
        let mut at = searched;
        while let Some(found) = memchr::memchr(b'\n', &self.held[at..]) {
            at += found;
            if at == 0 || self.held[at - 1] != b'\r' {
                self.reject(Refusal::MalformedRequest, "/");
                return true;
            }
            at += 1;
            if self.held[..at].ends_with(b"\r\n\r\n") {
                self.check_head(at);
                return true;
            }
        }
        if self.held.len() > self.bounds.header_bytes {
            self.state = State::Unchecked;
            return true;
        }
        self.state = State::Head {
            searched: self.held.len(),
        };
        false
    }

    fn check_head(&mut self, length: usize) {
        match head::check(&self.held[..length], self.bounds.header_count) {
            CheckedHead::Valid(framing) => {
                self.heads += 1;
                self.cleared = length;
                self.state = match framing {
                    BodyFraming::Length(0) => State::Head { searched: 0 },
                    BodyFraming::Length(length) => State::Body(length),
                    BodyFraming::Chunked => State::Chunks(ChunkScanner::default()),
                };
            }
            CheckedHead::Rejected(refusal, path) => self.reject(refusal, &path),
            CheckedHead::TooLarge => self.state = State::Unchecked,
        }
    }

    /// Passes on a valid head in place of the invalid one, for the service to respond with the refusal.
    fn reject(&mut self, refusal: Refusal, path: &str) {
        let head = format!("GET {path} HTTP/1.1\r\nhost: rejected\r\nconnection: close\r\n\r\n");
        self.held.clear();
        self.held.extend_from_slice(head.as_bytes());
        self.cleared = self.held.len();
        *self.verdicts.0.rejected.lock() = Some((self.heads, refusal));
        self.heads += 1;
        self.state = State::Rejected { dropped: 0 };
    }

    /// Passes on cleared bytes. Returns false if there are none.
    fn pass_on(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let count = self.cleared.min(buffer.remaining());
        buffer.put_slice(&self.held[..count]);
        self.held.advance(count);
        self.cleared -= count;
        count > 0
    }
}

impl<I: AsyncRead + Unpin> CheckedStream<I> {
    /// Reads bytes of a body straight into the caller's buffer. Bytes after the end of the body are held.
    fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buffer))?;
        let count = self.body_bytes(&buffer.filled()[before..]);
        self.held
            .extend_from_slice(&buffer.filled()[before + count..]);
        buffer.set_filled(before + count);
        if count == 0 && matches!(self.state, State::Broken) {
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        Poll::Ready(Ok(()))
    }

    /// Reads more bytes of a head, or of what follows a rejected one. Returns whether the client has ended its side.
    fn poll_more(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        if matches!(self.state, State::Rejected { dropped } if dropped > MAX_DROPPED_BYTES) {
            return Poll::Pending;
        }
        self.held.reserve(READ_BYTES);
        let count = ready!(poll_read_buf(Pin::new(&mut self.io), cx, &mut self.held))?;
        Poll::Ready(Ok(count == 0))
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for CheckedStream<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            self.classify();
            if self.pass_on(buffer) || buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            if matches!(self.state, State::Broken) {
                return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
            }
            if self.held.is_empty() {
                match self.state {
                    State::Unchecked => return Pin::new(&mut self.io).poll_read(cx, buffer),
                    State::Body(_) | State::Chunks(_) => return self.poll_body(cx, buffer),
                    State::Head { .. } | State::Broken | State::Rejected { .. } => {}
                }
            }
            if ready!(self.poll_more(cx))? {
                if matches!(self.state, State::Rejected { .. }) {
                    // The response must not be cancelled as if the client had disconnected.
                    return Poll::Pending;
                }
                if self.held.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                // The library reports a head that ends early.
                self.state = State::Unchecked;
            }
        }
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for CheckedStream<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
