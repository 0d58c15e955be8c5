//! Bodies and frames with halves of surrogate pairs in them. JSON allows such escapes and some
//! programs send them (a pair cut in two, a model's slip); no string can hold them, and one of them
//! is no reason to refuse a whole answer.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::canonical::Failure;
use crate::json;

/// Reads a client's body; halves of pairs in it become replacement characters.
pub(crate) fn read_body(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    json::read_object(body).or_else(|failure| match mended(body) {
        Cow::Owned(mended) => json::read_object(&mended),
        Cow::Borrowed(_) => Err(failure),
    })
}

/// The text with each half of a pair replaced; borrowed where there is none.
pub(crate) fn mended(text: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    let mut place = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[place..]) {
        let escape = place + found;
        let (length, is_half) = match unit(&text[escape..]) {
            Some(0xD800..=0xDBFF) => match text.get(escape + 6..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => (12, false),
                _ => (6, true),
            },
            Some(0xDC00..=0xDFFF) => (6, true),
            Some(_) => (6, false),
            None => (2, false),
        };
        let end = (escape + length).min(text.len());
        if is_half {
            let out = out.get_or_insert_with(|| text[..place].to_vec());
            out.extend_from_slice(&text[place..escape]);
            out.extend_from_slice(b"\\ufffd");
        } else if let Some(out) = &mut out {
            out.extend_from_slice(&text[place..end]);
        }
        place = end;
    }
    match out {
        Some(mut out) => {
            out.extend_from_slice(&text[place..]);
            Cow::Owned(out)
        }
        None => Cow::Borrowed(text),
    }
}

/// The code unit that this text begins with as an escape.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_replaced_and_pairs_and_other_escapes_stay() {
        let mend = |text: &str| String::from_utf8(mended(text.as_bytes()).into_owned()).unwrap();
        assert_eq!(mend(r#"{"a":"\ud83d"}"#), r#"{"a":"\ufffd"}"#);
        assert_eq!(mend(r#""x\ude00\ud83d y\n""#), r#""x\ufffd\ufffd y\n""#);
        for whole in [
            r#""\ud83d\ude00""#,
            r#""\\ud83d""#,
            r#""\u00e5\"\\""#,
            "\\",
            "\\u12",
        ] {
            assert!(
                matches!(mended(whole.as_bytes()), Cow::Borrowed(_)),
                "{whole}"
            );
        }
    }
}
