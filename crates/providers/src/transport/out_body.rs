//! A request's body on its way out.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::watchdog::Progress;
use crate::RequestBody;
use crate::request::BodyStream;

/// What is sent, in the form that the library for HTTP/2 takes. One pointer: it keeps room for dozens of
/// requests beside every connection.
pub(crate) struct OutBody(Box<Content>);

/// What a body is made of.
pub(crate) enum Content {
    Whole(Bytes),
    Stream {
        pieces: BodyStream,
        length: Option<u64>,
        progress: Progress,
    },
}

impl Default for Content {
    fn default() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl Content {
    /// The body, and the progress of its upload where it takes time of its own.
    pub(super) fn new(body: RequestBody) -> (Self, Option<Progress>) {
        match body {
            RequestBody::Whole(bytes) => (Self::Whole(bytes), None),
            RequestBody::Stream { pieces, length } => {
                let progress = Progress::new();
                let shared = progress.clone();
                let content = Self::Stream {
                    pieces,
                    length,
                    progress,
                };
                (content, Some(shared))
            }
        }
    }

    /// Its length, where that is known.
    pub(super) fn length(&self) -> Option<u64> {
        match self {
            Self::Whole(bytes) => Some(bytes.len() as u64),
            Self::Stream { length, .. } => *length,
        }
    }

    /// The next piece; none at the end.
    pub(super) fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        match self {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(std::mem::take(bytes)))),
            Self::Stream {
                pieces, progress, ..
            } => {
                let piece = pieces.as_mut().poll_next(cx);
                progress.note(piece.is_ready());
                piece
            }
        }
    }
}

impl OutBody {
    pub(super) fn from_content(content: Content) -> Self {
        Self(Box::new(content))
    }

    pub(super) fn into_content(self) -> Content {
        *self.0
    }
}

impl Body for OutBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let piece = self.0.poll_piece(cx);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&*self.0, Content::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.0.length();
        length.map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}
