//! An answer of the demo channel before it is sent: pieces, each with the tokens that it carries.
//! Sending it is where the switches that slow and break answers take effect.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use dialects::canonical::Failure;
use futures_util::{Stream, stream};
use http::{HeaderValue, StatusCode, header};
use providers::{Headers, TransportError, UpstreamBody, UpstreamReply};

use super::Switches;

/// The media type of streams.
pub(super) const EVENTS: &str = "text/event-stream; charset=utf-8";
/// The media type of most other answers.
pub(super) const JSON: &str = "application/json";

/// One piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) bytes: Bytes,
    /// How many tokens of the answer it brings.
    pub(super) tokens: u64,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) content_type: &'static str,
    pub(super) pieces: Vec<Piece>,
}

/// A refusal: a status, and what to say.
#[derive(Debug)]
pub(super) struct Refused(pub(super) StatusCode, pub(super) Failure);

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self(StatusCode::BAD_REQUEST, failure)
    }
}

impl Answer {
    /// A body that comes whole.
    pub(super) fn whole(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            content_type,
            pieces: vec![Piece {
                bytes: body.into(),
                tokens: 0,
            }],
        }
    }

    /// A body of JSON.
    pub(super) fn json(value: &serde_json::Value) -> Self {
        Self::whole(JSON, value.to_string())
    }

    /// A body that comes in pieces, each one token.
    pub(super) fn streamed(
        content_type: &'static str,
        pieces: impl IntoIterator<Item = impl Into<Bytes>>,
    ) -> Self {
        let piece = |bytes: Bytes| Piece { bytes, tokens: 1 };
        let pieces = pieces.into_iter().map(|bytes| piece(bytes.into()));
        Self {
            content_type,
            pieces: pieces.collect(),
        }
    }

    fn is_stream(&self) -> bool {
        self.content_type == EVENTS || self.pieces.len() > 1
    }

    /// The answer as an upstream's.
    pub(super) fn send(self, switches: &Switches) -> UpstreamReply {
        let content_type = self.content_type;
        let answer = self.spoiled(switches);
        reply(StatusCode::OK, content_type, answer, switches)
    }

    /// What the switches leave of it.
    fn spoiled(self, switches: &Switches) -> Vec<Step> {
        let is_stream = self.is_stream();
        let mut steps: Vec<Step> = Vec::with_capacity(self.pieces.len());
        let mut tokens = 0;
        for piece in self.pieces {
            if is_stream
                && let Some(most) = switches.cut_after_tokens
                && tokens + piece.tokens > most
            {
                steps.push(Step::Cut);
                return steps;
            }
            tokens += piece.tokens;
            steps.push(Step::Piece(piece.bytes));
        }
        if switches.cut_after_tokens.is_some() && !is_stream {
            cut_in_half(&mut steps);
            steps.push(Step::Cut);
        } else if switches.malformed_json && self.content_type == EVENTS {
            let place = steps.len() / 2;
            steps[place] = Step::Piece(Bytes::from_static(b"data: {\"demo\": [tru\n\n"));
        } else if switches.malformed_json && !is_stream {
            cut_in_half(&mut steps);
        }
        steps
    }
}

fn cut_in_half(steps: &mut Vec<Step>) {
    if let Some(Step::Piece(bytes)) = steps.pop() {
        steps.push(Step::Piece(bytes.slice(..bytes.len() / 2)));
    }
}

/// What happens next to a body.
enum Step {
    Piece(Bytes),
    Cut,
}

/// An answer that is no answer: an error, or a page for people.
pub(super) fn send_error(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
    switches: &Switches,
) -> UpstreamReply {
    let mut reply = reply(
        status,
        content_type,
        vec![Step::Piece(body.into())],
        switches,
    );
    if let Some(seconds) = switches.retry_after {
        let value = HeaderValue::from(seconds);
        reply.headers.insert(header::RETRY_AFTER, value);
    }
    reply
}

fn reply(
    status: StatusCode,
    content_type: &'static str,
    steps: Vec<Step>,
    switches: &Switches,
) -> UpstreamReply {
    let mut headers = Headers::default();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    let pieces = paced(steps, switches.delay_first_byte, switches.pace);
    UpstreamReply {
        status,
        headers,
        body: UpstreamBody::from_pieces(pieces, &switches.timeouts),
    }
}

/// The steps one after the other, each after its wait.
fn paced(
    steps: Vec<Step>,
    first: Duration,
    pace: Duration,
) -> impl Stream<Item = Result<Bytes, TransportError>> + Send {
    let state = (VecDeque::from(steps), first);
    stream::unfold(state, move |(mut steps, wait)| async move {
        let step = steps.pop_front()?;
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let piece = match step {
            Step::Piece(bytes) => Ok(bytes),
            Step::Cut => Err(TransportError::Closed {
                reused: false,
                answered: true,
            }),
        };
        Some((piece, (steps, pace)))
    })
}
