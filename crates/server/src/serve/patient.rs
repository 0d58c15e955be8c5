//! Connections of clients that do not read. What waits to be written holds an upstream, slots and money, so that a
//! client which takes nothing for too long counts as one that has left.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::idle_timer::Alarm;

/// A connection whose writes fail where the other side takes nothing of them for too long.
pub(super) struct Patient<I> {
    io: I,
    patience: Duration,
    /// Until when something has to be taken; none where nothing waits.
    until: Option<Instant>,
    alarm: Alarm,
    /// Its place among the connections that may be open. Here, because what a connection is upgraded to
    /// takes the rest of it along.
    _place: Option<OwnedSemaphorePermit>,
}

impl<I> Patient<I> {
    pub(super) fn new(io: I, patience: Duration) -> Self {
        Self {
            io,
            patience,
            until: None,
            alarm: Alarm::default(),
            _place: None,
        }
    }

    /// Counts as open until it is dropped.
    pub(super) fn counted(self, place: OwnedSemaphorePermit) -> Self {
        Self {
            _place: Some(place),
            ..self
        }
    }
}

impl<I: Unpin> Patient<I> {
    /// Does a part of a write.
    fn step<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut I>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let step = write(Pin::new(&mut self.io), cx);
        if step.is_ready() {
            self.until = None;
            return step;
        }
        let patience = self.patience;
        let until = *self.until.get_or_insert_with(|| Instant::now() + patience);
        self.alarm
            .poll(until, cx)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Patient<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Patient<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.step(cx, |io, cx| io.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.step(cx, |io, cx| io.poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.step(cx, AsyncWrite::poll_flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.step(cx, AsyncWrite::poll_shutdown)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn a_client_that_takes_nothing_has_left() {
        let (_client, io) = duplex(8);
        let began = Instant::now();
        let outcome = Patient::new(io, PATIENCE).write_all(&[0; 32]).await;
        let kind = outcome.map_err(|error| error.kind());
        assert_eq!(kind, Err(io::ErrorKind::TimedOut));
        assert!(began.elapsed() >= PATIENCE);
    }

    #[tokio::test]
    async fn a_slow_client_gets_everything() {
        let (mut client, io) = duplex(8);
        let slow = tokio::spawn(async move {
            let mut taken = 0;
            while taken < 64 {
                tokio::time::sleep(PATIENCE / 8).await;
                taken += client.read(&mut [0; 8]).await.unwrap_or(0);
            }
        });
        let outcome = Patient::new(io, PATIENCE).write_all(&[0; 64]).await;
        assert!(outcome.is_ok());
        slow.await.expect("all was read");
    }
}
