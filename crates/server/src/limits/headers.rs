//! The vendors' headers about limits, each dialect's own. A limit that is not there has no header.

use std::sync::LazyLock;

use dialects::DialectId;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::Timestamp;

use super::admitted::{Admitted, Shown};
use super::span::Span;
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

/// Headers that stand behind those of limits in a blank; the edge gives them their values.
const OF_THE_EDGE: [HeaderName; 2] = [header::X_CONTENT_TYPE_OPTIONS, REQUEST_ID];

/// Headers of answers of calls with both limits, as yet without values: the content type, the limits, and
/// those of the edge. Finding the place of a name takes longer than copying all of them with their places.
static BLANK: LazyLock<HeaderMap> = LazyLock::new(|| blank([REQUESTS, TOKENS]));
static MESSAGES_BLANK: LazyLock<HeaderMap> =
    LazyLock::new(|| blank([MESSAGES_REQUESTS, MESSAGES_TOKENS]));

fn blank(limits: [Names; 2]) -> HeaderMap {
    let mut blank = HeaderMap::with_capacity(USUAL_HEADERS);
    let names = [header::CONTENT_TYPE].into_iter();
    let names = names.chain(limits.into_iter().flatten());
    for name in names.chain(OF_THE_EDGE) {
        blank.insert(name, HeaderValue::from_static(""));
    }
    blank
}

impl Admitted {
    /// The headers of an answer of this content type; what the edge says in every answer is still to be added.
    pub fn answer_headers(&self, dialect: DialectId, content_type: HeaderValue) -> HeaderMap {
        let (Some(requests), Some(tokens), Some(blank)) =
            (self.requests, self.tokens, blank_of(dialect))
        else {
            let mut headers = HeaderMap::with_capacity(USUAL_HEADERS);
            self.headers(dialect, &mut headers);
            headers.insert(header::CONTENT_TYPE, content_type);
            return headers;
        };
        let mut headers = blank.clone();
        let mut places = headers.values_mut();
        let mut fill = |value| {
            if let Some(place) = places.next() {
                *place = value;
            }
        };
        fill(content_type);
        self.values(dialect, requests, &mut fill);
        self.values(dialect, tokens, &mut fill);
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
            let mut names = names.into_iter();
            self.values(dialect, shown, &mut |value| {
                if let Some(name) = names.next() {
                    headers.insert(name, value);
                }
            });
        }
    }

    /// Puts the values of one limit's headers where they belong, one after the other.
    fn values(&self, dialect: DialectId, shown: Shown, put: &mut impl FnMut(HeaderValue)) {
        let mut number = itoa::Buffer::new();
        put(value(number.format(shown.limit).as_bytes()));
        put(value(number.format(shown.remaining).as_bytes()));
        put(match dialect {
            DialectId::Messages => value(self.moment(shown).as_bytes()),
            _ => value(Span::of_ms(shown.reset_ms()).as_bytes()),
        });
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

fn value(text: &[u8]) -> HeaderValue {
    HeaderValue::from_bytes(text)
        .expect("numbers and times are made of characters that headers may hold")
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let kind = HeaderValue::from_static("a/b");
            let mut headers = admitted.answer_headers(dialect, kind.clone());
            assert_eq!(headers.remove(header::CONTENT_TYPE), Some(kind));
            for name in OF_THE_EDGE {
                headers.remove(name);
            }
            let mut added = HeaderMap::new();
            admitted.headers(dialect, &mut added);
            assert_eq!(headers, added);
        }
    }
}
