//! The head of a request, written; the head of an answer, read.

use std::mem::MaybeUninit;

use bytes::{Bytes, BytesMut};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use httparse::{ParserConfig, Status};

use crate::Origin;
use crate::transport::error::TransportError;
use crate::transport::message::Message;

/// The longest head of an answer.
const LONGEST: usize = 64 * 1024;
/// What every answer begins with.
const BEGINNING: &[u8] = b"HTTP/1.";
/// The most headers of an answer.
const MOST_HEADERS: usize = 256;

/// The head of an answer.
#[derive(Debug)]
pub(crate) struct Head {
    /// The status.
    pub(crate) status: StatusCode,
    /// The headers.
    pub(crate) headers: HeaderMap,
}

/// A head as it came, with what its connection must know of it.
pub(super) struct Answer {
    pub(super) head: Head,
    is_version_1_1: bool,
    /// Whether the body comes in a coding, which says where it ends.
    pub(super) is_coded: bool,
    /// Whether the peer says something of the connection.
    tells_of_connection: bool,
}

impl Answer {
    /// Whether another head follows: this one only says that the request is being worked on.
    pub(super) fn is_interim(&self) -> bool {
        self.head.status.is_informational() && self.head.status != StatusCode::SWITCHING_PROTOCOLS
    }

    /// Whether the peer lets the connection stay. One that says in two ways where its answer ends cannot be
    /// trusted with another.
    pub(super) fn keeps_connection(&self) -> bool {
        let headers = &self.head.headers;
        if self.is_coded && headers.contains_key(header::CONTENT_LENGTH) {
            return false;
        }
        if !self.tells_of_connection {
            return self.is_version_1_1;
        }
        let is_told = |word: &str| {
            let told = headers.get_all(header::CONNECTION).iter();
            told.filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(','))
                .any(|told| told.trim().eq_ignore_ascii_case(word))
        };
        if self.is_version_1_1 {
            !is_told("close")
        } else {
            is_told("keep-alive")
        }
    }
}

/// A request's head.
pub(super) fn write(message: &Message, origin: &Origin) -> BytesMut {
    let Message {
        method,
        path,
        headers,
        content,
    } = message;
    let lengths = headers.iter().map(|(name, value)| {
        let (name, value): (&str, &[u8]) = (name.as_ref(), value.as_ref());
        name.len() + value.len() + 4
    });
    let path = path.as_str();
    let room = lengths.sum::<usize>() + path.len() + origin.host.len() + 128 + content.head_room();
    let mut head = BytesMut::with_capacity(room);
    head.extend_from_slice(method.as_str().as_bytes());
    head.extend_from_slice(b" ");
    head.extend_from_slice(path.as_bytes());
    head.extend_from_slice(b" HTTP/1.1\r\nhost: ");
    origin.spell_authority(|piece| head.extend_from_slice(piece.as_bytes()));
    head.extend_from_slice(b"\r\n");
    for (name, value) in headers {
        add(&mut head, name.as_str(), value.as_bytes());
    }
    let takes_no_body = matches!(*method, Method::GET | Method::HEAD | Method::DELETE);
    match content.length() {
        Some(0) if takes_no_body => {}
        Some(length) => {
            let mut digits = itoa::Buffer::new();
            add(
                &mut head,
                "content-length",
                digits.format(length).as_bytes(),
            );
        }
        None => add(&mut head, "transfer-encoding", b"chunked"),
    }
    head.extend_from_slice(b"\r\n");
    head
}

fn add(head: &mut BytesMut, name: &str, value: &[u8]) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    head.extend_from_slice(value);
    head.extend_from_slice(b"\r\n");
}

/// An answer's head, once it is there as a whole.
pub(super) fn read(received: &mut BytesMut) -> Result<Option<Answer>, TransportError> {
    if received.is_empty() {
        return Ok(None);
    }
    let beginning = &received[..received.len().min(BEGINNING.len())];
    if !BEGINNING.starts_with(beginning) {
        return Err(TransportError::Malformed);
    }
    let Some(length) = length_of_head(received) else {
        let is_too_long = received.len() > LONGEST;
        return if is_too_long {
            Err(TransportError::TooLarge)
        } else {
            Ok(None)
        };
    };
    if length > LONGEST {
        return Err(TransportError::TooLarge);
    }
    let bytes = received.split_to(length).freeze();
    parse(&bytes).map(Some)
}

/// Up to and with the first empty line.
fn length_of_head(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).find_map(|at| match &bytes[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

fn parse(bytes: &Bytes) -> Result<Answer, TransportError> {
    let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut []);
    let parsed = ParserConfig::default().parse_response_with_uninit_headers(
        &mut response,
        bytes,
        &mut headers,
    );
    match parsed {
        Ok(Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => return Err(TransportError::TooLarge),
        Ok(Status::Partial) | Err(_) => return Err(TransportError::Malformed),
    }
    let malformed = TransportError::Malformed;
    let status = StatusCode::from_u16(response.code.unwrap_or(0)).map_err(|_| malformed.clone())?;
    let mut named = HeaderMap::with_capacity(response.headers.len());
    // Noted on the way: looking for what most answers do not have takes longer.
    let (mut is_coded, mut tells_of_connection) = (false, false);
    for header in response.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        // A slice of what was received: nothing is copied.
        let value = HeaderValue::from_maybe_shared(bytes.slice_ref(header.value));
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err(malformed);
        };
        is_coded |= name == header::TRANSFER_ENCODING;
        tells_of_connection |= name == header::CONNECTION;
        named.append(name, value);
    }
    Ok(Answer {
        head: Head {
            status,
            headers: named,
        },
        is_version_1_1: response.version == Some(1),
        is_coded,
        tells_of_connection,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Result<Option<(Answer, String)>, TransportError> {
        let mut received = BytesMut::from(text);
        let answer = read(&mut received)?;
        let rest = String::from_utf8_lossy(&received).into_owned();
        Ok(answer.map(|answer| (answer, rest)))
    }

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nx-two: 1\r\nx-two: 2\r\n\r\nbody";
        let end = text.find("body").unwrap();
        for cut in 0..end {
            assert!(read_all(&text[..cut]).unwrap().is_none(), "{cut}");
        }
        let (answer, rest) = read_all(text).unwrap().unwrap();
        assert_eq!((answer.head.status.as_u16(), rest.as_str()), (200, "body"));
        assert_eq!(answer.head.headers["content-type"], "a/b");
        assert_eq!(answer.head.headers.get_all("x-two").iter().count(), 2);
        assert!(answer.keeps_connection() && !answer.is_interim());
    }

    #[test]
    fn lines_may_end_without_a_carriage_return() {
        let (answer, rest) = read_all("HTTP/1.1 204\nx-a: b\n\nrest").unwrap().unwrap();
        assert_eq!((answer.head.status.as_u16(), rest.as_str()), (204, "rest"));
    }

    #[test]
    fn connections_stay_as_the_peer_says() {
        for (text, stays) in [
            ("HTTP/1.1 200 OK\r\nconnection: Close\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nconnection: x, close\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\n", true),
        ] {
            let (answer, _) = read_all(text).unwrap().unwrap();
            assert_eq!(answer.keeps_connection(), stays, "{text}");
        }
    }

    #[test]
    fn what_is_no_head_or_too_long_is_refused() {
        for text in [
            "SSH-2.0",
            "nonsense\r\n\r\n",
            "HTTP/1.1 2xx\r\n\r\n",
            "HTTP/1.1 200 OK\r\n: b\r\n\r\n",
        ] {
            assert_eq!(
                read_all(text).err(),
                Some(TransportError::Malformed),
                "{text}"
            );
        }
        let endless = format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(LONGEST));
        assert_eq!(read_all(&endless).err(), Some(TransportError::TooLarge));
        let many = format!(
            "HTTP/1.1 200 OK\r\n{}\r\n",
            "x: y\r\n".repeat(MOST_HEADERS + 1)
        );
        assert_eq!(read_all(&many).err(), Some(TransportError::TooLarge));
    }
}
