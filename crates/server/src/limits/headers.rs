//! The vendors' headers about limits, each dialect's own. A limit that is not there has no header.

use dialects::DialectId;
use http::HeaderName;
use jiff::Timestamp;

use super::admitted::{Admitted, Shown};
use super::span::Span;

/// The names of one limit's headers: limit, remaining, reset.
type Names = [HeaderName; 3];

static REQUESTS: Names = [
    HeaderName::from_static("x-ratelimit-limit-requests"),
    HeaderName::from_static("x-ratelimit-remaining-requests"),
    HeaderName::from_static("x-ratelimit-reset-requests"),
];
static TOKENS: Names = [
    HeaderName::from_static("x-ratelimit-limit-tokens"),
    HeaderName::from_static("x-ratelimit-remaining-tokens"),
    HeaderName::from_static("x-ratelimit-reset-tokens"),
];
static MESSAGES_REQUESTS: Names = [
    HeaderName::from_static("anthropic-ratelimit-requests-limit"),
    HeaderName::from_static("anthropic-ratelimit-requests-remaining"),
    HeaderName::from_static("anthropic-ratelimit-requests-reset"),
];
static MESSAGES_TOKENS: Names = [
    HeaderName::from_static("anthropic-ratelimit-tokens-limit"),
    HeaderName::from_static("anthropic-ratelimit-tokens-remaining"),
    HeaderName::from_static("anthropic-ratelimit-tokens-reset"),
];

/// How a client stands with its limits, to be told in its dialect.
#[derive(Debug, Clone, Copy)]
pub struct LimitsTold {
    dialect: DialectId,
    requests: Option<Shown>,
    tokens: Option<Shown>,
    at_ms: i64,
}

impl Admitted {
    /// What clients of this dialect are told of it.
    pub fn told(&self, dialect: DialectId) -> LimitsTold {
        LimitsTold {
            dialect,
            requests: self.requests,
            tokens: self.tokens,
            at_ms: self.at_ms,
        }
    }
}

impl LimitsTold {
    /// Tells each header, its name and its value.
    pub fn each(&self, tell: &mut impl FnMut(&'static HeaderName, &[u8])) {
        let (requests, tokens) = match self.dialect {
            // Google's API has no such headers.
            DialectId::GenerateContent => return,
            DialectId::Messages => (&MESSAGES_REQUESTS, &MESSAGES_TOKENS),
            _ => (&REQUESTS, &TOKENS),
        };
        for (names, shown) in [(requests, self.requests), (tokens, self.tokens)] {
            if let Some(shown) = shown {
                self.each_of(names, shown, tell);
            }
        }
    }

    fn each_of(
        &self,
        [limit, remaining, reset]: &'static Names,
        shown: Shown,
        tell: &mut impl FnMut(&'static HeaderName, &[u8]),
    ) {
        let mut number = itoa::Buffer::new();
        tell(limit, number.format(shown.limit).as_bytes());
        tell(remaining, number.format(shown.remaining).as_bytes());
        if self.dialect == DialectId::Messages {
            tell(reset, self.moment(shown).as_bytes());
        } else {
            tell(reset, Span::of_ms(shown.reset_ms()).as_bytes());
        }
    }

    /// When all of a limit is there again, as RFC 3339 has it.
    fn moment(&self, shown: Shown) -> String {
        let wait = i64::try_from(shown.reset_ms()).unwrap_or(i64::MAX);
        let seconds = self.at_ms.saturating_add(wait).div_euclid(1_000);
        Timestamp::from_second(seconds).map_or_else(|_| String::new(), |at| at.to_string())
    }
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
            let mut pairs = Vec::new();
            admitted.told(dialect).each(&mut |name, value| {
                pairs.push(format!("{name}: {}", String::from_utf8_lossy(value)));
            });
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
