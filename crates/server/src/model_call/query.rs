//! Fields of a request's query.

use std::borrow::Cow;

use http::Uri;

/// A field of the query, as it came.
pub fn field<'a>(uri: &'a Uri, wanted: &str) -> Option<&'a str> {
    let pairs = uri.query()?.split('&');
    let mut pairs = pairs.filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

/// A field of the query, decoded.
pub fn decoded<'a>(uri: &'a Uri, wanted: &str) -> Option<Cow<'a, str>> {
    percent_decode(field(uri, wanted)?)
}

fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
