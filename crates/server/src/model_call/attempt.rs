//! From a chosen channel to the first content of an answer: one try after the other, each on
//! another channel or key, as the failure advises. A failure that comes later is the relay's.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use dialects::canonical::{Failure, FailureKind};
use providers::Retry;

use super::one_try::{Answered, Fruitless, once};
use super::settle::Settlement;
use super::task::Task;
use super::tried::{Try, cut_off, failed};
use crate::app::App;
use crate::channels::{Place, Route};

/// The pause before the second try is up to this; it doubles from try to try.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

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
        let mut has_other_format = false;
        let (failure, retry) = match tried.unwrap_or(Err(Fruitless::Off)) {
            Ok(answered) => return Ok(Answered { stop, ..answered }),
            Err(Fruitless::Off) => (cut_off(settlement, &this), Retry::NextChannel),
            Err(Fruitless::Unsaid(failure)) if failure.kind == FailureKind::Unsupported => {
                (failure, Retry::NextChannel)
            }
            Err(Fruitless::Unsaid(failure)) => return Err(failure),
            Err(Fruitless::Failed(failure)) => {
                has_other_format = failed(settlement, &this, &failure);
                (*failure.failure, failure.retry)
            }
        };
        let may_go_on =
            can_help(retry, task, settlement) && task.is_repeatable() && may_retry(app, settlement);
        if !may_go_on {
            // What is wrong with a request that we changed says nothing about the client's.
            let is_refused = matches!(retry, Retry::Never | Retry::WithoutSignatures);
            let first = refused_signature.filter(|_| is_refused);
            return Err(first.unwrap_or(failure));
        }
        if has_other_format {
            continue;
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

/// Whether there may be another try: a call has so many, and takes each from what all calls share.
pub fn may_retry(app: &App, settlement: &Settlement) -> bool {
    settlement.attempt_count() < app.config().routing.attempts
        && app.channels().retries().try_take(app.clock().now_ms())
}

/// Whether another try may fare better.
fn can_help(retry: Retry, task: &mut dyn Task, settlement: &Settlement) -> bool {
    match retry {
        Retry::Never => false,
        Retry::WithoutSignatures => task.leave_signatures_out(&settlement.known().call),
        Retry::SameChannel | Retry::NextChannel | Retry::OtherKey => true,
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
