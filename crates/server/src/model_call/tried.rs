//! What the log and the channel's health get of a try.

use std::time::Duration;

use dialects::canonical::Failure;
use providers::{Format, UpstreamFailure};
use store::request_log::Attempt;
use tokio::time::Instant;

use super::log_row::millis;
use super::refusals;
use super::settle::Settlement;
use crate::channels::Place;
use crate::clock;

/// A try, as far as it has come.
pub struct Try {
    /// When it began.
    pub begun: Instant,
    /// How long a new connection took; none where there was one at hand.
    pub connecting: Option<Duration>,
    /// What the upstream was asked in, once it was.
    pub format: Option<Format>,
}

impl Try {
    /// Begins now.
    pub fn begin() -> Self {
        Self {
            begun: clock::instant(),
            connecting: None,
            format: None,
        }
    }
}

/// Notes a try that gave an answer.
pub fn succeeded(settlement: &mut Settlement, this: &Try, first_byte: Duration, status: u16) {
    let now = clock::instant();
    let mut attempt = attempt(settlement, this, now);
    attempt.status = Some(i64::from(status));
    attempt.first_byte_ms = Some(millis(first_byte));
    settlement.add_attempt(attempt);
    let open = settlement.known_mut();
    if let Some(place) = &open.place {
        place.answered(first_byte);
        place.spoke(this.format);
    }
    open.first_byte = Some(now.duration_since(open.began));
}

/// Notes a try that failed. Whether the same place can be tried in another format, of which the channel's health hears
/// nothing.
pub fn failed(settlement: &mut Settlement, this: &Try, failure: &UpstreamFailure) -> bool {
    let mut attempt = attempt(settlement, this, clock::instant());
    attempt.status = failure.status.map(i64::from);
    attempt.error = Some(failure.to_string());
    settlement.add_attempt(attempt);
    let Some(place) = &mut settlement.known_mut().place else {
        return false;
    };
    let has_others = place.lacks(this.format, failure);
    if !has_others {
        place.failed(failure);
    }
    has_others
}

/// Notes a try whose channel was switched off. That says nothing of the channel's health.
pub fn cut_off(settlement: &mut Settlement, this: &Try) -> Failure {
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
