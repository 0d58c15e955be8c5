//! Values as LiteLLM's database holds them: lists, times, amounts, and how long a budget lasts.

use jiff::Timestamp;

use crate::imports::gateway::ratio::Ratio;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// A list of texts as PostgreSQL writes one: `{one,"two, or more"}`.
pub(super) fn list(text: Option<&str>) -> Vec<String> {
    let inner = text.and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
    let mut letters = inner.unwrap_or_default().chars();
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '\\' => word.extend(letters.next()),
            ',' if !is_quoted => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words.retain(|word| !word.trim().is_empty() && word != "NULL");
    words
}

/// A time in unix milliseconds. Those without a zone are of UTC.
pub(super) fn time(text: &str) -> Option<i64> {
    let text = text.trim().replacen(' ', "T", 1);
    let time: Option<Timestamp> = text.parse().ok();
    let time = time.or_else(|| format!("{text}Z").parse().ok())?;
    Some(time.as_millisecond())
}

/// Dollars in nano-dollars, rounded up; none where it is no number at or above zero.
pub(super) fn nanos(text: &str) -> Option<i64> {
    Ratio::parse(text)?.dollars_in_nanos()
}

/// How many seconds a budget lasts: `30s`, `5m`, `24h`, `7d`, `2w`, `1mo`.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let unit = match unit {
        "s" => 1,
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        "w" => 7 * DAY,
        "mo" => 31 * DAY,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_postgres_writes_them() {
        assert_eq!(list(Some("{}")), [""; 0]);
        assert_eq!(list(None), [""; 0]);
        assert_eq!(list(Some("{gpt-4o,NULL}")), ["gpt-4o"]);
        assert_eq!(
            list(Some(r#"{"a, b","say \"x\"",c}"#)),
            ["a, b", "say \"x\"", "c"]
        );
    }

    #[test]
    fn times_amounts_and_spans_are_read() {
        assert_eq!(time("2024-05-06 07:08:09.123"), Some(1_714_979_289_123));
        assert_eq!(time("2024-05-06 07:08:09+00"), Some(1_714_979_289_000));
        assert_eq!(time("soon"), None);
        assert_eq!(nanos("1e-05"), Some(10_000));
        assert_eq!(nanos("12.5"), Some(12_500_000_000));
        assert_eq!(nanos("-1"), None);
        assert_eq!(
            ["24h", "1mo", "7d", "x", "d"].map(seconds),
            [Some(DAY), Some(31 * DAY), Some(7 * DAY), None, None]
        );
    }
}
