//! The way back of answers that go through as they are, whole or as events, while somebody listens:
//! images and sound, which may be far larger than what is worth holding.

use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::error_body;
use http::{HeaderMap, HeaderValue, header};

use super::joined::Joined;
use super::refusals;
use super::task::{Answer, Arrival, Progress, Used};

/// Listens to an answer.
pub trait Listener: Send {
    /// The head has come: whether the body is server-sent events decides how it is taken.
    fn begin(&mut self, _is_events: bool) -> Arrival {
        Arrival::Pieces
    }

    /// The client's body, where the answer is taken whole.
    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        Ok(body)
    }

    /// The next bytes pass.
    fn push(&mut self, bytes: &[u8]);

    /// The failure that the bytes so far tell.
    fn failure(&self) -> Option<Failure> {
        None
    }

    /// The upstream has closed: whether that was the answer's end.
    fn close(&mut self) -> Result<(), Failure>;

    /// The media type for the client, where it is not the upstream's.
    fn content_type(&self) -> Option<&'static str> {
        None
    }

    /// What was used. An answer that is not complete is one whose client has left.
    fn used(&mut self, is_complete: bool) -> Used;
}

/// An answer that goes through.
pub struct PassingAnswer<L> {
    listener: L,
    content_type: HeaderValue,
    is_events: bool,
    progress: Progress,
    failure: Option<Failure>,
}

impl<L: Listener> PassingAnswer<L> {
    /// An answer with this listener.
    pub fn new(listener: L) -> Self {
        Self {
            listener,
            content_type: HeaderValue::from_static("application/octet-stream"),
            is_events: false,
            progress: Progress::Nothing,
            failure: None,
        }
    }

    fn fail_with(&mut self, failure: Failure) {
        self.failure = Some(failure);
        self.progress = Progress::Failed;
    }
}

impl<L: Listener> Answer for PassingAnswer<L> {
    fn arrival(&mut self, head: &HeaderMap) -> Arrival {
        if let Some(kind) = head.get(header::CONTENT_TYPE) {
            self.content_type = kind.clone();
        }
        let kind = self.content_type.as_bytes();
        self.is_events = kind.to_ascii_lowercase().starts_with(b"text/event-stream");
        self.listener.begin(self.is_events)
    }

    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        let body = self.listener.whole(body)?;
        self.progress = Progress::Finished;
        Ok(body)
    }

    fn piece(&mut self, piece: Bytes, out: &mut Joined) {
        self.listener.push(&piece);
        match (self.progress, self.listener.failure()) {
            // A failure in place of an answer: another upstream can still give one.
            (Progress::Nothing, Some(failure)) => return self.fail_with(failure),
            (Progress::Nothing, None) if !piece.is_empty() => self.progress = Progress::Content,
            _ => {}
        }
        out.push(piece);
    }

    fn end(&mut self, _: &mut Joined) {
        match self.listener.close() {
            Ok(()) if self.progress == Progress::Nothing => {
                self.fail_with(refusals::unusable_answer());
            }
            Ok(()) => self.progress = Progress::Finished,
            Err(failure) => self.fail_with(failure),
        }
    }

    fn fail(&mut self, failure: &Failure, out: &mut Joined) -> bool {
        self.fail_with(failure.clone());
        if self.is_events {
            let body = error_body::write(failure);
            // The error object, in an event that says what it is.
            let rest = body.strip_prefix(b"{").unwrap_or(&body);
            out.extend(b"event: error\ndata: {\"type\":\"error\",");
            out.extend(rest);
            out.extend(b"\n\n");
        }
        self.is_events
    }

    fn ping(&mut self, out: &mut Joined) {
        if self.is_events {
            out.extend(b": ping\n\n");
        }
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    fn content_type(&self) -> HeaderValue {
        let own = self.listener.content_type().map(HeaderValue::from_static);
        own.unwrap_or_else(|| self.content_type.clone())
    }

    fn used(&mut self) -> Used {
        let is_complete = self.progress == Progress::Finished;
        self.listener.used(is_complete)
    }
}
