//! A request's body, in the form that the HTTP library takes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::watchdog::Progress;
use crate::RequestBody;
use crate::request::BodyStream;

/// What is sent.
pub(crate) enum OutBody {
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
        match body {
            RequestBody::Whole(bytes) => (Self::Whole(bytes), None),
            RequestBody::Stream { pieces, length } => {
                let progress = Progress::new();
                let shared = progress.clone();
                (
                    Self::Stream {
                        pieces,
                        length,
                        progress,
                    },
                    Some(shared),
                )
            }
        }
    }
}

impl Body for OutBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Stream {
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
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream { length, .. } => length.map_or_else(SizeHint::new, SizeHint::with_exact),
        }
    }
}
