//! The way back of answers that go through as they are, whole or as events, while somebody listens:
//! images and sound, which may be far larger than what is worth holding. A vendor's event that tells a failure does not
//! pass: it may name keys, hosts or trouble with our account, and the client is told in our words.

use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::error_body;
use http::{HeaderMap, HeaderValue, header};

use super::aligned::{Aligned, first_frame_end};
use super::joined::Joined;
use super::refusals;
use super::task::{Answer, Arrival, Progress, Used};

/// A longer text in place of an answer is not read.
const LONGEST_TEXT: usize = 64 * 1024;

/// Listens to an answer.
pub trait Listener: Send {
    /// The head has come: whether the body is server-sent events decides how it is taken.
    fn begin(&mut self, _is_events: bool) -> Arrival {
        Arrival::Pieces
    }

    /// Whether the answer is no text: then a text in its place is a failure.
    fn is_binary(&self) -> bool {
        false
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
    /// Whether a text came in place of an answer that is no text.
    is_text: bool,
    /// Events are held back until they are whole.
    aligned: Aligned,
    /// The client has the beginning of an event that was too long to be held.
    is_mid_event: bool,
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
            is_text: false,
            aligned: Aligned::default(),
            is_mid_event: false,
            progress: Progress::Nothing,
            failure: None,
        }
    }

    fn fail_with(&mut self, failure: Failure) {
        self.failure = Some(failure);
        self.progress = Progress::Failed;
    }

    /// Listens to what could go to the client. Says how much of it comes before a failure.
    fn listen(&mut self, bytes: &[u8]) -> usize {
        let mut heard = 0;
        while self.is_events
            && let Some(end) = first_frame_end(&bytes[heard..])
        {
            self.listener.push(&bytes[heard..heard + end]);
            if self.listener.failure().is_some() {
                return heard;
            }
            heard += end;
            self.is_mid_event = false;
        }
        if heard < bytes.len() {
            self.listener.push(&bytes[heard..]);
            self.is_mid_event = true;
        }
        bytes.len()
    }

    /// Ends the client's events with a failure.
    fn tell(&mut self, failure: Failure, out: &mut Joined) {
        if self.is_mid_event {
            out.extend(b"\n\n");
        }
        let body = error_body::write(&error_body::for_client(failure.clone()));
        // The error object, in an event that says what it is.
        let rest = body.strip_prefix(b"{").unwrap_or(&body);
        out.extend(b"event: error\ndata: {\"type\":\"error\",");
        out.extend(rest);
        out.extend(b"\n\n");
        self.fail_with(failure);
    }
}

impl<L: Listener> Answer for PassingAnswer<L> {
    fn arrival(&mut self, head: &HeaderMap) -> Arrival {
        if let Some(kind) = head.get(header::CONTENT_TYPE) {
            self.content_type = kind.clone();
        }
        let kind = self.content_type.as_bytes();
        let kind = kind.to_ascii_lowercase();
        self.is_events = kind.starts_with(b"text/event-stream");
        let is_text = kind.starts_with(b"text/") || kind.starts_with(b"application/json");
        self.is_text = is_text && !self.is_events && self.listener.is_binary();
        let arrival = self.listener.begin(self.is_events);
        if self.is_text {
            return Arrival::Whole {
                longest: LONGEST_TEXT,
            };
        }
        arrival
    }

    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        if self.is_text {
            let message = "The upstream answered with text in place of sound.";
            return Err(error_body::unusable(message, &body));
        }
        let body = self.listener.whole(body)?;
        self.progress = Progress::Finished;
        Ok(body)
    }

    fn piece(&mut self, piece: Bytes, out: &mut Joined) {
        let ready = if self.is_events {
            self.aligned.pass(piece, false)
        } else {
            piece
        };
        let good = self.listen(&ready);
        match (self.progress, self.listener.failure()) {
            // A failure in place of an answer: another upstream can still give one.
            (Progress::Nothing, Some(failure)) => self.fail_with(failure),
            (_, Some(failure)) => {
                out.push(ready.slice(..good));
                self.tell(failure, out);
            }
            (_, None) if ready.is_empty() => {}
            (_, None) => {
                self.progress = Progress::Content;
                out.push(ready);
            }
        }
    }

    fn end(&mut self, out: &mut Joined) {
        let rest = self.aligned.rest();
        self.listener.push(&rest);
        match self.listener.close() {
            Ok(()) if self.progress == Progress::Nothing && rest.is_empty() => {
                self.fail_with(refusals::unusable_answer());
            }
            Ok(()) => {
                self.progress = Progress::Finished;
                out.push(rest);
            }
            Err(failure) if self.is_events && self.progress == Progress::Content => {
                self.tell(failure, out);
            }
            Err(failure) => self.fail_with(failure),
        }
    }

    fn fail(&mut self, failure: &Failure, out: &mut Joined) -> bool {
        if self.is_events {
            self.tell(failure.clone(), out);
        } else {
            self.fail_with(failure.clone());
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
