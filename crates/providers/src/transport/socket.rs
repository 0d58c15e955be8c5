//! A TCP connection whose short writes leave together with those of others ([`gather_writes`](super::gather_writes)).

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::outbox;

/// How long the peer of a socket that nobody has any more may take for the rest of what was written.
const LINGERS_FOR: Duration = Duration::from_secs(5);

/// A connection.
#[derive(Debug)]
pub struct Socket(Arc<Shared>);

/// What a socket shares with the outbox of its thread; nobody else ever asks for it.
#[derive(Debug)]
pub(super) struct Shared(Mutex<State>);

#[derive(Debug)]
pub(super) struct State {
    stream: TcpStream,
    /// Whether something of it is in the outbox.
    is_gathered: bool,
    /// What the system did not take of that.
    rest: BytesMut,
    /// Why it takes no more.
    failure: Option<io::Error>,
    /// Whoever wrote last, to be told of both.
    writer: Option<Waker>,
}

impl Socket {
    /// A socket over a connection.
    pub fn new(stream: TcpStream) -> Self {
        Self(Arc::new(Shared(Mutex::new(State {
            stream,
            is_gathered: false,
            rest: BytesMut::new(),
            failure: None,
            writer: None,
        }))))
    }

    /// Whether it is known without reading that nothing has come.
    pub(super) fn is_silent(&self, cx: &mut Context<'_>) -> bool {
        self.0.lock().stream.poll_read_ready(cx).is_pending()
    }

    /// Ready once nothing written before is still on its way to the system.
    fn poll_settled(&self, cx: &mut Context<'_>) -> Poll<io::Result<MutexGuard<'_, State>>> {
        if self.0.lock().is_gathered {
            outbox::carry_now();
        }
        let mut state = self.0.lock();
        ready!(state.poll_rest(cx))?;
        Poll::Ready(Ok(state))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        Shared::linger(&self.0);
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// Gives the peer time for what is left of a socket's writes, where nobody is there any more who would see to
    /// it: the end of a WebSocket's conversation leaves without a shutdown.
    pub(super) fn linger(this: &Arc<Self>) {
        if this.lock().rest.is_empty() {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            let this = Arc::clone(this);
            runtime.spawn(async move {
                let rest = std::future::poll_fn(|cx| this.lock().poll_rest(cx));
                let _ = timeout(LINGERS_FOR, rest).await;
            });
        }
    }
}

impl State {
    /// Gives the system what was gathered. What it does not take now waits here, and whoever wrote it sees to the
    /// rest.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.is_gathered = false;
        let sent = if self.rest.is_empty() {
            self.stream.try_write(bytes)
        } else {
            Ok(0)
        };
        match sent {
            Ok(count) => self.rest.extend_from_slice(&bytes[count..]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.rest.extend_from_slice(bytes);
            }
            Err(error) => self.failure = Some(error),
        }
        let is_done = self.rest.is_empty() && self.failure.is_none();
        if !is_done && let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }

    /// Ready once the system has taken what it did not take at first.
    fn poll_rest(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(failure) = self.failure.take() {
            return Poll::Ready(Err(failure));
        }
        while !self.rest.is_empty() {
            let count = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.rest.advance(count);
        }
        Poll::Ready(Ok(()))
    }

    fn note_writer(&mut self, cx: &Context<'_>) {
        let is_known = |writer: &Waker| writer.will_wake(cx.waker());
        if !self.writer.as_ref().is_some_and(is_known) {
            self.writer = Some(cx.waker().clone());
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = self.0.lock();
        if !state.rest.is_empty() {
            // A peer that takes no more may have something to say nevertheless.
            let _ = state.poll_rest(cx);
        }
        Pin::new(&mut state.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let admit = || {
            let mut state = self.0.lock();
            ready!(state.poll_rest(cx))?;
            state.note_writer(cx);
            state.is_gathered = true;
            Poll::Ready(Ok(()))
        };
        if let Some(taken_in) = outbox::take_in(&self.0, pieces, admit) {
            return taken_in;
        }
        let mut state = ready!(self.poll_settled(cx))?;
        Pin::new(&mut state.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// What was gathered leaves by itself; nobody has to wait for that.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.lock().poll_rest(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = ready!(self.poll_settled(cx))?;
        Pin::new(&mut state.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use futures_util::FutureExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::task::yield_now;

    use super::*;
    use crate::transport::gather_writes;

    async fn pair() -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap());
        let (stream, accepted) = tokio::join!(stream, listener.accept());
        (Socket::new(stream.unwrap()), accepted.unwrap().0)
    }

    async fn gathering() {
        tokio::spawn(gather_writes());
        yield_now().await;
    }

    /// What a peer that never waits has received.
    fn received(peer: &mut std::net::TcpStream) -> Option<String> {
        let mut bytes = [0; 64];
        let count = peer.read(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes[..count]).into_owned())
    }

    #[tokio::test]
    async fn what_is_written_in_a_turn_leaves_at_its_end() {
        let (mut socket, peer) = pair().await;
        let mut peer = peer.into_std().unwrap();
        socket.write_all(b"at once").await.unwrap();
        assert_eq!(received(&mut peer).unwrap(), "at once");
        gathering().await;
        for word in ["to", "get", "her"] {
            socket.write_all(word.as_bytes()).await.unwrap();
            socket.flush().await.unwrap();
        }
        assert_eq!(received(&mut peer), None);
        yield_now().await;
        assert_eq!(received(&mut peer).unwrap(), "together");
    }

    #[tokio::test]
    async fn what_waits_is_bounded() {
        gathering().await;
        let (mut socket, peer) = pair().await;
        let mut peer = peer.into_std().unwrap();
        for _ in 0..outbox::ROOM / outbox::LONGEST {
            socket.write_all(&[b'x'; outbox::LONGEST]).await.unwrap();
        }
        assert_eq!(received(&mut peer), None);
        socket.write_all(b"more").await.unwrap();
        assert!(received(&mut peer).is_some());
    }

    #[tokio::test]
    async fn nothing_stays_behind_at_the_end() {
        gathering().await;
        let (mut socket, peer) = pair().await;
        let mut peer = peer.into_std().unwrap();
        socket.write_all(b"last").await.unwrap();
        socket.shutdown().await.unwrap();
        assert_eq!(received(&mut peer).unwrap(), "last");
        assert_eq!(received(&mut peer).unwrap(), "");

        let (mut socket, mut peer) = pair().await;
        socket.write_all(b"dropped").await.unwrap();
        drop(socket);
        let mut all = String::new();
        peer.read_to_string(&mut all).await.unwrap();
        assert_eq!(all, "dropped");
    }

    /// Writes pieces of this length until the system takes no more; how much it was.
    async fn fill(socket: &mut Socket, length: usize) -> usize {
        let mut written = 0;
        while let Some(count) = socket.write(&vec![7; length]).now_or_never() {
            written += count.unwrap();
            yield_now().await;
        }
        written
    }

    #[tokio::test]
    async fn a_dropped_socket_lingers_for_its_rest() {
        gathering().await;
        for length in [4096, 2 * outbox::LONGEST] {
            let (mut socket, mut peer) = pair().await;
            let mut written = fill(&mut socket, length).await;
            let last = socket.write(b"the last word").now_or_never();
            written += last.map_or(0, Result::unwrap);
            assert_eq!(socket.0.lock().is_gathered, length > outbox::LONGEST);
            drop(socket);
            let mut all = Vec::new();
            peer.read_to_end(&mut all).await.unwrap();
            assert_eq!(all.len(), written);
        }
    }

    #[tokio::test]
    async fn short_and_long_writes_keep_their_order() {
        gathering().await;
        let (mut socket, mut peer) = pair().await;
        let lengths = [1, 100, 20_000, 8192, 8193, 3, 70_000];
        let lengths = lengths.iter().copied().cycle().take(200);
        let pieces: Vec<Vec<u8>> = lengths.zip(0u8..).map(|(n, byte)| vec![byte; n]).collect();
        let sent = pieces.concat();
        tokio::spawn(async move {
            for piece in pieces {
                socket.write_all(&piece).await.unwrap();
            }
        });
        let mut all = Vec::new();
        peer.read_to_end(&mut all).await.unwrap();
        assert!(all == sent);
    }

    #[tokio::test]
    async fn a_rest_leaves_while_its_writer_waits_for_an_answer() {
        gathering().await;
        let (mut socket, mut peer) = pair().await;
        let written = fill(&mut socket, 4096).await;
        let mut answer = [0; 2];
        let reading = socket.read_exact(&mut answer);
        let answering = async {
            let mut all = vec![0; written];
            peer.read_exact(&mut all).await.unwrap();
            peer.write_all(b"ok").await.unwrap();
        };
        tokio::join!(reading, answering).0.unwrap();
        assert_eq!(&answer, b"ok");
    }

    #[tokio::test]
    async fn a_writer_is_told_that_nobody_took_it() {
        gathering().await;
        let (mut socket, peer) = pair().await;
        peer.set_zero_linger().unwrap();
        drop(peer);
        socket.write_all(b"too late").await.unwrap();
        yield_now().await;
        socket.flush().await.unwrap_err();
    }
}
