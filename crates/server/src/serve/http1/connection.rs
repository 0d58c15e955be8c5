//! One connection, from request to request.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use hyper::body::Body;
use providers::transport::http1_text::{AFTER_CHUNK, LAST_CHUNK, chunk_line};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_util::io::{poll_read_buf, poll_write_buf};

use super::answer::{self, Framing};
use super::head::{self, Bounds, Heard, Ordinary};
use super::remembered::Remembered;
use super::rewound::Rewound;
use crate::clock;
use crate::middleware::{Answer, Arrival, Peer, Sent};
use crate::serve::answering::Answering;
use crate::serve::idle_timer::Alarm;
use crate::serve::stop::Stop;

/// How much is read at once, and with how little room less.
const ROOM: usize = 4 * 1024;
const LEAST_ROOM: usize = 1024;
/// How long the body of a request may take after its head. One that takes longer comes in pieces, and can be refused
/// before it is there.
const BODY_FOLLOWS: Duration = Duration::from_millis(5);

/// A connection that makes ordinary requests.
pub(in crate::serve) struct Connection<'a, I, S> {
    io: I,
    peer: Peer,
    service: S,
    bounds: Bounds,
    idle_timeout: Duration,
    stop: &'a Stop,
    /// What has come and is not answered.
    received: BytesMut,
    remembered: Option<Remembered>,
    alarm: Alarm,
}

/// What comes next on a connection.
enum Next {
    Request(Ordinary),
    Unusual,
    End,
}

impl<'a, I, S> Connection<'a, I, S>
where
    I: AsyncRead + AsyncWrite + Unpin,
    S: Answering,
{
    pub(in crate::serve) fn new(
        io: I,
        (peer, service): (Peer, S),
        (bounds, idle_timeout): (Bounds, Duration),
        stop: &'a Stop,
    ) -> Self {
        Self {
            io,
            peer,
            service,
            bounds,
            idle_timeout,
            stop,
            received: BytesMut::new(),
            remembered: None,
            alarm: Alarm::default(),
        }
    }

    /// Answers until the connection ends, or until something unusual comes: then it is given back.
    pub(in crate::serve) async fn run(mut self) -> io::Result<Option<(Rewound<I>, S)>> {
        loop {
            let Ordinary {
                head,
                body,
                is_last,
            } = match self.next().await {
                Next::Request(request) => request,
                Next::Unusual => {
                    let io = Rewound::new(self.received, self.io);
                    return Ok(Some((io, self.service)));
                }
                Next::End => return Ok(None),
            };
            let (peer, body) = (self.peer, Sent::Whole(body));
            let answering = pin!(self.service.call(Arrival { peer, head, body }));
            let Ok(answer) = self.unless_left(answering).await?;
            if !self.answer(answer, is_last).await? {
                return Ok(None);
            }
            // Who asks for more before the answer is there gets it after the others.
            if !self.received.is_empty() {
                tokio::task::yield_now().await;
            }
        }
    }

    async fn next(&mut self) -> Next {
        let mut deadline = clock::instant() + self.idle_timeout;
        poll_fn(|cx| self.poll_next(cx, &mut deadline)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>, deadline: &mut Instant) -> Poll<Next> {
        loop {
            if !self.received.is_empty() {
                match head::read(&mut self.received, &mut self.remembered, self.bounds) {
                    Heard::Whole(request) => return Poll::Ready(Next::Request(request)),
                    Heard::Unusual => return Poll::Ready(Next::Unusual),
                    Heard::Beginning => {
                        *deadline = (*deadline).min(clock::instant() + BODY_FOLLOWS);
                    }
                }
            }
            match self.poll_receive(cx) {
                Poll::Ready(Ok(1..)) => {}
                Poll::Ready(_) => return Poll::Ready(self.without_more()),
                Poll::Pending => break,
            }
        }
        if self.received.is_empty() && self.stop.is_asked() {
            return Poll::Ready(Next::End);
        }
        ready!(self.alarm.poll(*deadline, cx));
        Poll::Ready(self.without_more())
    }

    /// What is left where no more comes, or not soon.
    fn without_more(&self) -> Next {
        if self.received.is_empty() {
            Next::End
        } else {
            Next::Unusual
        }
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // Where nobody has what came before, its place is the next one's: still near to the processor.
        let is_anew = self.received.is_empty() && self.received.try_reclaim(ROOM);
        if !is_anew && self.received.capacity() - self.received.len() < LEAST_ROOM {
            self.received.reserve(ROOM);
        }
        poll_read_buf(Pin::new(&mut self.io), cx, &mut self.received)
    }

    /// Waits for something as long as the client does. What it asks for meanwhile comes next.
    async fn unless_left<F: Future>(&mut self, mut work: Pin<&mut F>) -> io::Result<F::Output> {
        poll_fn(|cx| {
            if let Poll::Ready(done) = work.as_mut().poll(cx) {
                return Poll::Ready(Ok(done));
            }
            while self.received.len() < head::LONGEST {
                match ready!(self.poll_receive(cx)) {
                    Ok(0) => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
                    Ok(_) => {}
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Sends an answer. Whether the connection goes on.
    async fn answer(&mut self, answer: Answer<S::Content>, is_last: bool) -> io::Result<bool> {
        let (parts, body) = answer.response.into_parts();
        let is_last = is_last || self.stop.is_asked() || answer::says_close(&parts.headers);
        let framing = Framing::of(parts.status, &parts.headers, &body);
        let head = answer::head(&parts, &answer.told, framing, is_last);
        drop((parts, answer.told));
        self.send(head, framing, pin!(body)).await?;
        poll_fn(|cx| Pin::new(&mut self.io).poll_flush(cx)).await?;
        if is_last {
            poll_fn(|cx| Pin::new(&mut self.io).poll_shutdown(cx)).await?;
        }
        Ok(!is_last)
    }

    /// Sends a head and the body behind it, each piece as it comes.
    async fn send(
        &mut self,
        head: BytesMut,
        framing: Framing,
        mut body: Pin<&mut S::Content>,
    ) -> io::Result<()> {
        let mut before = head;
        let mut left = match framing {
            Framing::Nothing | Framing::Length(0) => return self.write(before).await,
            Framing::Length(length) => Some(length),
            Framing::Chunks => None,
        };
        while left != Some(0) {
            let Some(data) = self.next_piece(&mut before, body.as_mut()).await? else {
                if left.is_some() {
                    return Err(io::Error::other("the answer is shorter than it said"));
                }
                before.extend_from_slice(LAST_CHUNK);
                return self.write(before).await;
            };
            let (length, mut before) = (data.remaining(), std::mem::take(&mut before));
            if let Some(left) = &mut left {
                let is_longer = || io::Error::other("the answer is longer than it said");
                *left = left.checked_sub(length as u64).ok_or_else(is_longer)?;
                self.write(before.chain(data)).await?;
            } else {
                chunk_line(&mut before, length);
                self.write(before.chain(data).chain(AFTER_CHUNK)).await?;
            }
        }
        Ok(())
    }

    /// The next piece of a body. What stands before it leaves by itself where the piece is not there yet.
    async fn next_piece(
        &mut self,
        before: &mut BytesMut,
        mut body: Pin<&mut S::Content>,
    ) -> io::Result<Option<<S::Content as Body>::Data>> {
        let at_once = poll_fn(|cx| Poll::Ready(poll_data(body.as_mut(), cx))).await;
        let data = if let Poll::Ready(data) = at_once {
            data
        } else {
            self.write(std::mem::take(before)).await?;
            poll_fn(|cx| Pin::new(&mut self.io).poll_flush(cx)).await?;
            let data = pin!(poll_fn(|cx| poll_data(body.as_mut(), cx)));
            self.unless_left(data).await?
        };
        data.transpose()
    }

    async fn write(&mut self, mut bytes: impl Buf) -> io::Result<()> {
        while bytes.has_remaining() {
            let written = poll_fn(|cx| poll_write_buf(Pin::new(&mut self.io), cx, &mut bytes));
            if written.await? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }
}

/// The next piece of a body that is not empty.
fn poll_data<B>(mut body: Pin<&mut B>, cx: &mut Context<'_>) -> Poll<Option<io::Result<B::Data>>>
where
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>>,
{
    loop {
        match ready!(body.as_mut().poll_frame(cx)) {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(Some(Err(io::Error::other(error)))),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if data.has_remaining() => return Poll::Ready(Some(Ok(data))),
                Ok(_) | Err(_) => {}
            },
        }
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
