//! A scripted reply: status, headers and the steps in which its body leaves, faults included.
//! It only describes; [`crate::connection`] plays it.

use crate::gate::Gate;
use bytes::Bytes;
use std::time::Duration;

/// What one request gets. Built by chaining; nothing is sent before a request asks for it.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(crate) delay: Duration,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) framing: Framing,
    pub(crate) steps: Vec<Step>,
    pace: Duration,
}

/// How the client learns where the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By `content-length`.
    Length(usize),
    /// By chunks, each step one chunk.
    Chunked,
    /// No head is written at all: the steps are the bytes on the wire.
    Raw,
}

/// One step of a body.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Bytes),
    Pause(Duration),
    Wait(Gate),
    /// Sends nothing more and keeps the connection open until the peer leaves.
    Stall,
    /// Closes the connection without the proper end.
    Cut,
    /// Closes the connection with a TCP reset.
    Reset,
}

impl Reply {
    /// A whole body of a media type, status 200.
    pub fn body(media_type: &str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let framing = Framing::Length(body.len());
        Self::new(framing, vec![Step::Send(body)]).header("content-type", media_type)
    }

    /// A JSON body, status 200.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::body("application/json", value.to_string())
    }

    /// The page that a proxy in front of a vendor answers with when the vendor is away.
    pub fn html(status: u16) -> Self {
        let page =
            format!("<html><head><title>{status}</title></head><body>{status}</body></html>\n");
        Self::body("text/html; charset=utf-8", page).status(status)
    }

    /// A refusal with status 429; `retry_after` is the header's value, seconds or a date.
    pub fn too_many_requests(retry_after: &str) -> Self {
        Self::json(&serde_json::json!({ "error": { "message": "too many requests" } }))
            .status(429)
            .header("retry-after", retry_after)
    }

    /// A stream of server-sent events, empty so far.
    pub fn sse() -> Self {
        Self::stream("text/event-stream")
    }

    /// A chunked body of any media type, empty so far.
    pub fn stream(media_type: &str) -> Self {
        Self::new(Framing::Chunked, Vec::new()).header("content-type", media_type)
    }

    /// Bytes in place of an HTTP reply; the connection closes after them.
    pub fn raw(bytes: impl Into<Bytes>) -> Self {
        Self::new(Framing::Raw, vec![Step::Send(bytes.into()), Step::Cut])
    }

    /// Closes the connection without a byte.
    pub fn nothing() -> Self {
        Self::new(Framing::Raw, vec![Step::Cut])
    }

    /// Never answers.
    pub fn silence() -> Self {
        Self::new(Framing::Raw, vec![Step::Stall])
    }

    fn new(framing: Framing, steps: Vec<Step>) -> Self {
        let (delay, pace) = (Duration::ZERO, Duration::ZERO);
        Self {
            delay,
            status: 200,
            headers: Vec::new(),
            framing,
            steps,
            pace,
        }
    }

    /// Sets the status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Holds the head back.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Sends only the first bytes of a whole body, then closes the connection.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        let Some(Step::Send(body)) = self.steps.first().cloned() else {
            panic!("cut_after needs a whole body; a stream is cut by cut()");
        };
        self.steps = vec![Step::Send(body.slice(..bytes)), Step::Cut];
        self
    }

    /// Pauses before every frame that is added from here on.
    #[must_use]
    pub fn every(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }

    /// Adds an event that has only data.
    #[must_use]
    pub fn data(self, data: &str) -> Self {
        self.bytes(format!("data: {data}\n\n"))
    }

    /// Adds a named event.
    #[must_use]
    pub fn event(self, name: &str, data: &str) -> Self {
        self.bytes(format!("event: {name}\ndata: {data}\n\n"))
    }

    /// Adds an event whose one data line has at least that many bytes.
    #[must_use]
    pub fn huge_line(self, bytes: usize) -> Self {
        self.data(&"a".repeat(bytes))
    }

    /// Adds bytes as they are, in one chunk.
    #[must_use]
    pub fn bytes(mut self, bytes: impl Into<Bytes>) -> Self {
        assert!(
            self.framing == Framing::Chunked,
            "only a stream can be added to"
        );
        if !self.pace.is_zero() {
            self.steps.push(Step::Pause(self.pace));
        }
        self.step(Step::Send(bytes.into()))
    }

    /// Pauses once.
    #[must_use]
    pub fn pause(self, duration: Duration) -> Self {
        self.step(Step::Pause(duration))
    }

    /// Waits until the test opens the gate.
    #[must_use]
    pub fn wait_for(self, gate: &Gate) -> Self {
        self.step(Step::Wait(gate.clone()))
    }

    /// Sends nothing more and never ends.
    #[must_use]
    pub fn stall(self) -> Self {
        self.step(Step::Stall)
    }

    /// Closes the connection here, without the proper end.
    #[must_use]
    pub fn cut(self) -> Self {
        self.step(Step::Cut)
    }

    /// Resets the connection here.
    #[must_use]
    pub fn reset(self) -> Self {
        self.step(Step::Reset)
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}
