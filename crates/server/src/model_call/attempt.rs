//! From a chosen channel to the first content of a response: one attempt after the other, each on
//! another channel or key, as the kind of failure requires. Later failures belong to the relay.
//!
//! Attempts per call are limited. The retry budget, which all calls share, limits repetitions on a
//! channel that has failed; a move to another healthy channel never draws from it.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use dialects::canonical::{Failure, FailureKind};
use providers::{Fault, Operation, Retry, UpstreamFailure};

use super::one_try::{Answered, Fruitless, once};
use super::settle::Settlement;
use super::task::Task;
use super::tried::{Try, cut_off, failed};
use crate::app::App;
use crate::channels::{Place, Route};
use crate::clock;

/// The pause before the second try is up to this; it doubles from try to try.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// A reused connection that closes within this time was closed before the upstream saw the request.
const UNSEEN_WITHIN: Duration = Duration::from_secs(1);
/// Maximum `retry-after` of a 429 that a channel without an alternative waits for.
const MAX_SHORT_RETRY_AFTER_MS: u64 = 3_000;
/// Minimum pause before a channel without an alternative is called again.
const MIN_LAST_PAUSE: Duration = Duration::from_millis(100);

/// Tries until there is an answer, or nothing is left to try. The first place is chosen already.
pub async fn run(
    app: &App,
    task: &mut dyn Task,
    route: &mut Route,
    settlement: &mut Settlement,
) -> Result<Answered, Failure> {
    let mut has_repeated = false;
    let mut has_alternative = false;
    let mut has_waited = false;
    let mut refused_signature = None;
    let mut too_long = None;
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
        let mut has_other_format = false;
        let mut last_wait = None;
        let (failure, retry) = match tried.unwrap_or(Err(Fruitless::Off)) {
            Ok(answered) => return Ok(Answered { stop, ..answered }),
            Err(Fruitless::Off) => (cut_off(settlement, &this), Retry::NextChannel),
            Err(Fruitless::Unsaid(failure)) if failure.kind == FailureKind::Unsupported => {
                (failure, Retry::NextChannel)
            }
            Err(Fruitless::Unsaid(failure)) => return Err(failure),
            Err(Fruitless::Failed(mut failure)) => {
                if failure.retry == Retry::SameChannel && clock::since(this.begun) > UNSEEN_WITHIN {
                    failure.retry = Retry::NextChannel;
                }
                has_other_format = failed(settlement, &this, &failure);
                // Tokens that an upstream cannot count are counted here.
                last_wait = wait_without_alternative(&failure)
                    .filter(|_| task.operation() != Operation::CountTokens);
                (*failure.failure, failure.retry)
            }
        };
        let may_go_on = can_help(retry, task, settlement).await
            && task.is_repeatable()
            && has_attempts_left(app, settlement);
        if !may_go_on {
            // A failure of a request that the gateway has changed does not describe the client's request.
            let is_refused = matches!(retry, Retry::Never | Retry::WithoutSignatures);
            let first = refused_signature.filter(|_| is_refused);
            return Err(first.or(too_long).unwrap_or(failure));
        }
        let may_repeat = || app.channels().retries().try_take(app.clock().now_ms());
        if has_other_format && may_repeat() {
            continue;
        }
        if retry == Retry::WithoutSignatures {
            if !may_repeat() {
                return Err(failure);
            }
            refused_signature = Some(failure);
            continue;
        }
        if retry == Retry::SameChannel
            && !std::mem::replace(&mut has_repeated, true)
            && may_repeat()
        {
            continue;
        }
        has_repeated = false;
        if retry == Retry::OtherModel {
            route.exclude_model(upstream_model(settlement));
            too_long.get_or_insert_with(|| failure.clone());
        }
        match route.next(app.clock().now_ms()) {
            Ok(place) => {
                has_alternative |= !is_current(&place, settlement);
                settlement.move_to(place);
                tokio::time::sleep(pause(app, settlement.attempt_count())).await;
            }
            Err(_) => match last_wait.filter(|_| !has_alternative) {
                Some(wait) if !std::mem::replace(&mut has_waited, true) && may_repeat() => {
                    tokio::time::sleep(wait.max(MIN_LAST_PAUSE)).await;
                }
                // The failure of the last channel is more specific than the lack of another.
                _ => return Err(too_long.unwrap_or(failure)),
            },
        }
    }
}

/// Returns how long a channel without an alternative waits before its one retry, or None if the
/// failure permits none: a 500, and a 429 that asks for a short pause, permit one.
fn wait_without_alternative(failure: &UpstreamFailure) -> Option<Duration> {
    match (failure.status?, failure.retry_after_ms) {
        (500, None) if failure.kind == Fault::ServerError => Some(Duration::ZERO),
        (500, Some(ms)) if failure.kind == Fault::ServerError => short(ms),
        (429, Some(ms)) if failure.kind == Fault::RateLimited => short(ms),
        _ => None,
    }
}

fn short(retry_after_ms: u64) -> Option<Duration> {
    (retry_after_ms <= MAX_SHORT_RETRY_AFTER_MS).then(|| Duration::from_millis(retry_after_ms))
}

/// Reports whether a place is on the channel that the call used last.
fn is_current(place: &Place, settlement: &Settlement) -> bool {
    let current = settlement.known().place.as_ref();
    current.is_some_and(|current| current.channel.id == place.channel.id)
}

/// Returns the upstream's name of the model on the current channel.
fn upstream_model(settlement: &Settlement) -> Arc<str> {
    let place = settlement.known().place.as_ref();
    place.map_or_else(|| Arc::from(""), |place| place.upstream_model.clone())
}

/// Reports whether the call may have another attempt: `[routing] attempts` limits them.
pub fn has_attempts_left(app: &App, settlement: &Settlement) -> bool {
    settlement.attempt_count() < app.config().routing.attempts
}

/// Whether another try may fare better.
async fn can_help(retry: Retry, task: &mut dyn Task, settlement: &Settlement) -> bool {
    match retry {
        Retry::Never => false,
        Retry::WithoutSignatures => task.leave_signatures_out(&settlement.known().call).await,
        Retry::SameChannel | Retry::NextChannel | Retry::OtherModel | Retry::OtherKey => true,
    }
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
