//! Data URLs: taking them apart as leniently as clients write them, and putting them together.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// What a data URL holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DataUrl {
    /// Its media type, lower case and without parameters.
    pub mime: String,
    /// Standard base64.
    pub data: String,
}

/// Takes a data URL apart; anything else, and base64 that cannot be read, is `None`.
pub(super) fn parse(url: &str) -> Option<DataUrl> {
    let scheme = url.get(..5)?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let (head, data) = url[5..].split_once(',')?;
    let mut fields = head.split(';').map(str::trim);
    let mime = normal_mime(fields.next().unwrap_or_default());
    let data = if fields.any(|field| field.eq_ignore_ascii_case("base64")) {
        standard(data)?
    } else {
        STANDARD.encode(percent_decoded(data))
    };
    Some(DataUrl { mime, data })
}

/// A data URL with this content.
pub(super) fn write(mime: &str, data: &str) -> String {
    format!("data:{mime};base64,{data}")
}

fn normal_mime(mime: &str) -> String {
    match mime.to_ascii_lowercase().as_str() {
        "" => "text/plain".to_owned(),
        "image/jpg" => "image/jpeg".to_owned(),
        mime => mime.to_owned(),
    }
}

/// Base64 in its standard spelling: line breaks gone, alphabet and padding mended.
pub(super) fn standard(data: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if data.len().is_multiple_of(4) && data.bytes().all(is_plain) {
        return Some(data.to_owned());
    }
    let packed: String = data.split_ascii_whitespace().collect();
    [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
        .iter()
        .find_map(|engine| engine.decode(&packed).ok())
        .map(|bytes| STANDARD.encode(bytes))
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = (digit(bytes.get(at + 1)), digit(bytes.get(at + 2)));
        match (bytes[at], pair) {
            (b'%', (Some(high), Some(low))) => {
                decoded.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

/// A media type by a file's name, where its ending tells it.
pub(super) fn mime_by_name(name: &str) -> Option<&'static str> {
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    Some(match ending.as_str() {
        "pdf" => "application/pdf",
        "txt" | "md" | "log" => "text/plain",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "xml" => "application/xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> (String, String) {
        let url = parse(url).expect("a data URL");
        (url.mime, url.data)
    }

    #[test]
    fn data_urls_are_read_in_every_spelling() {
        let png = ("image/png".to_owned(), "iVBO".to_owned());
        assert_eq!(parsed("data:image/png;base64,iVBO"), png);
        assert_eq!(parsed("DATA:IMAGE/PNG;charset=x;BASE64,iVBO"), png);
        assert_eq!(parsed("data:image/jpg;base64,iVBO").0, "image/jpeg");
        assert_eq!(parsed("data:;base64,aG k\n=").1, "aGk=");
        assert_eq!(parsed("data:image/png;base64,_-8").1, "/+8=");
        assert_eq!(
            parsed("data:,a%20b%zz"),
            ("text/plain".into(), STANDARD.encode("a b%zz"))
        );
    }

    #[test]
    fn other_addresses_are_no_data_urls() {
        assert_eq!(parse("https://x.example/a.png"), None);
        assert_eq!(parse("dat"), None);
        assert_eq!(parse("data:image/png;base64,*"), None);
        assert_eq!(parse("é:é"), None);
    }
}
