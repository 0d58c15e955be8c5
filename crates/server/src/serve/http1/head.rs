//! An ordinary request, read.

use std::mem::MaybeUninit;

use bytes::{Bytes, BytesMut};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, Request, Uri};
use httparse::{ParserConfig, Status};

/// The longest ordinary request, with its body.
pub(super) const LONGEST: usize = 16 * 1024;
/// The most headers of one.
const MOST_HEADERS: usize = 64;

/// The bounds of a head, as they are configured.
#[derive(Clone, Copy, Debug)]
pub(in crate::serve) struct Bounds {
    pub header_count: usize,
    pub header_bytes: usize,
}

/// What has come.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly always it is the large one, which a box would make dearer"
)]
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
    pub request: Request<Bytes>,
    /// Whether the client wants no further answer on its connection.
    pub is_last: bool,
}

/// A head.
struct Head {
    length: usize,
    request: Request<()>,
    body_length: usize,
    is_last: bool,
}

/// Takes a request from what was received, where all of it is there; otherwise nothing.
pub(super) fn read(received: &mut BytesMut, bounds: Bounds) -> Heard {
    // Headers and body stay where they are, and share it.
    let mut bytes = received.split().freeze();
    let Some(head) = parse(&bytes, bounds) else {
        put_back(received, bytes);
        return Heard::Unusual;
    };
    let whole = head.length.saturating_add(head.body_length);
    if whole > bytes.len() {
        drop(head);
        put_back(received, bytes);
        return if whole > LONGEST {
            Heard::Unusual
        } else {
            Heard::Beginning
        };
    }
    if whole < bytes.len() {
        put_back(received, bytes.split_off(whole));
    }
    let body = bytes.split_off(head.length);
    Heard::Whole(Ordinary {
        request: head.request.map(|()| body),
        is_last: head.is_last,
    })
}

fn put_back(received: &mut BytesMut, bytes: Bytes) {
    let room = std::mem::replace(received, BytesMut::from(bytes));
    received.unsplit(room);
}

/// The head that these bytes begin with; none where it is not ordinary, or not all of it is there.
fn parse(bytes: &Bytes, bounds: Bounds) -> Option<Head> {
    let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut []);
    let status =
        ParserConfig::default().parse_request_with_uninit_headers(&mut parsed, bytes, &mut headers);
    let Ok(Status::Complete(length)) = status else {
        return None;
    };
    let is_bounded = length <= bounds.header_bytes && parsed.headers.len() <= bounds.header_count;
    let path = parsed.path.filter(|path| path.starts_with('/'))?;
    if !is_bounded || parsed.version != Some(1) {
        return None;
    }
    let mut head = Head {
        length,
        request: Request::new(()),
        body_length: 0,
        is_last: false,
    };
    *head.request.method_mut() = method(parsed.method?)?;
    *head.request.uri_mut() = Uri::from_maybe_shared(bytes.slice_ref(path.as_bytes())).ok()?;
    let mut map = HeaderMap::with_capacity(parsed.headers.len());
    for heard in parsed.headers.iter() {
        let name = HeaderName::from_bytes(heard.name.as_bytes()).ok()?;
        head.heed(&name, heard.value, &map)?;
        let value = HeaderValue::from_maybe_shared(bytes.slice_ref(heard.value)).ok()?;
        map.append(name, value);
    }
    *head.request.headers_mut() = map;
    Some(head)
}

/// A method whose answers have bodies like any other.
fn method(name: &str) -> Option<Method> {
    let method = Method::from_bytes(name.as_bytes()).ok()?;
    (method != Method::HEAD && method != Method::CONNECT).then_some(method)
}

impl Head {
    /// Heeds what a header says about the connection; none where that is not ordinary.
    fn heed(&mut self, name: &HeaderName, value: &[u8], before: &HeaderMap) -> Option<()> {
        match *name {
            header::CONTENT_LENGTH => {
                if before.contains_key(name) {
                    return None;
                }
                self.body_length = length(value)?;
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
        Some(())
    }
}

/// A length in digits, and in nothing else.
fn length(value: &[u8]) -> Option<usize> {
    let is_length = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    is_length
        .then(|| std::str::from_utf8(value).ok()?.parse().ok())
        .flatten()
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
        let heard = read(&mut received, BOUNDS);
        (heard, String::from_utf8_lossy(&received).into_owned())
    }

    #[test]
    fn a_whole_request_is_taken_and_the_next_one_stays() {
        let next = "GET /v1/models HTTP/1.1\r\n\r\n";
        let text = format!(
            "POST /v1/x?a=b HTTP/1.1\r\nHost: h\r\nx-a: 1\r\nX-A: 2\r\nContent-Length: 4\r\n\r\nbody{next}"
        );
        let (Heard::Whole(Ordinary { request, is_last }), rest) = heard(&text) else {
            panic!("it is whole");
        };
        assert_eq!((request.method(), is_last), (&Method::POST, false));
        assert_eq!(request.uri(), "/v1/x?a=b");
        assert_eq!(request.headers()["host"], "h");
        assert_eq!(request.headers().get_all("x-a").iter().count(), 2);
        assert_eq!((request.body().as_ref(), &*rest), (&b"body"[..], next));
        let (Heard::Whole(Ordinary { request, .. }), rest) = heard(&rest) else {
            panic!("it is whole");
        };
        assert_eq!((request.body().len(), &*rest), (0, ""));
    }

    #[test]
    fn a_body_may_follow_its_head() {
        let text = "POST /x HTTP/1.1\r\ncontent-length: 4\r\n\r\nbody";
        for cut in text.len() - 4..text.len() {
            let (heard, rest) = heard(&text[..cut]);
            assert!(matches!(heard, Heard::Beginning), "{cut}");
            assert_eq!(rest, text[..cut]);
        }
    }

    #[test]
    fn a_client_may_want_no_further_answer() {
        for (text, expected) in [("close", true), ("Close", true), ("keep-alive", false)] {
            let text = format!("GET /x HTTP/1.1\r\nconnection: {text}\r\n\r\n");
            let (Heard::Whole(Ordinary { is_last, .. }), _) = heard(&text) else {
                panic!("it is whole");
            };
            assert_eq!(is_last, expected);
        }
    }

    #[test]
    fn what_is_unusual_is_left_as_it_came() {
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(1000));
        let many = format!("GET /x HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(9));
        let too_long = format!("POST /x HTTP/1.1\r\ncontent-length: {LONGEST}\r\n\r\n");
        for text in [
            "GET /x HTT",
            "GET /x HTTP/1.1\r\nhost: x",
            "GET /x HTTP/1.0\r\n\r\n",
            "HEAD /x HTTP/1.1\r\n\r\n",
            "CONNECT x:1 HTTP/1.1\r\n\r\n",
            "GET http://x/y HTTP/1.1\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\n\r\n",
            "nonsense\r\n\r\n",
            "GET /x HTTP/1.1\r\nno header\r\n\r\n",
            "GET /x HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
            "GET /x HTTP/1.1\r\nconnection: keep-alive, close\r\n\r\n",
            "POST /x HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\n",
            "POST /x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /x HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /x HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx",
            "POST /x HTTP/1.1\r\ncontent-length: +1\r\n\r\nx",
            "POST /x HTTP/1.1\r\ncontent-length: 1, 1\r\n\r\nx",
            "POST /x HTTP/1.1\r\ncontent-length:\r\n\r\n",
            "POST /x HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n",
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
