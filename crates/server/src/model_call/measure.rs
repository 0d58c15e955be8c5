//! What metrics learn of a call when it ends: additions to counters that are there already.

use super::error::cause;
use super::settle::{Ending, Open};
use crate::telemetry::{CLIENT_LEFT, NO_CAUSE, Outcome, is_failure};

/// A call ended so, and costs this much.
pub fn ended(open: &Open, ending: &Ending, charge_nanos: i64) {
    let (cause, outcome) = match ending {
        Ending::Answered(_) => (NO_CAUSE, Outcome::Answered),
        Ending::Left(_) => (CLIENT_LEFT, Outcome::Left),
        Ending::Failed(failure) => {
            let cause = cause(failure.kind);
            let outcome = if is_failure(cause) {
                Outcome::Failed
            } else {
                Outcome::Refused
            };
            (cause, outcome)
        }
    };
    open.app.call_ends().add(cause);
    let Some(place) = &open.place else { return };
    place
        .meter
        .call_ended(outcome, open.elapsed(), ending.tokens(), charge_nanos);
}

#[cfg(test)]
mod tests {
    use dialects::canonical::FailureKind;

    use super::*;
    use crate::telemetry::CAUSES;

    #[test]
    fn every_cause_has_a_counter_and_failures_are_those_with_a_5xx_status() {
        let kinds = [
            FailureKind::BadRequest,
            FailureKind::Unsupported,
            FailureKind::ContextTooLong,
            FailureKind::ContentBlocked,
            FailureKind::Unauthenticated,
            FailureKind::NoBalance,
            FailureKind::Forbidden,
            FailureKind::ModelNotFound,
            FailureKind::NotFound,
            FailureKind::MethodNotAllowed,
            FailureKind::Conflict,
            FailureKind::TooLarge,
            FailureKind::UnsupportedMedia,
            FailureKind::RateLimited,
            FailureKind::Internal,
            FailureKind::UpstreamBad,
            FailureKind::Overloaded,
            FailureKind::Timeout,
        ];
        assert_eq!(kinds.len() + 2, CAUSES.len());
        for kind in kinds {
            let name = cause(kind);
            assert!(CAUSES.contains(&name), "{name}");
            let is_ours = super::super::error::status(kind).is_server_error();
            assert_eq!(is_failure(name), is_ours, "{name}");
        }
    }
}
