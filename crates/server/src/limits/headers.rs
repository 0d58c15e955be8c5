//! The vendors' headers about limits, each dialect's own. A limit that is not there has no header.

use std::sync::LazyLock;

use dialects::DialectId;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::Timestamp;

use super::admitted::{Admitted, Shown};
use crate::middleware::REQUEST_ID;

/// The names of one limit's headers: limit, remaining, reset.
type Names = [HeaderName; 3];

const REQUESTS: Names = [
    HeaderName::from_static("x-ratelimit-limit-requests"),
    HeaderName::from_static("x-ratelimit-remaining-requests"),
    HeaderName::from_static("x-ratelimit-reset-requests"),
];
const TOKENS: Names = [
    HeaderName::from_static("x-ratelimit-limit-tokens"),
    HeaderName::from_static("x-ratelimit-remaining-tokens"),
    HeaderName::from_static("x-ratelimit-reset-tokens"),
];
const MESSAGES_REQUESTS: Names = [
    HeaderName::from_static("anthropic-ratelimit-requests-limit"),
    HeaderName::from_static("anthropic-ratelimit-requests-remaining"),
    HeaderName::from_static("anthropic-ratelimit-requests-reset"),
];
const MESSAGES_TOKENS: Names = [
    HeaderName::from_static("anthropic-ratelimit-tokens-limit"),
    HeaderName::from_static("anthropic-ratelimit-tokens-remaining"),
    HeaderName::from_static("anthropic-ratelimit-tokens-reset"),
];

/// Room for the headers of most answers, those that the service adds to all responses included.
const USUAL_HEADERS: usize = 12;

/// Headers that stand before those of limits in a blank.
const IN_FRONT: [HeaderName; 3] = [
    header::CONTENT_TYPE,
    header::X_CONTENT_TYPE_OPTIONS,
    REQUEST_ID,
];

/// Headers of answers of calls with both limits, as yet without values. Finding the place of a name
/// takes longer than copying all of them with their places.
static BLANK: LazyLock<HeaderMap> = LazyLock::new(|| blank([REQUESTS, TOKENS]));
static MESSAGES_BLANK: LazyLock<HeaderMap> =
    LazyLock::new(|| blank([MESSAGES_REQUESTS, MESSAGES_TOKENS]));

fn blank(limits: [Names; 2]) -> HeaderMap {
    let mut blank = HeaderMap::with_capacity(USUAL_HEADERS);
    for name in IN_FRONT.into_iter().chain(limits.into_iter().flatten()) {
        blank.insert(name, HeaderValue::from_static(""));
    }
    blank
}

impl Admitted {
    /// The headers of an answer, to which its own are still to be added: its content type, and what the
    /// edge says in every answer.
    pub fn answer_headers(&self, dialect: DialectId) -> HeaderMap {
        let (Some(requests), Some(tokens), Some(blank)) =
            (self.requests, self.tokens, blank_of(dialect))
        else {
            let mut headers = HeaderMap::with_capacity(USUAL_HEADERS);
            self.headers(dialect, &mut headers);
            return headers;
        };
        let mut headers = blank.clone();
        let values = [requests, tokens].map(|shown| self.values(dialect, shown));
        let places = headers.values_mut().skip(IN_FRONT.len());
        for (place, value) in places.zip(values.into_iter().flatten()) {
            *place = value;
        }
        headers
    }

    /// Adds what this dialect's clients read about limits.
    pub fn headers(&self, dialect: DialectId, headers: &mut HeaderMap) {
        let shown = match dialect {
            // Google's API has no such headers.
            DialectId::GenerateContent => return,
            DialectId::Messages => [
                (MESSAGES_REQUESTS, self.requests),
                (MESSAGES_TOKENS, self.tokens),
            ],
            _ => [(REQUESTS, self.requests), (TOKENS, self.tokens)],
        };
        for (names, shown) in shown {
            let Some(shown) = shown else {
                continue;
            };
            for (name, value) in names.into_iter().zip(self.values(dialect, shown)) {
                headers.insert(name, value);
            }
        }
    }

    /// The values of one limit's headers.
    fn values(&self, dialect: DialectId, shown: Shown) -> [HeaderValue; 3] {
        let mut number = itoa::Buffer::new();
        let limit = value(number.format(shown.limit));
        let remaining = value(number.format(shown.remaining));
        let reset = match dialect {
            DialectId::Messages => self.moment(shown),
            _ => duration(shown.reset_ms()),
        };
        [limit, remaining, value(&reset)]
    }

    /// When all of a limit is there again, as RFC 3339 has it.
    fn moment(&self, shown: Shown) -> String {
        let wait = i64::try_from(shown.reset_ms()).unwrap_or(i64::MAX);
        let seconds = self.at_ms.saturating_add(wait).div_euclid(1_000);
        Timestamp::from_second(seconds).map_or_else(|_| String::new(), |at| at.to_string())
    }
}

fn blank_of(dialect: DialectId) -> Option<&'static HeaderMap> {
    match dialect {
        DialectId::GenerateContent => None,
        DialectId::Messages => Some(&MESSAGES_BLANK),
        _ => Some(&BLANK),
    }
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text)
        .expect("numbers and times are made of characters that headers may hold")
}

/// `120ms`, `1.5s`, `6m0s`.
fn duration(ms: u64) -> String {
    let mut text = String::with_capacity(16);
    let (minutes, rest) = (ms / 60_000, ms % 60_000);
    let (seconds, thousandths) = (rest / 1_000, rest % 1_000);
    let mut add = |number: u64, unit: &str| {
        text.push_str(itoa::Buffer::new().format(number));
        text.push_str(unit);
    };
    if minutes == 0 && seconds == 0 && thousandths > 0 {
        add(thousandths, "ms");
        return text;
    }
    if minutes > 0 {
        add(minutes, "m");
    }
    add(seconds, if thousandths > 0 { "." } else { "" });
    let mut divisor = 100;
    let mut left = thousandths;
    while left > 0 {
        add(left / divisor, "");
        left %= divisor;
        divisor /= 10;
    }
    text.push('s');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_the_vendors_write_them() {
        for (ms, text) in [
            (0, "0s"),
            (120, "120ms"),
            (1_000, "1s"),
            (1_500, "1.5s"),
            (60_000, "1m0s"),
            (361_250, "6m1.25s"),
            (1_005, "1.005s"),
        ] {
            assert_eq!(duration(ms), text);
        }
    }

    #[test]
    fn each_dialect_gets_its_own_headers() {
        let admitted = Admitted::default().showing(
            Some(Shown {
                limit: 60,
                remaining: 59,
            }),
            None,
        );
        let of = |dialect| {
            let mut headers = HeaderMap::new();
            admitted.headers(dialect, &mut headers);
            let pairs = headers
                .iter()
                .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
            let mut pairs: Vec<String> = pairs.collect();
            pairs.sort();
            pairs
        };
        assert_eq!(
            of(DialectId::Responses),
            [
                "x-ratelimit-limit-requests: 60",
                "x-ratelimit-remaining-requests: 59",
                "x-ratelimit-reset-requests: 1s",
            ]
        );
        assert_eq!(
            of(DialectId::Messages),
            [
                "anthropic-ratelimit-requests-limit: 60",
                "anthropic-ratelimit-requests-remaining: 59",
                "anthropic-ratelimit-requests-reset: 1970-01-01T00:00:01Z",
            ]
        );
        assert!(of(DialectId::GenerateContent).is_empty());
    }

    #[test]
    fn an_answer_begins_with_what_its_limits_say() {
        let shown = |limit, remaining| Some(Shown { limit, remaining });
        let both = Admitted::default().showing(shown(60, 59), shown(1_000, 400));
        let one = Admitted::default().showing(None, shown(1_000, 400));
        for (admitted, dialect) in [
            (&both, DialectId::ChatCompletions),
            (&both, DialectId::Messages),
            (&both, DialectId::GenerateContent),
            (&one, DialectId::ChatCompletions),
        ] {
            let mut headers = admitted.answer_headers(dialect);
            for name in IN_FRONT {
                headers.remove(name);
            }
            let mut added = HeaderMap::new();
            admitted.headers(dialect, &mut added);
            assert_eq!(headers, added);
        }
    }
}
