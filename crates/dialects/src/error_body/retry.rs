//! When to try again, by an upstream's own words.

use serde_json::Value;

/// No hint may ask for more than a day.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// The time to wait before the next try, in milliseconds: the headers `retry-after-ms` and
/// `retry-after` (seconds, or a date, which is why the present time is asked for), then the body.
pub fn retry_after_ms<'a>(
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: &[u8],
    now_unix: u64,
) -> Option<u64> {
    let mut in_ms = None;
    let mut after = None;
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("retry-after-ms") {
            in_ms = in_ms.or_else(|| number(value, 1.0));
        } else if name.eq_ignore_ascii_case("retry-after") {
            after = after.or_else(|| number(value, 1000.0).or_else(|| until(value, now_unix)));
        }
    }
    in_ms.or(after).or_else(|| from_body(body))
}

/// `RetryInfo.retryDelay` in a body (`"34s"`, `"0.5s"`).
pub fn from_body(body: &[u8]) -> Option<u64> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let first = value.get(0).unwrap_or(&value);
    let details = first.get("error")?.get("details")?.as_array()?;
    details
        .iter()
        .filter_map(|detail| detail.get("retryDelay")?.as_str())
        .find_map(|delay| number(delay.strip_suffix('s')?, 1000.0))
}

/// A number of this many milliseconds each, rounded up.
fn number(text: &str, unit: f64) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and nothing below zero comes here"
    )]
    let ms = (number.is_finite() && number >= 0.0).then(|| (number * unit).ceil() as u64)?;
    Some(ms.min(LONGEST_MS))
}

/// The time until an HTTP date; none where it has passed.
fn until(date: &str, now_unix: u64) -> Option<u64> {
    let seconds = http_date(date)?.saturating_sub(now_unix);
    Some(seconds.saturating_mul(1000).min(LONGEST_MS))
}

/// Unix seconds of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let (_, date) = text.split_once(',')?;
    let mut words = date.split_whitespace();
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(str::parse::<u64>);
    let mut next = || clock.next()?.ok();
    let (hour, minute, second) = (next()?, next()?, next()?);
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Days from 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day is last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(headers: &[(&str, &str)]) -> Option<u64> {
        retry_after_ms(headers.iter().copied(), b"", 784_111_770)
    }

    #[test]
    fn headers_are_read_in_every_form() {
        assert_eq!(hint(&[("retry-after", "2")]), Some(2000));
        assert_eq!(hint(&[("Retry-After", " 0.25 ")]), Some(250));
        assert_eq!(
            hint(&[("retry-after", "9"), ("Retry-After-Ms", "120")]),
            Some(120)
        );
        assert_eq!(
            hint(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            Some(7000)
        );
        assert_eq!(
            hint(&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT")]),
            Some(0)
        );
        assert_eq!(hint(&[("retry-after", "soon")]), None);
        assert_eq!(hint(&[("retry-after", "-1")]), None);
        assert_eq!(hint(&[("retry-after", "1e30")]), Some(LONGEST_MS));
        assert_eq!(hint(&[]), None);
    }

    #[test]
    fn the_date_of_the_standard_is_the_right_second() {
        assert_eq!(
            http_date("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            http_date("Tue, 29 Feb 2000 12:00:00 GMT"),
            Some(951_825_600)
        );
    }

    #[test]
    fn the_body_is_asked_last() {
        let body = br#"[{"error":{"details":[{"reason":"x"},{"retryDelay":"0.5s"}]}}]"#;
        assert_eq!(retry_after_ms([], body, 0), Some(500));
        assert_eq!(retry_after_ms([("retry-after", "1")], body, 0), Some(1000));
        assert_eq!(retry_after_ms([], b"<html>", 0), None);
    }
}
