//! An ordinary request, read.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use bytes::{Buf as _, Bytes, BytesMut};
use http::header::{self, HeaderName};
use http::{HeaderValue, Method, Request, Uri};
use httparse::{ParserConfig, Status};

use super::remembered::Remembered;
use crate::middleware::Head;
use crate::serve::request_check::is_valid_host;

/// The longest ordinary request, with its body.
pub(super) const LONGEST: usize = 16 * 1024;
/// The longest head that stays remembered: a connection that waits must not hold on to much.
const MOST_REMEMBERED: usize = 4 * 1024;
/// The most headers of one.
const MOST_HEADERS: usize = 64;

/// The bounds of a head, as they are configured.
#[derive(Clone, Copy, Debug)]
pub(in crate::serve) struct Bounds {
    pub header_count: usize,
    pub header_bytes: usize,
}

/// What has come.
pub(super) enum Heard {
    /// A request, and nothing of it is missing.
    Whole(Ordinary),
    /// The head of one; more of its body has to come.
    Beginning,
    /// Nothing that is ordinary.
    Unusual,
}

/// A request with all of its body.
pub(super) struct Ordinary {
    pub head: Arc<Head>,
    pub body: Bytes,
    /// Whether the client wants no further answer on its connection.
    pub is_last: bool,
}

/// Takes a request from what was received, where all of it is there; otherwise nothing. Its head stays remembered.
pub(super) fn read(
    received: &mut BytesMut,
    remembered: &mut Option<Remembered>,
    bounds: Bounds,
) -> Heard {
    let known = remembered.as_ref().and_then(|known| known.fits(received));
    let (length, body_length) = match known {
        Some(lengths) if lengths.0 <= bounds.header_bytes => lengths,
        _ => {
            let Some((new, lengths)) = parse(received, bounds) else {
                return Heard::Unusual;
            };
            *remembered = Some(new);
            lengths
        }
    };
    let whole = length.saturating_add(body_length);
    if whole > received.len() {
        return if whole > LONGEST {
            Heard::Unusual
        } else {
            Heard::Beginning
        };
    }
    let Some(known) = remembered else {
        return Heard::Unusual;
    };
    let mut body = received.split_to(whole);
    body.advance(length);
    let request = Ordinary {
        head: Arc::clone(&known.head),
        body: body.freeze(),
        is_last: known.is_last,
    };
    if length > MOST_REMEMBERED {
        *remembered = None;
    }
    Heard::Whole(request)
}

/// The head that these bytes begin with, how long it is and how long its body; none where it is not ordinary, or not
/// all of it is there.
fn parse(bytes: &[u8], bounds: Bounds) -> Option<(Remembered, (usize, usize))> {
    let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut []);
    let status =
        ParserConfig::default().parse_request_with_uninit_headers(&mut parsed, bytes, &mut headers);
    let Ok(Status::Complete(length)) = status else {
        return None;
    };
    let is_bounded = length <= bounds.header_bytes && parsed.headers.len() <= bounds.header_count;
    let path = parsed.path.filter(|path| path.starts_with('/'))?;
    if !is_bounded || parsed.version != Some(1) || !bytes[..length].ends_with(b"\r\n\r\n") {
        return None;
    }
    // Of its own: it stays for longer than what was received with it.
    let text = Bytes::copy_from_slice(&bytes[..length]);
    let place = |part: &[u8]| {
        let start = part.as_ptr().addr() - bytes.as_ptr().addr();
        start..start + part.len()
    };
    let (mut head, ()) = Request::new(()).into_parts();
    head.method = method(parsed.method?)?;
    head.uri = Uri::from_maybe_shared(text.slice(place(path.as_bytes()))).ok()?;
    head.headers.reserve(parsed.headers.len());
    let mut said = Said::default();
    for heard in parsed.headers.iter() {
        let line_at = place(heard.name.as_bytes()).start;
        // The parser also accepts lines that end in a bare line feed.
        if bytes.get(line_at.checked_sub(2)?) != Some(&b'\r') {
            return None;
        }
        let name = HeaderName::from_bytes(heard.name.as_bytes()).ok()?;
        let place = place(heard.value);
        if said.heed(&name, heard.value, &place)? {
            continue;
        }
        let value = HeaderValue::from_maybe_shared(text.slice(place)).ok()?;
        head.headers.append(name, value);
    }
    if !said.has_host {
        return None;
    }
    let body_length = said.body_length;
    let remembered = Remembered {
        text,
        length_at: said.length_at,
        head: Arc::new(Head::new(head)),
        is_last: said.is_last,
    };
    Some((remembered, (length, body_length)))
}

/// A method whose answers have bodies like any other.
fn method(name: &str) -> Option<Method> {
    let method = Method::from_bytes(name.as_bytes()).ok()?;
    (method != Method::HEAD && method != Method::CONNECT).then_some(method)
}

/// What a head says about its connection.
#[derive(Default)]
struct Said {
    body_length: usize,
    /// Where that is said.
    length_at: Option<Range<usize>>,
    is_last: bool,
    has_host: bool,
}

impl Said {
    /// Heeds a header; none where it is not ordinary. Whether it is the length of the body, which others with the same
    /// head have another of.
    fn heed(&mut self, name: &HeaderName, value: &[u8], place: &Range<usize>) -> Option<bool> {
        match *name {
            header::CONTENT_LENGTH => {
                if self.length_at.is_some() {
                    return None;
                }
                self.body_length = length(value)?;
                self.length_at = Some(place.clone());
                return Some(true);
            }
            header::HOST => {
                if self.has_host || !is_valid_host(value) {
                    return None;
                }
                self.has_host = true;
            }
            header::CONNECTION if value.eq_ignore_ascii_case(b"close") => self.is_last = true,
            header::CONNECTION if value.eq_ignore_ascii_case(b"keep-alive") => {}
            header::CONNECTION
            | header::EXPECT
            | header::TRAILER
            | header::TRANSFER_ENCODING
            | header::UPGRADE => return None,
            _ => {}
        }
        Some(false)
    }
}

/// A length in digits, and in nothing else.
pub(super) fn length(value: &[u8]) -> Option<usize> {
    let more = |length: usize, digit: &u8| {
        let digit = digit.is_ascii_digit().then(|| usize::from(digit - b'0'))?;
        length.checked_mul(10)?.checked_add(digit)
    };
    let length = value.iter().try_fold(0, more);
    length.filter(|_| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        header_count: 8,
        header_bytes: 1000,
    };

    /// What is heard, and what is left.
    fn heard(text: &str) -> (Heard, String) {
        let mut received = BytesMut::with_capacity(4096);
        received.extend_from_slice(text.as_bytes());
        let heard = read(&mut received, &mut None, BOUNDS);
        (heard, String::from_utf8_lossy(&received).into_owned())
    }

    #[test]
    fn a_whole_request_is_taken_and_the_next_one_stays() {
        let next = "GET /v1/models HTTP/1.1\r\nhost: h\r\n\r\n";
        let text = format!(
            "POST /v1/x?a=b HTTP/1.1\r\nhost: h\r\nx-a: 1\r\nX-A: 2\r\nContent-Length: 4\r\n\r\nbody{next}"
        );
        let (Heard::Whole(request), rest) = heard(&text) else {
            panic!("it is whole");
        };
        let head = &request.head.parts;
        assert_eq!((&head.method, request.is_last), (&Method::POST, false));
        assert_eq!(head.uri, "/v1/x?a=b");
        assert_eq!(head.headers["host"], "h");
        assert_eq!(head.headers.get_all("x-a").iter().count(), 2);
        assert_eq!((request.body.as_ref(), &*rest), (&b"body"[..], next));
        let (Heard::Whole(request), rest) = heard(&rest) else {
            panic!("it is whole");
        };
        assert_eq!((request.body.len(), &*rest), (0, ""));
    }

    #[test]
    fn a_body_may_follow_its_head() {
        let text = "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 4\r\n\r\nbody";
        for cut in text.len() - 4..text.len() {
            let (heard, rest) = heard(&text[..cut]);
            assert!(matches!(heard, Heard::Beginning), "{cut}");
            assert_eq!(rest, text[..cut]);
        }
    }

    #[test]
    fn a_client_may_want_no_further_answer() {
        for (text, expected) in [("close", true), ("Close", true), ("keep-alive", false)] {
            let text = format!("GET /x HTTP/1.1\r\nhost: h\r\nconnection: {text}\r\n\r\n");
            let (Heard::Whole(Ordinary { is_last, .. }), _) = heard(&text) else {
                panic!("it is whole");
            };
            assert_eq!(is_last, expected);
        }
    }

    #[test]
    fn what_is_unusual_is_left_as_it_came() {
        let long = format!("GET /{} HTTP/1.1\r\nhost: h\r\n\r\n", "x".repeat(1000));
        let many = format!("GET /x HTTP/1.1\r\nhost: h\r\n{}\r\n", "x: y\r\n".repeat(9));
        let too_long = format!("POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: {LONGEST}\r\n\r\n");
        for text in [
            "GET /x HTT",
            "GET /x HTTP/1.1\r\nhost: h\r\n",
            "GET /x HTTP/1.0\r\n\r\n",
            "HEAD /x HTTP/1.1\r\nhost: h\r\n\r\n",
            "CONNECT x:1 HTTP/1.1\r\nhost: h\r\n\r\n",
            "GET http://x/y HTTP/1.1\r\nhost: h\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n",
            "nonsense\r\n\r\n",
            "GET /x HTTP/1.1\r\nhost: h\r\nno header\r\n\r\n",
            "GET /x HTTP/1.1\r\nx: y\r\n\r\n",
            "GET /x HTTP/1.1\r\nhost: h\r\nhost: h\r\n\r\n",
            "GET /x HTTP/1.1\r\nhost: h/x\r\n\r\n",
            "GET /x HTTP/1.1\nhost: h\r\n\r\n",
            "GET /x HTTP/1.1\r\nhost: h\nx: y\r\n\r\n",
            "GET /x HTTP/1.1\r\nhost: h\r\n\n",
            "GET /x HTTP/1.1\r\nhost: h\n\r\n",
            "GET /x HTTP/1.1\r\nhost: h\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
            "GET /x HTTP/1.1\r\nhost: h\r\nconnection: keep-alive, close\r\n\r\n",
            "POST /x HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\n",
            "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx",
            "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: +1\r\n\r\nx",
            "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 1, 1\r\n\r\nx",
            "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length:\r\n\r\n",
            "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 99999999999999999999\r\n\r\n",
            &long,
            &many,
            &too_long,
        ] {
            let (heard, rest) = heard(text);
            assert!(matches!(heard, Heard::Unusual), "{text}");
            assert_eq!(rest, text);
        }
    }
}
