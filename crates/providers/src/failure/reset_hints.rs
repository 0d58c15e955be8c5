//! When limits are open again, by the headers that tell of each limit apart. Asked only where no
//! `retry-after` says it outright.

use jiff::Timestamp;

/// No hint asks for more than a day.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// Limits as vendors name them: what is left of it, and when it is whole again.
const LIMITS: [(&str, &str); 6] = [
    (
        "x-ratelimit-remaining-requests",
        "x-ratelimit-reset-requests",
    ),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    (
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    (
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ),
    (
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ),
];

/// The longest time until a limit that is used up is open again, in milliseconds.
pub(super) fn longest<'a>(
    header: impl Fn(&'static str) -> Option<&'a str>,
    now: Timestamp,
) -> Option<u64> {
    let used_up = LIMITS
        .iter()
        .filter(|(remaining, _)| header(remaining) == Some("0"));
    let waits = used_up.filter_map(|(_, reset)| {
        let reset = header(reset)?.trim();
        duration_ms(reset).or_else(|| until_ms(reset, now))
    });
    waits.max().map(|wait| wait.min(LONGEST_MS))
}

/// `6m0s`, `1.5s`, `20ms`, `1h2m3s`.
fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let tail = &rest[digits..];
        let letters = tail
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(tail.len());
        let unit_ms = match &tail[..letters] {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total += number * unit_ms;
        rest = &tail[letters..];
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and nothing below zero can be written"
    )]
    (!text.is_empty()).then(|| total.ceil() as u64)
}

/// `2025-01-01T00:00:07Z`.
fn until_ms(text: &str, now: Timestamp) -> Option<u64> {
    let reset: Timestamp = text.parse().ok()?;
    u64::try_from(reset.as_millisecond() - now.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, ms) in [
            ("6m0s", Some(360_000)),
            ("1.5s", Some(1500)),
            ("20ms", Some(20)),
            ("1h2m3s", Some(3_723_000)),
            ("", None),
            ("12", None),
            ("s", None),
            ("3 s", None),
            ("1.2.3s", None),
        ] {
            assert_eq!(duration_ms(text), ms, "{text}");
        }
    }

    #[test]
    fn only_limits_that_are_used_up_count() {
        let now: Timestamp = "2025-01-01T00:00:00Z".parse().unwrap();
        let look = |headers: &'static [(&str, &str)]| {
            let find = |name| {
                headers
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| *value)
            };
            longest(find, now)
        };
        assert_eq!(
            look(&[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "2s"),
                ("x-ratelimit-remaining-tokens", "50"),
                ("x-ratelimit-reset-tokens", "9s"),
            ]),
            Some(2000)
        );
        assert_eq!(
            look(&[
                ("anthropic-ratelimit-tokens-remaining", "0"),
                ("anthropic-ratelimit-tokens-reset", "2025-01-01T00:00:07Z"),
            ]),
            Some(7000)
        );
        assert_eq!(
            look(&[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "99d"),
            ]),
            Some(LONGEST_MS)
        );
        assert_eq!(look(&[]), None);
    }
}
