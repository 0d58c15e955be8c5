//! Data URLs and media types, as sloppily as clients write them. Says nothing about which type a
//! model takes.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::canonical::MediaClass;

/// The content of a data URL.
#[derive(Debug, PartialEq, Eq)]
pub struct DataUrl {
    /// Its media type, lower case, without parameters.
    pub mime: String,
    /// Standard base64.
    pub data: String,
}

impl DataUrl {
    /// Reads a data URL: parameters before `;base64`, a missing type (plain text), percent
    /// encoding, white space and the URL-safe alphabet are all taken.
    pub fn read(url: &str) -> Option<Self> {
        let rest = strip_scheme(url)?;
        let (head, body) = rest.split_once(',')?;
        let mut words = head.split(';').map(str::trim);
        let mime = match words.next() {
            None | Some("") => "text/plain".to_owned(),
            Some(mime) => plain_mime(mime),
        };
        let is_base64 = words.any(|word| word.eq_ignore_ascii_case("base64"));
        let data = if is_base64 {
            clean_base64(body)
        } else {
            STANDARD.encode(percent_decoded(body).as_ref())
        };
        Some(Self { mime, data })
    }

    /// Whether `url` is exactly what [`write`] makes of this.
    pub fn is_spelled(&self, url: &str) -> bool {
        url.strip_prefix("data:")
            .and_then(|rest| rest.strip_prefix(self.mime.as_str()))
            .and_then(|rest| rest.strip_prefix(";base64,"))
            == Some(self.data.as_str())
    }
}

/// A data URL of this content.
pub fn write(mime: &str, data: &str) -> String {
    format!("data:{mime};base64,{data}")
}

fn strip_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.trim_start().split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// A media type in lower case, without parameters, common misspellings set right.
pub fn plain_mime(mime: &str) -> String {
    let plain = mime.split(';').next().unwrap_or(mime).trim();
    let lower = plain.to_ascii_lowercase();
    match lower.as_str() {
        "image/jpg" => "image/jpeg".to_owned(),
        _ => lower,
    }
}

/// Base64 in its standard alphabet, without white space, padded.
pub fn clean_base64(text: &str) -> String {
    let is_clean = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    if text.bytes().all(is_clean) && text.len().is_multiple_of(4) {
        return text.to_owned();
    }
    let decoded = percent_decoded(text);
    let mut clean = String::with_capacity(text.len() + 3);
    for byte in decoded.iter() {
        match byte {
            b'-' => clean.push('+'),
            b'_' => clean.push('/'),
            byte if is_clean(*byte) => clean.push(char::from(*byte)),
            _ => {}
        }
    }
    while !clean.len().is_multiple_of(4) {
        clean.push('=');
    }
    clean
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

/// What a media type is.
pub fn class_of(mime: &str) -> MediaClass {
    match mime.split('/').next() {
        Some("image") => MediaClass::Image,
        Some("audio") => MediaClass::Audio,
        Some("video") => MediaClass::Video,
        _ => MediaClass::Document,
    }
}

/// The media type that a file name's extension promises.
pub fn mime_of_name(name: &str) -> Option<&'static str> {
    let path = name.split(['?', '#']).next().unwrap_or(name);
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "pdf" => "application/pdf",
        "txt" | "log" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "xml" => "application/xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "wav" => "audio/wav",
        "mp3" => "audio/mp3",
        "flac" => "audio/flac",
        "ogg" | "opus" => "audio/ogg",
        "aac" => "audio/aac",
        "m4a" => "audio/mp4",
        "mp4" => "video/mp4",
        "mov" => "video/quicktime",
        "webm" => "video/webm",
        "mpeg" | "mpg" => "video/mpeg",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => return None,
    })
}

/// The media type of an audio format's short name.
pub fn mime_of_audio(format: &str) -> String {
    format!("audio/{}", format.to_ascii_lowercase())
}

/// The short name of an audio media type.
pub fn audio_format(mime: &str) -> &str {
    match mime {
        "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "wav",
        "audio/mpeg" | "audio/mpeg3" => "mp3",
        "audio/l16" | "audio/pcm" => "pcm16",
        _ => mime.strip_prefix("audio/").unwrap_or(mime),
    }
}

/// The media type of base64 audio whose sender did not say it, by its first bytes.
pub fn sniff_audio(data: &str) -> &'static str {
    const STARTS: [(&str, &str); 5] = [
        ("UklGR", "audio/wav"),
        ("SUQz", "audio/mp3"),
        ("//", "audio/mp3"),
        ("T2dn", "audio/ogg"),
        ("ZkxhQ", "audio/flac"),
    ];
    STARTS
        .into_iter()
        .find(|(start, _)| data.starts_with(start))
        .map_or("audio/pcm", |(_, mime)| mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> (String, String) {
        let url = DataUrl::read(url).expect("a data URL");
        (url.mime, url.data)
    }

    #[test]
    fn a_plain_data_url_keeps_its_spelling() {
        let text = "data:image/png;base64,iVBORw0=";
        let url = DataUrl::read(text).unwrap();
        assert!(url.is_spelled(text));
        assert_eq!(write(&url.mime, &url.data), text);
    }

    #[test]
    fn sloppy_data_urls_are_set_right() {
        assert_eq!(
            read("DATA:image/JPG;charset=x;base64,aGk="),
            ("image/jpeg".into(), "aGk=".into())
        );
        assert_eq!(read("data:,hi%21"), ("text/plain".into(), "aGkh".into()));
        assert_eq!(
            read("data:text/plain;base64,a G\nk"),
            ("text/plain".into(), "aGk=".into())
        );
        assert_eq!(
            read("data:image/png;base64,-_-_"),
            ("image/png".into(), "+/+/".into())
        );
        assert_eq!(
            read("data:image/png;base64,%2B%2f=="),
            ("image/png".into(), "+/==".into())
        );
    }

    #[test]
    fn what_is_no_data_url_is_not_read_as_one() {
        assert_eq!(DataUrl::read("https://pics.test/a.png"), None);
        assert_eq!(DataUrl::read("data:image/png;base64"), None);
    }

    #[test]
    fn a_file_name_tells_the_type() {
        assert_eq!(mime_of_name("a/b/clip.MP4?x=1"), Some("video/mp4"));
        assert_eq!(mime_of_name("nothing"), None);
        assert_eq!(audio_format("audio/mpeg"), "mp3");
        assert_eq!(sniff_audio("UklGRiQ"), "audio/wav");
    }
}
