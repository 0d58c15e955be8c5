//! Data URLs and base64, as sloppily as clients write them. What their media types mean is said in
//! [`crate::media_type`].

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::media_type;

/// The content of a data URL.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DataUrl {
    /// Its media type, lower case, without parameters.
    pub mime: String,
    /// Standard base64.
    pub data: String,
}

impl DataUrl {
    /// Reads a data URL: parameters before `;base64`, a missing type (plain text), percent
    /// encoding, white space and the URL-safe alphabet are all taken. Anything else, and base64
    /// that is none, is `None`.
    pub(crate) fn read(url: &str) -> Option<Self> {
        let rest = strip_scheme(url)?;
        let (head, body) = rest.split_once(',')?;
        let mut words = head.split(';').map(str::trim);
        let mime = match words.next() {
            None | Some("") => "text/plain".to_owned(),
            Some(mime) => media_type::plain(mime),
        };
        let is_base64 = words.any(|word| word.eq_ignore_ascii_case("base64"));
        let data = if is_base64 {
            standard_base64(body)?
        } else {
            STANDARD.encode(percent_decoded(body).as_ref())
        };
        Some(Self { mime, data })
    }

    /// Whether `url` is exactly what [`write`] makes of this.
    pub(crate) fn is_spelled(&self, url: &str) -> bool {
        url.strip_prefix("data:")
            .and_then(|rest| rest.strip_prefix(self.mime.as_str()))
            .and_then(|rest| rest.strip_prefix(";base64,"))
            == Some(self.data.as_str())
    }
}

/// A data URL of this content.
pub(crate) fn write(mime: &str, data: &str) -> String {
    format!("data:{mime};base64,{data}")
}

/// Text as base64.
pub(crate) fn encode(text: &str) -> String {
    STANDARD.encode(text)
}

/// The words of an inlined text file; `None` for anything that is not text.
pub(crate) fn text_of(mime: &str, data: &str) -> Option<String> {
    let bytes = media_type::is_text(mime).then(|| STANDARD.decode(data).ok())??;
    String::from_utf8(bytes).ok()
}

fn strip_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.trim_start().split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// Base64 in its standard alphabet, without white space, padded.
pub(crate) fn standard_base64(text: &str) -> Option<String> {
    let is_standard = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    if text.len().is_multiple_of(4) && text.bytes().all(is_standard) {
        return Some(text.to_owned());
    }
    let mut clean = String::with_capacity(text.len() + 3);
    for &byte in percent_decoded(text).iter() {
        match byte {
            b'-' => clean.push('+'),
            b'_' => clean.push('/'),
            _ if is_standard(byte) => clean.push(char::from(byte)),
            _ if byte.is_ascii_whitespace() => {}
            _ => return None,
        }
    }
    while !clean.len().is_multiple_of(4) {
        clean.push('=');
    }
    Some(clean)
}

fn percent_decoded(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('%') {
        return Cow::Borrowed(text.as_bytes());
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(hex_pair);
        match (bytes[at], pair) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(decoded)
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_data_url_keeps_its_spelling() {
        let text = "data:image/png;base64,iVBORw0=";
        let url = DataUrl::read(text).unwrap();
        assert!(url.is_spelled(text));
        assert_eq!(write(&url.mime, &url.data), text);
    }

    #[test]
    fn sloppy_data_urls_are_set_right() {
        for (url, mime, data) in [
            ("DATA:image/JPG;charset=x;BASE64,aGk=", "image/jpeg", "aGk="),
            ("data:,hi%21", "text/plain", "aGkh"),
            ("data:,a%20b%zz", "text/plain", "YSBiJXp6"),
            ("data:;base64,aG k\n=", "text/plain", "aGk="),
            ("data:text/plain;base64,a G\nk", "text/plain", "aGk="),
            ("data:image/png;base64,-_-_", "image/png", "+/+/"),
            ("data:image/png;base64,_-8", "image/png", "/+8="),
            ("data:image/png;base64,%2B%2f==", "image/png", "+/=="),
        ] {
            let read = DataUrl::read(url).expect(url);
            assert_eq!((read.mime.as_str(), read.data.as_str()), (mime, data));
        }
    }

    #[test]
    fn what_is_no_data_url_is_not_read_as_one() {
        for url in [
            "https://pics.test/a.png",
            "data:image/png;base64",
            "data:image/png;base64,*",
            "dat",
            "é:é",
        ] {
            assert_eq!(DataUrl::read(url), None, "{url}");
        }
    }

    #[test]
    fn only_text_is_decoded() {
        assert_eq!(text_of("text/csv", "YSxi").as_deref(), Some("a,b"));
        assert_eq!(text_of("application/pdf", "YSxi"), None);
        assert_eq!(text_of("text/plain", "/w=="), None);
    }
}
