//! A request's body, in the form that the HTTP library takes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::watchdog::Progress;
use crate::RequestBody;
use crate::request::BodyStream;

/// What is sent. One pointer, because the HTTP library keeps room for dozens of requests beside
/// every connection.
pub(crate) struct OutBody(Box<Content>);

enum Content {
    Whole(Bytes),
    Stream {
        pieces: BodyStream,
        length: Option<u64>,
        progress: Progress,
    },
}

impl OutBody {
    /// The body, and the progress of its upload where it takes time of its own.
    pub(crate) fn new(body: RequestBody) -> (Self, Option<Progress>) {
        let (content, progress) = match body {
            RequestBody::Whole(bytes) => (Content::Whole(bytes), None),
            RequestBody::Stream { pieces, length } => {
                let progress = Progress::new();
                let shared = progress.clone();
                let content = Content::Stream {
                    pieces,
                    length,
                    progress,
                };
                (content, Some(shared))
            }
        };
        (Self(Box::new(content)), progress)
    }

    /// A body without bytes.
    pub(crate) fn empty() -> Self {
        Self(Box::new(Content::Whole(Bytes::new())))
    }
}

impl Body for OutBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut *self.0 {
            Content::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Content::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Content::Stream {
                pieces, progress, ..
            } => {
                let piece = pieces.as_mut().poll_next(cx);
                if piece.is_ready() {
                    progress.note();
                }
                piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&*self.0, Content::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &*self.0 {
            Content::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Stream { length, .. } => {
                length.map_or_else(SizeHint::new, SizeHint::with_exact)
            }
        }
    }
}
