//! The vendors' headers about limits, each dialect's own. A limit that is not there has no header.

use dialects::DialectId;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;

use super::admitted::{Admitted, Shown};

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

impl Admitted {
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
        let mut text = String::with_capacity(32);
        for ([limit, remaining, reset], shown) in shown {
            let Some(shown) = shown else {
                continue;
            };
            let mut number = itoa::Buffer::new();
            insert(headers, limit, number.format(shown.limit));
            insert(headers, remaining, number.format(shown.remaining));
            text.clear();
            match dialect {
                DialectId::Messages => text.push_str(&self.moment(shown)),
                _ => push_duration(&mut text, shown.reset_ms()),
            }
            insert(headers, reset, &text);
        }
    }

    /// When all of a limit is there again, as RFC 3339 has it.
    fn moment(&self, shown: Shown) -> String {
        let wait = i64::try_from(shown.reset_ms()).unwrap_or(i64::MAX);
        let seconds = self.at_ms.saturating_add(wait).div_euclid(1_000);
        Timestamp::from_second(seconds).map_or_else(|_| String::new(), |at| at.to_string())
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

/// `120ms`, `1.5s`, `6m0s`.
fn push_duration(text: &mut String, ms: u64) {
    let (minutes, rest) = (ms / 60_000, ms % 60_000);
    let (seconds, thousandths) = (rest / 1_000, rest % 1_000);
    let add = |text: &mut String, number: u64, unit: &str| {
        text.push_str(itoa::Buffer::new().format(number));
        text.push_str(unit);
    };
    if minutes == 0 && seconds == 0 && thousandths > 0 {
        add(text, thousandths, "ms");
        return;
    }
    if minutes > 0 {
        add(text, minutes, "m");
    }
    add(text, seconds, "");
    let mut divisor = 100;
    let mut left = thousandths;
    if left > 0 {
        text.push('.');
    }
    while left > 0 {
        add(text, left / divisor, "");
        left %= divisor;
        divisor /= 10;
    }
    text.push('s');
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
            let mut written = String::new();
            push_duration(&mut written, ms);
            assert_eq!(written, text);
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
}
