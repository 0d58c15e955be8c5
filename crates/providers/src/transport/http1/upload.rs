//! A request on its way out: its head, then its body, whole or piece by piece.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::io::AsyncWrite;

use crate::transport::error::TransportError;
use crate::transport::http1_text::{AFTER_CHUNK, LAST_CHUNK, chunk_line};
use crate::transport::out_body::Content;
use crate::transport::wire::Wire;

/// Why a request could not be sent to its end.
pub(super) enum Broken {
    /// The peer takes no more.
    Wire,
    /// The body itself broke off.
    Body(TransportError),
}

/// What is still to be sent.
#[derive(Default)]
pub(super) struct Upload {
    /// Comes before the piece: the head, or the line with a chunk's length.
    front: BytesMut,
    piece: Bytes,
    /// Comes behind the piece: the end of a chunk.
    back: &'static [u8],
    content: Content,
    /// Bytes that a body of known length still has to give.
    left: Option<u64>,
    step: Step,
    has_begun: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Step {
    /// Pieces of the body are to come.
    Pieces,
    /// Everything is written, but layers below may hold some of it.
    Flush,
    #[default]
    Done,
}

impl Upload {
    /// A request with this head.
    pub(super) fn new(front: BytesMut, content: Content) -> Self {
        let (piece, step) = match &content {
            Content::Whole(bytes) => (bytes.clone(), Step::Flush),
            Content::Stream { .. } => (Bytes::new(), Step::Pieces),
        };
        Self {
            front,
            piece,
            back: b"",
            left: content.length(),
            content,
            step,
            has_begun: false,
        }
    }

    /// Whether there is nothing more to do.
    pub(super) fn is_done(&self) -> bool {
        self.step == Step::Done
    }

    /// Whether a byte may have left.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Room for the head of the next request.
    pub(super) fn take_room(&mut self) -> BytesMut {
        let mut room = std::mem::take(&mut self.front);
        room.clear();
        room
    }

    /// The body back, of which nothing was sent.
    pub(super) fn take_content(&mut self) -> Content {
        self.step = Step::Done;
        std::mem::take(&mut self.content)
    }

    /// Sends no more.
    pub(super) fn give_up(&mut self) {
        *self = Self {
            has_begun: true,
            ..Self::default()
        };
    }

    /// Sends what can be sent now; ready when everything is.
    pub(super) fn poll_send(
        &mut self,
        wire: &mut Wire,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Broken>> {
        loop {
            while !self.front.is_empty() || !self.piece.is_empty() || !self.back.is_empty() {
                let written = ready!(self.poll_write(wire, cx)).map_err(|_| Broken::Wire)?;
                if written == 0 {
                    return Poll::Ready(Err(Broken::Wire));
                }
                self.has_begun = true;
                self.advance(written);
            }
            match self.step {
                Step::Done => return Poll::Ready(Ok(())),
                Step::Flush => {
                    let flushed = Pin::new(&mut *wire).poll_flush(cx);
                    ready!(flushed).map_err(|_| Broken::Wire)?;
                    self.step = Step::Done;
                    // Even of an empty piece, what it was part of would stay for as long as the connection.
                    (self.content, self.piece) = (Content::default(), Bytes::new());
                }
                Step::Pieces => match self.poll_next(cx) {
                    Poll::Ready(outcome) => outcome.map_err(Broken::Body)?,
                    Poll::Pending => {
                        // What was written must not wait in a layer below for what comes next.
                        let flushed = Pin::new(&mut *wire).poll_flush(cx);
                        ready!(flushed).map_err(|_| Broken::Wire)?;
                        return Poll::Pending;
                    }
                },
            }
        }
    }

    fn poll_write(&self, wire: &mut Wire, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let wire = Pin::new(wire);
        if self.piece.is_empty() && self.back.is_empty() {
            return wire.poll_write(cx, &self.front);
        }
        let slices = [&self.front[..], &self.piece, self.back].map(IoSlice::new);
        let begin = slices.iter().take_while(|slice| slice.is_empty()).count();
        wire.poll_write_vectored(cx, &slices[begin..])
    }

    fn advance(&mut self, mut written: usize) {
        for part in [
            &mut self.front as &mut dyn bytes::Buf,
            &mut self.piece,
            &mut self.back,
        ] {
            let taken = written.min(part.remaining());
            part.advance(taken);
            written -= taken;
        }
    }

    /// The next piece of a body that comes in pieces.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        let piece = ready!(self.content.poll_piece(cx));
        let piece = piece.transpose().map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => TransportError::RequestTooLarge,
            _ => TransportError::RequestBody,
        })?;
        Poll::Ready(match (piece, &mut self.left) {
            (Some(piece), Some(left)) => match left.checked_sub(piece.len() as u64) {
                Some(rest) => {
                    *left = rest;
                    self.piece = piece;
                    Ok(())
                }
                None => Err(TransportError::RequestBody),
            },
            // An empty chunk would be the last one.
            (Some(piece), None) if piece.is_empty() => Ok(()),
            (Some(piece), None) => {
                chunk_line(&mut self.front, piece.len());
                self.piece = piece;
                self.back = AFTER_CHUNK;
                Ok(())
            }
            (None, Some(0)) => {
                self.step = Step::Flush;
                Ok(())
            }
            (None, Some(_)) => Err(TransportError::RequestBody),
            (None, None) => {
                self.back = LAST_CHUNK;
                self.step = Step::Flush;
                Ok(())
            }
        })
    }
}
