//! One try of a call: the request there, and the answer as far as its first content.

use std::time::Duration;

use bytes::Bytes;
use dialects::canonical::Failure;
use providers::{UpstreamBody, UpstreamFailure, UpstreamReply};
use tokio::time::{Instant, timeout_at};

use super::joined::Joined;
use super::offload::BufferedReader;
use super::settle::Settlement;
use super::task::{Addressee, Answer, Arrival, Outgoing, Progress, Task};
use super::tried::{Try, succeeded};
use super::{refusals, send, trace};
use crate::app::App;
use crate::channels::{Place, StopSignal};
use crate::clock;

/// So much of an answer's beginning is held back while it has no content.
const MOST_HELD: usize = 64 * 1024;
/// And for so long: a client must not wait for its head while a model thinks.
const HELD_FOR: Duration = Duration::from_secs(15);
/// So much of an error is read.
const MOST_OF_AN_ERROR: usize = 64 * 1024;

/// An answer that has begun well.
pub struct Answered {
    /// Names of what could not be said to the upstream.
    pub dropped: Vec<String>,
    /// The way back.
    pub answer: Box<dyn Answer>,
    /// What there is of it.
    pub body: Begun,
    /// Tells when somebody switches the channel off.
    pub stop: Option<StopSignal>,
}

/// What there is of an answer.
pub enum Begun {
    /// All of it, in the client's terms.
    Whole(Bytes),
    /// Its beginning, in the client's terms, and where the rest comes from.
    Pieces(Joined, Box<UpstreamBody>),
}

/// Why a try gave no answer.
pub enum Fruitless {
    /// This upstream cannot be told what the client wants.
    Unsaid(Failure),
    /// It failed.
    Failed(UpstreamFailure),
    /// Somebody has switched the channel off.
    Off,
}

impl<E: Into<UpstreamFailure>> From<E> for Fruitless {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// One try on the settlement's place.
pub async fn once(
    app: &App,
    task: &mut dyn Task,
    settlement: &mut Settlement,
    this: &mut Try,
) -> Result<Answered, Fruitless> {
    let open = settlement.known();
    let place = open.place.as_ref().ok_or_else(no_place)?;
    let formats = place.formats(task.operation());
    let to = Addressee {
        app,
        call: &open.call,
        place,
        formats: &formats,
    };
    if formats.is_empty() {
        return Err(no_place().into());
    }
    let operation = task.operation();
    let reader = BufferedReader {
        app,
        user: open.holder.user_id,
        is_large_call: task.is_large(),
    };
    let outgoing = task.write(to).await.map_err(Fruitless::Unsaid)?;
    let Outgoing {
        dropped,
        mut answer,
        format,
        is_stream,
        mut headers,
        query,
        body,
    } = outgoing;
    this.format = Some(format);
    trace::pass_on(
        app,
        open.call.trace,
        settlement.attempt_count(),
        &mut headers,
    );
    let message = |headers, body| send::Message {
        operation,
        format,
        is_stream,
        headers,
        query,
        body,
    };
    // Most calls pass no headers on, and most are asked once.
    let again = (!headers.is_empty()).then(|| headers.clone());
    let first = message(headers, body);
    let reply = ask(app, place, first, &mut this.connecting).await?;
    let body = match answer.arrival(&reply.headers) {
        Arrival::Whole { longest } => {
            let mut body = reply.body.collect(longest).await?;
            let first_byte = clock::since(this.begun);
            loop {
                let another = |answer: &mut dyn Answer, body| (answer.another(&body), body);
                let taken = reader.read(answer, body, another).await;
                let (read, (next, last)) = taken.map_err(UpstreamFailure::from_stream)?;
                (answer, body) = (read, last);
                let Some(next) = next else { break };
                let headers = again.clone().unwrap_or_default();
                let next = message(headers, next);
                let reply = ask(app, place, next, &mut this.connecting).await?;
                body = reply.body.collect(longest).await?;
            }
            let whole = reader.read(answer, body, |answer, body| answer.whole(body));
            let (read, whole) = whole.await.map_err(UpstreamFailure::from_stream)?;
            answer = read;
            let whole = whole.map_err(UpstreamFailure::from_stream)?;
            succeeded(settlement, this, first_byte, reply.status.as_u16());
            Begun::Whole(whole)
        }
        Arrival::Pieces => {
            let mut upstream = reply.body;
            let (head, first_byte) = beginning(&mut upstream, answer.as_mut(), this.begun).await?;
            succeeded(settlement, this, first_byte, reply.status.as_u16());
            Begun::Pieces(head, Box::new(upstream))
        }
    };
    Ok(Answered {
        dropped,
        answer,
        body,
        stop: None,
    })
}

/// Sends a request; an answer that says no is a failure.
async fn ask(
    app: &App,
    place: &Place,
    message: send::Message,
    connecting: &mut Option<Duration>,
) -> Result<UpstreamReply, UpstreamFailure> {
    let reply = send::send(app, place, message, connecting).await?;
    if reply.status.is_success() {
        return Ok(reply);
    }
    let start = reply.body.collect_start(MOST_OF_AN_ERROR).await;
    let now = app.clock().now();
    Err(UpstreamFailure::from_reply(
        reply.status,
        &reply.headers,
        &start,
        now,
    ))
}

/// Holds the beginning of a streamed answer back until there is content in it: until then another
/// channel can take over.
async fn beginning(
    upstream: &mut UpstreamBody,
    answer: &mut dyn Answer,
    begun: Instant,
) -> Result<(Joined, Duration), Fruitless> {
    let mut head = Joined::default();
    let mut first_byte = None;
    let until = Instant::now() + HELD_FOR;
    loop {
        match answer.progress() {
            Progress::Nothing => {}
            Progress::Content | Progress::Finished => break,
            Progress::Failed => return Err(failed(answer).into()),
        }
        if head.len() > MOST_HELD {
            break;
        }
        let Ok(piece) = timeout_at(until, upstream.piece()).await else {
            break;
        };
        first_byte.get_or_insert_with(|| clock::since(begun));
        let Some(piece) = piece else {
            answer.end(&mut head);
            if answer.progress() == Progress::Failed {
                return Err(failed(answer).into());
            }
            break;
        };
        answer.piece(piece?, &mut head);
    }
    Ok((head, first_byte.unwrap_or_else(|| clock::since(begun))))
}

fn failed(answer: &dyn Answer) -> UpstreamFailure {
    let said = answer.failure().cloned();
    UpstreamFailure::from_stream(said.unwrap_or_else(refusals::unusable_answer))
}

fn no_place() -> UpstreamFailure {
    UpstreamFailure::gateway("the channel does not offer this operation")
}
