//! What a failed attempt says about the health of its channel and of its key. What is the client's
//! own fault says nothing bad about either.

use providers::{CausedBy, Fault, Operation, Retry, UpstreamFailure};

use super::breaker::Patience;

/// A channel that breaks: back soon, in minutes if it keeps breaking.
const BROKEN: Patience = Patience {
    first_ms: 5_000,
    most_ms: 300_000,
    max_ms_after_fast_probe: 30_000,
};
/// A key that is refused or whose account is empty: somebody has to do something.
const REFUSED: Patience = Patience {
    first_ms: 60_000,
    most_ms: 1_800_000,
    max_ms_after_fast_probe: 1_800_000,
};
/// The longest time that an upstream's `retry-after` is believed.
const LONGEST_COOL_DOWN_MS: u64 = 600_000;
/// A shorter time that an upstream tells counts as none told: "at once", or a date that has passed,
/// would let a limited key be asked again and again without a rest.
const SHORTEST_TOLD_MS: u64 = 1_000;
/// The longest time that one overloaded answer keeps calls from a whole channel.
const LONGEST_REST_MS: u64 = 60_000;

/// What is noted at a channel or at a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::channels) enum Mark {
    /// Nothing.
    Nothing,
    /// It answered sensibly: it works.
    Alive,
    /// It failed; enough of that opens its breaker.
    Failed(Patience),
    /// Its breaker opens at once.
    Tripped(Patience),
    /// It wants a pause of this long; none: it did not say.
    Cooling(Option<u64>),
}

/// What a failure does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::channels) struct Effect {
    pub(in crate::channels) channel: Mark,
    pub(in crate::channels) key: Mark,
    /// The upstream does not know the model: this channel is left out for this model.
    pub(in crate::channels) lacks_model: bool,
}

/// What a failure says.
pub(in crate::channels) fn effect(failure: &UpstreamFailure, operation: Operation) -> Effect {
    let both = |channel, key| Effect {
        channel,
        key,
        lacks_model: false,
    };
    let told = failure.retry_after_ms.filter(|ms| *ms >= SHORTEST_TOLD_MS);
    let bounded = |most: u64| told.map(|ms| ms.min(most));
    let is_missing = failure.kind == Fault::ModelMissing && failure.caused_by != CausedBy::Client;
    match failure.kind {
        _ if is_missing || is_not_done(failure, operation) => Effect {
            lacks_model: true,
            ..both(Mark::Alive, Mark::Alive)
        },
        _ if failure.caused_by == CausedBy::Client => match failure.status {
            Some(_) => both(Mark::Alive, Mark::Alive),
            None => both(Mark::Nothing, Mark::Nothing),
        },
        // A pooled connection that had gone stale: the upstream never saw the call.
        _ if failure.retry == Retry::SameChannel => both(Mark::Nothing, Mark::Nothing),
        Fault::Credential | Fault::QuotaSpent => both(Mark::Nothing, Mark::Tripped(REFUSED)),
        Fault::RateLimited => both(Mark::Nothing, Mark::Cooling(bounded(LONGEST_COOL_DOWN_MS))),
        Fault::Overloaded => match bounded(LONGEST_REST_MS) {
            Some(ms) => both(Mark::Cooling(Some(ms)), Mark::Nothing),
            None => both(Mark::Failed(BROKEN), Mark::Nothing),
        },
        _ => both(Mark::Failed(BROKEN), Mark::Nothing),
    }
}

/// Whether the upstream has no such path. Anybody who may use a model can ask for more than its vendor does with it, which
/// is no reason to keep others from what it does.
fn is_not_done(failure: &UpstreamFailure, operation: Operation) -> bool {
    operation != Operation::Generate && matches!(failure.status, Some(404 | 405 | 501))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, StatusCode};
    use jiff::Timestamp;

    fn of(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Effect {
        of_doing(Operation::Generate, status, headers, body)
    }

    fn of_doing(
        operation: Operation,
        status: u16,
        headers: &[(&'static str, &'static str)],
        body: &str,
    ) -> Effect {
        let pairs = headers.iter().map(|(name, value)| {
            let value = http::HeaderValue::from_static(value);
            (http::HeaderName::from_static(name), value)
        });
        let headers: HeaderMap = pairs.collect();
        let status = StatusCode::from_u16(status).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let failure = UpstreamFailure::from_reply(status, &headers, body.as_bytes(), now);
        effect(&failure, operation)
    }

    #[test]
    fn what_an_upstream_does_not_do_says_nothing_against_what_it_does() {
        let body = r#"{"detail":"Not Found"}"#;
        for status in [404, 405, 501] {
            let effect = of_doing(Operation::Embed, status, &[], body);
            assert_eq!((effect.channel, effect.key), (Mark::Alive, Mark::Alive));
            assert!(effect.lacks_model, "{status}");
            assert_eq!(of(status, &[], body).channel, Mark::Failed(BROKEN));
        }
    }

    #[test]
    fn what_the_client_did_wrong_says_that_the_upstream_works() {
        let effect = of(400, &[], r#"{"error":{"message":"bad temperature"}}"#);
        assert_eq!((effect.channel, effect.key), (Mark::Alive, Mark::Alive));
    }

    #[test]
    fn a_refused_key_opens_its_own_breaker_and_not_the_channels() {
        let effect = of(401, &[], r#"{"error":{"message":"no such key"}}"#);
        assert_eq!(effect.channel, Mark::Nothing);
        assert_eq!(effect.key, Mark::Tripped(REFUSED));
    }

    #[test]
    fn a_limit_cools_the_key_for_as_long_as_it_says() {
        let effect = of(429, &[("retry-after", "7")], "{}");
        assert_eq!(effect.key, Mark::Cooling(Some(7_000)));
        assert_eq!(of(429, &[], "{}").key, Mark::Cooling(None));
        let long = of(429, &[("retry-after", "86400")], "{}");
        assert_eq!(long.key, Mark::Cooling(Some(LONGEST_COOL_DOWN_MS)));
    }

    #[test]
    fn a_time_that_is_no_rest_counts_as_none_told() {
        for told in ["0", "0.5", "Thu, 01 Jan 1970 00:00:00 GMT"] {
            assert_eq!(
                of(429, &[("retry-after", told)], "{}").key,
                Mark::Cooling(None),
                "{told}"
            );
        }
        let overloaded = of(503, &[("retry-after", "0")], "{}");
        assert_eq!(overloaded.channel, Mark::Failed(BROKEN));
    }

    #[test]
    fn a_model_that_a_key_may_not_use_says_nothing_against_the_key() {
        let body =
            r#"{"message":"You don't have access to the model with the specified model ID."}"#;
        let effect = of(403, &[], body);
        assert!(effect.lacks_model);
        assert_eq!((effect.channel, effect.key), (Mark::Alive, Mark::Alive));
    }

    #[test]
    fn a_broken_upstream_counts_against_the_channel() {
        assert_eq!(of(500, &[], "{}").channel, Mark::Failed(BROKEN));
        let resting = of(503, &[("retry-after", "3")], "{}");
        assert_eq!(resting.channel, Mark::Cooling(Some(3_000)));
    }

    #[test]
    fn a_missing_model_concerns_that_model_alone() {
        let body =
            r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#;
        let effect = of(404, &[], body);
        assert!(effect.lacks_model);
        assert_eq!(effect.channel, Mark::Alive);
    }
}
