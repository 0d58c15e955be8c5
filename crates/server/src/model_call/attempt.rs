//! From a chosen channel to the first content of an answer: one try after the other, each on
//! another channel or key, as the failure advises. A failure that comes later is the relay's.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind};
use providers::{Retry, UpstreamBody, UpstreamFailure, UpstreamReply};
use store::request_log::Attempt;
use tokio::time::{Instant, timeout_at};

use super::joined::Joined;
use super::log_row::millis;
use super::settle::Settlement;
use super::task::{Addressee, Answer, Arrival, Outgoing, Progress, Task};
use super::{refusals, send, trace};
use crate::app::App;
use crate::channels::{Place, Route, StopSignal};
use crate::clock;

/// So much of an answer's beginning is held back while it has no content.
const MOST_HELD: usize = 64 * 1024;
/// And for so long: a client must not wait for its head while a model thinks.
const HELD_FOR: Duration = Duration::from_secs(15);
/// So much of an error is read.
const MOST_OF_AN_ERROR: usize = 64 * 1024;
/// The pause before the second try is up to this; it doubles from try to try.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

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

/// A try, as far as it has come.
pub struct Try {
    /// When it began.
    pub begun: Instant,
    /// How long a new connection took; none where there was one at hand.
    pub connecting: Option<Duration>,
}

impl Try {
    /// Begins now.
    pub fn begin() -> Self {
        Self {
            begun: clock::instant(),
            connecting: None,
        }
    }
}

/// Why a try gave no answer.
enum Fruitless {
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

/// Tries until there is an answer, or nothing is left to try. The first place is chosen already.
pub async fn run(
    app: &App,
    task: &mut dyn Task,
    route: &mut Route,
    settlement: &mut Settlement,
) -> Result<Answered, Failure> {
    let mut has_repeated = false;
    let mut refused_signature = None;
    loop {
        let mut this = Try::begin();
        let mut stop = settlement.known().place.as_ref().map(Place::stop_signal);
        let tried = {
            let mut trying = pin!(once(app, task, settlement, &mut this));
            poll_fn(|cx| match &mut stop {
                Some(stop) => stop.poll_unless_off(trying.as_mut(), cx),
                None => trying.as_mut().poll(cx).map(Some),
            })
            .await
        };
        let (failure, retry) = match tried.unwrap_or(Err(Fruitless::Off)) {
            Ok(answered) => return Ok(Answered { stop, ..answered }),
            Err(Fruitless::Off) => (cut_off(settlement, &this), Retry::NextChannel),
            Err(Fruitless::Unsaid(failure)) if failure.kind == FailureKind::Unsupported => {
                (failure, Retry::NextChannel)
            }
            Err(Fruitless::Unsaid(failure)) => return Err(failure),
            Err(Fruitless::Failed(failed)) => {
                note(settlement, &this, &failed);
                (*failed.failure, failed.retry)
            }
        };
        let may_go_on = can_help(retry, task, settlement)
            && task.is_repeatable()
            && settlement.attempt_count() < app.config().routing.attempts
            && app.channels().retries().try_take(app.clock().now_ms());
        if !may_go_on {
            // What is wrong with a request that we changed says nothing about the client's.
            let is_refused = matches!(retry, Retry::Never | Retry::WithoutSignatures);
            let first = refused_signature.filter(|_| is_refused);
            return Err(first.unwrap_or(failure));
        }
        if retry == Retry::WithoutSignatures {
            refused_signature = Some(failure);
            continue;
        }
        if retry == Retry::SameChannel && !std::mem::replace(&mut has_repeated, true) {
            continue;
        }
        has_repeated = false;
        match route.next(app.clock().now_ms()) {
            Ok(place) => settlement.move_to(place),
            // What the last channel said is more telling than that there is no other.
            Err(_) => return Err(failure),
        }
        tokio::time::sleep(pause(app, settlement.attempt_count())).await;
    }
}

/// Whether another try may fare better.
fn can_help(retry: Retry, task: &mut dyn Task, settlement: &Settlement) -> bool {
    match retry {
        Retry::Never => false,
        Retry::WithoutSignatures => task.leave_signatures_out(&settlement.known().call),
        Retry::SameChannel | Retry::NextChannel | Retry::OtherKey => true,
    }
}

/// One try on the settlement's place.
async fn once(
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
            while let Some(next) = answer.another(&body) {
                let headers = again.clone().unwrap_or_default();
                let next = message(headers, next);
                let reply = ask(app, place, next, &mut this.connecting).await?;
                body = reply.body.collect(longest).await?;
            }
            let whole = answer.whole(body).map_err(UpstreamFailure::from_stream)?;
            succeed(settlement, this, first_byte, reply.status.as_u16());
            Begun::Whole(whole)
        }
        Arrival::Pieces => {
            let mut upstream = reply.body;
            let (head, first_byte) = beginning(&mut upstream, answer.as_mut(), this.begun).await?;
            succeed(settlement, this, first_byte, reply.status.as_u16());
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

/// Notes a try that gave an answer.
pub fn succeed(settlement: &mut Settlement, this: &Try, first_byte: Duration, status: u16) {
    let now = clock::instant();
    let mut attempt = attempt(settlement, this, now);
    attempt.status = Some(i64::from(status));
    attempt.first_byte_ms = Some(millis(first_byte));
    settlement.add_attempt(attempt);
    let open = settlement.known_mut();
    if let Some(place) = &open.place {
        place.answered(first_byte);
    }
    open.first_byte = Some(now.duration_since(open.began));
}

/// Notes a try that failed.
pub fn note(settlement: &mut Settlement, this: &Try, failed: &UpstreamFailure) {
    let mut attempt = attempt(settlement, this, clock::instant());
    attempt.status = failed.status.map(i64::from);
    attempt.error = Some(failed.to_string());
    settlement.add_attempt(attempt);
    if let Some(place) = &settlement.known().place {
        place.failed(failed);
    }
}

/// Notes a try whose channel was switched off. That says nothing of the channel's health.
fn cut_off(settlement: &mut Settlement, this: &Try) -> Failure {
    let failure = refusals::switched_off();
    let mut attempt = attempt(settlement, this, clock::instant());
    attempt.error = Some(failure.message.clone());
    settlement.add_attempt(attempt);
    failure
}

fn attempt(settlement: &Settlement, this: &Try, now: Instant) -> Attempt {
    let open = settlement.known();
    let place = open.place.as_ref().expect("a try has a place");
    Attempt {
        channel_id: place.channel.id,
        key_index: key_index(place),
        status: None,
        error: None,
        started_after_ms: millis(this.begun.duration_since(open.began)),
        connect_ms: this.connecting.map(millis),
        first_byte_ms: None,
        total_ms: millis(now.duration_since(this.begun)),
    }
}

fn key_index(place: &Place) -> Option<i64> {
    i64::try_from(place.key_index).ok()
}

/// A pause of random length, so that calls that failed together do not come back together.
fn pause(app: &App, tries: usize) -> Duration {
    let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or(u32::MAX);
    let most = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(doublings.min(16)));
    let most = most.min(LONGEST_PAUSE);
    let mut random = [0; 2];
    app.randomness().fill(&mut random);
    most * u32::from(u16::from_le_bytes(random)) / u32::from(u16::MAX)
}
