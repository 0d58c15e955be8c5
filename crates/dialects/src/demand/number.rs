//! Numbers and words as a body writes them.

use std::borrow::Cow;

use crate::walk::unescaped;

/// Returns the whole number that this JSON text is. Text counts as a number if `may_be_text`.
pub(super) fn whole(raw: &[u8], may_be_text: bool) -> Option<i64> {
    let digits = written(raw, may_be_text)?;
    let first = digits.first()?;
    (*first == b'-' || first.is_ascii_digit())
        .then(|| std::str::from_utf8(&digits).ok()?.parse().ok())?
}

/// The same for a number that may have a fraction.
pub(super) fn number(raw: &[u8], may_be_text: bool) -> Option<f64> {
    let digits = written(raw, may_be_text)?;
    let first = digits.first()?;
    let number: f64 = (*first == b'-' || first.is_ascii_digit())
        .then(|| std::str::from_utf8(&digits).ok()?.parse().ok())??;
    number.is_finite().then_some(number)
}

fn written(raw: &[u8], may_be_text: bool) -> Option<Cow<'_, [u8]>> {
    match raw.first()? {
        b'"' if may_be_text => Some(unescaped(raw)),
        b'"' => None,
        _ => Some(Cow::Borrowed(raw)),
    }
}

/// Returns the meaning of a string, and any other JSON text as it is.
pub(super) fn word(raw: &[u8]) -> Cow<'_, str> {
    match raw.first() {
        Some(b'"') => match unescaped(raw) {
            Cow::Borrowed(text) => String::from_utf8_lossy(text),
            Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
        },
        _ => String::from_utf8_lossy(raw),
    }
}
