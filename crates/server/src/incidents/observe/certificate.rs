//! When a certificate ends: the one date that is read out of the first certificate of a PEM file.
//! Checks nothing else about it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

const SEQUENCE: u8 = 0x30;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// The explicit version, which the oldest certificates leave out.
const VERSION: u8 = 0xa0;

/// The end of the first certificate, in unix milliseconds; none where there is none to be read.
pub(super) fn ends_at(pem: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(pem).ok()?;
    let body = text.split_once(BEGIN)?.1.split_once(END)?.0;
    let body: String = body.split_whitespace().collect();
    let der = STANDARD.decode(body).ok()?;
    let mut outer = Reader(&der);
    let mut whole = Reader(outer.element(SEQUENCE)?);
    let mut signed = Reader(whole.element(SEQUENCE)?);
    if signed.0.first() == Some(&VERSION) {
        signed.next()?;
    }
    // Serial number, algorithm, issuer.
    for _ in 0..3 {
        signed.next()?;
    }
    let mut validity = Reader(signed.element(SEQUENCE)?);
    validity.next()?;
    let (tag, time) = validity.next()?;
    read_time(tag, std::str::from_utf8(time).ok()?)
}

/// `YYMMDDhhmmssZ` or `YYYYMMDDhhmmssZ`.
fn read_time(tag: u8, text: &str) -> Option<i64> {
    let digits = text.strip_suffix('Z')?;
    let (year, rest) = match tag {
        UTC_TIME if digits.len() == 12 => {
            let year: i16 = digits.get(..2)?.parse().ok()?;
            // Two digits stand for 1950 to 2049 (RFC 5280, 4.1.2.5.1).
            let century = if year >= 50 { 1900 } else { 2000 };
            (century + year, digits.get(2..)?)
        }
        GENERALIZED_TIME if digits.len() == 14 => {
            (digits.get(..4)?.parse().ok()?, digits.get(4..)?)
        }
        _ => return None,
    };
    let part = |at: usize| rest.get(at..at + 2)?.parse::<i8>().ok();
    let time = DateTime::new(year, part(0)?, part(2)?, part(4)?, part(6)?, part(8)?, 0).ok()?;
    let time = time.to_zoned(TimeZone::UTC).ok()?;
    Some(time.timestamp().as_millisecond())
}

/// Reads elements of DER one after the other.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn element(&mut self, wanted: u8) -> Option<&'a [u8]> {
        let (tag, content) = self.next()?;
        (tag == wanted).then_some(content)
    }

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            let count = usize::from(first & 0x7f);
            if !(1..=4).contains(&count) {
                return None;
            }
            let (digits, rest) = rest.split_at_checked(count)?;
            let length = digits
                .iter()
                .fold(0, |sum, digit| sum << 8 | usize::from(*digit));
            (length, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_certificate_is_read() {
        let pem = include_bytes!("../../../tests/api/fixtures/localhost-cert.pem");
        let ends = ends_at(pem).unwrap();
        let ends = jiff::Timestamp::from_millisecond(ends).unwrap();
        assert_eq!(ends.to_string(), "2126-10-22T02:52:19Z");
    }

    #[test]
    fn both_forms_of_time_are_read_and_others_are_not() {
        let new_year = Some(1_767_225_600_000);
        assert_eq!(read_time(UTC_TIME, "260101000000Z"), new_year);
        assert_eq!(read_time(GENERALIZED_TIME, "20260101000000Z"), new_year);
        assert_eq!(read_time(UTC_TIME, "991231235959Z"), Some(946_684_799_000));
        for text in ["", "Z", "260101000000", "26010100000Z", "261301000000Z"] {
            assert_eq!(read_time(UTC_TIME, text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        for text in [
            "",
            "-----BEGIN CERTIFICATE-----AAAA-----END CERTIFICATE-----",
        ] {
            assert_eq!(ends_at(text.as_bytes()), None);
        }
        let cut = "-----BEGIN CERTIFICATE-----MIICqjCCAZI=-----END CERTIFICATE-----";
        assert_eq!(ends_at(cut.as_bytes()), None);
    }
}
