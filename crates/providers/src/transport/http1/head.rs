//! The head of a request, written; the head of an answer, read.

use std::mem::MaybeUninit;

use bytes::{Buf as _, BytesMut};
use http::header::{self, HeaderName};
use http::{Method, StatusCode};
use httparse::{ParserConfig, Status};

use super::framing::{Coding, SaidLength};
use crate::transport::error::TransportError;
use crate::transport::http1_text::{has_word, header_line, length_line};
use crate::transport::message::Message;
use crate::{Headers, Origin};

/// The longest head of an answer.
const LONGEST: usize = 64 * 1024;
/// What every answer begins with.
const BEGINNING: &[u8] = b"HTTP/1.";
/// What a head ends with: the end of a line, and one of an empty line.
const LONGEST_END: usize = b"\n\r\n".len();
/// The most headers of an answer.
const MOST_HEADERS: usize = 256;

/// The head of an answer.
#[derive(Debug)]
pub(crate) struct Head {
    /// The status.
    pub(crate) status: StatusCode,
    /// The headers.
    pub(crate) headers: Headers,
}

/// A head as it came, with what its connection must know of it.
pub(super) struct Answer {
    pub(super) head: Head,
    is_version_1_1: bool,
    /// What it says of the body's length.
    pub(super) length: SaidLength,
    /// The body's coding, which says where it ends.
    pub(super) coding: Option<Coding>,
    says_close: bool,
    says_keep_alive: bool,
}

impl Answer {
    fn new(status: StatusCode, is_version_1_1: bool) -> Self {
        Self {
            head: Head {
                status,
                headers: Headers::default(),
            },
            is_version_1_1,
            length: SaidLength::Nothing,
            coding: None,
            says_close: false,
            says_keep_alive: false,
        }
    }

    /// Takes a header in. Every call would pay for keeping those of a success that nobody asks for.
    fn hear(&mut self, header: &httparse::Header<'_>) -> Result<(), TransportError> {
        let known = well_known(header.name);
        match known {
            Some(header::CONTENT_LENGTH) => self.length.hear(header.value),
            Some(header::TRANSFER_ENCODING) => self.coding = Some(Coding::of(header.value)),
            Some(header::CONNECTION) => {
                self.says_close |= has_word(header.value, "close");
                self.says_keep_alive |= has_word(header.value, "keep-alive");
            }
            _ => {}
        }
        if self.head.status.is_success() && known != Some(header::CONTENT_TYPE) {
            return Ok(());
        }
        let name = known.map_or_else(|| HeaderName::from_bytes(header.name.as_bytes()), Ok);
        let name = name.map_err(|_| TransportError::Malformed)?;
        let heard = self.head.headers.hear(name, header.value);
        heard.map_err(|_| TransportError::Malformed)
    }

    /// Whether another head follows: this one only says that the request is being worked on.
    pub(super) fn is_interim(&self) -> bool {
        self.head.status.is_informational() && self.head.status != StatusCode::SWITCHING_PROTOCOLS
    }

    /// Whether the peer lets the connection stay. One that says in two ways where its answer ends cannot be
    /// trusted with another.
    pub(super) fn keeps_connection(&self) -> bool {
        if self.coding.is_some() && self.length != SaidLength::Nothing {
            return false;
        }
        if self.is_version_1_1 {
            !self.says_close
        } else {
            self.says_keep_alive
        }
    }
}

/// The name of a header that is looked for in every answer.
fn well_known(name: &str) -> Option<HeaderName> {
    let (known, capitalised) = match name.len() {
        10 => (header::CONNECTION, "Connection"),
        12 => (header::CONTENT_TYPE, "Content-Type"),
        14 => (header::CONTENT_LENGTH, "Content-Length"),
        17 => (header::TRANSFER_ENCODING, "Transfer-Encoding"),
        _ => return None,
    };
    // Nearly all peers write them in one of two ways, and letter by letter takes longer.
    let is_it =
        name == capitalised || name == known.as_str() || name.eq_ignore_ascii_case(capitalised);
    is_it.then_some(known)
}

/// A request's head, in this room.
pub(super) fn write(mut head: BytesMut, message: &Message, origin: &Origin) -> BytesMut {
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
    head.reserve(lengths.sum::<usize>() + path.len() + origin.host.len() + 128);
    head.extend_from_slice(method.as_str().as_bytes());
    head.extend_from_slice(b" ");
    head.extend_from_slice(path.as_bytes());
    head.extend_from_slice(b" HTTP/1.1\r\nhost: ");
    origin.spell_authority(|piece| head.extend_from_slice(piece.as_bytes()));
    head.extend_from_slice(b"\r\n");
    for (name, value) in &**headers {
        header_line(&mut head, name.as_str(), value.as_bytes());
    }
    let takes_no_body = matches!(*method, Method::GET | Method::HEAD | Method::DELETE);
    match content.length() {
        Some(0) if takes_no_body => {}
        Some(length) => length_line(&mut head, length),
        None => header_line(&mut head, "transfer-encoding", b"chunked"),
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// An answer's head, once it is there as a whole. `seen` is how much of one was there before.
pub(super) fn read(
    received: &mut BytesMut,
    seen: &mut usize,
) -> Result<Option<Answer>, TransportError> {
    if received.is_empty() {
        return Ok(None);
    }
    let beginning = &received[..received.len().min(BEGINNING.len())];
    if !BEGINNING.starts_with(beginning) {
        return Err(TransportError::Malformed);
    }
    // What comes in many small pieces is not parsed again with each of them.
    let new = seen.saturating_sub(LONGEST_END);
    if *seen > 0 && end_of_head(&received[new..]).is_none() {
        return unfinished(received, seen);
    }
    match parse(received) {
        Ok((length, _)) if length > LONGEST => Err(TransportError::TooLarge),
        Ok((length, answer)) => {
            received.advance(length);
            *seen = 0;
            Ok(Some(answer))
        }
        Err(error) => match end_of_head(received) {
            None => unfinished(received, seen),
            Some(length) if length > LONGEST => Err(TransportError::TooLarge),
            Some(_) => Err(error),
        },
    }
}

fn unfinished(received: &BytesMut, seen: &mut usize) -> Result<Option<Answer>, TransportError> {
    *seen = received.len();
    if *seen > LONGEST {
        return Err(TransportError::TooLarge);
    }
    Ok(None)
}

/// Up to and with the first empty line.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).find_map(|at| match &bytes[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// The head that these bytes begin with, and its length.
fn parse(bytes: &[u8]) -> Result<(usize, Answer), TransportError> {
    let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut []);
    let parsed = ParserConfig::default().parse_response_with_uninit_headers(
        &mut response,
        bytes,
        &mut headers,
    );
    let length = match parsed {
        Ok(Status::Complete(length)) => length,
        Err(httparse::Error::TooManyHeaders) => return Err(TransportError::TooLarge),
        Ok(Status::Partial) | Err(_) => return Err(TransportError::Malformed),
    };
    let status = StatusCode::from_u16(response.code.unwrap_or(0));
    let status = status.map_err(|_| TransportError::Malformed)?;
    let mut answer = Answer::new(status, response.version == Some(1));
    for header in response.headers.iter() {
        answer.hear(header)?;
    }
    Ok((length, answer))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read_all(text: &str) -> Result<Option<(Answer, String)>, TransportError> {
        let mut received = BytesMut::from(text);
        let answer = read(&mut received, &mut 0)?;
        let rest = String::from_utf8_lossy(&received).into_owned();
        Ok(answer.map(|answer| (answer, rest)))
    }

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let text = "HTTP/1.1 429 Slow\r\nContent-Type: a/b\r\nx-two: 1\r\nx-two: 2\r\n\r\nbody";
        let end = text.find("body").unwrap();
        for cut in 0..end {
            assert!(read_all(&text[..cut]).unwrap().is_none(), "{cut}");
        }
        let (answer, rest) = read_all(text).unwrap().unwrap();
        assert_eq!((answer.head.status.as_u16(), rest.as_str()), (429, "body"));
        assert_eq!(answer.head.headers["content-type"], "a/b");
        assert_eq!(answer.head.headers.get_all("x-two").iter().count(), 2);
        assert!(answer.keeps_connection() && !answer.is_interim());
    }

    #[test]
    fn a_head_may_come_in_pieces_of_any_size() {
        for end in ["\r\n", "\n"] {
            let text = ["HTTP/1.1 200", "x-a: b", "content-type: a/b", "", ""].join(end);
            for size in 1..=text.len() {
                let (mut received, mut seen) = (BytesMut::new(), 0);
                let mut answers = text.as_bytes().chunks(size).filter_map(|piece| {
                    received.extend_from_slice(piece);
                    read(&mut received, &mut seen).unwrap()
                });
                let answer = answers.next().unwrap();
                assert_eq!(answer.head.headers["content-type"], "a/b", "{size}");
                assert!(answers.next().is_none());
                assert_eq!((received.len(), seen), (0, 0), "{size}");
            }
        }
    }

    #[test]
    fn what_is_no_header_is_noticed_once_the_head_is_whole() {
        let text = "HTTP/1.1 200 OK\r\nno header\r\nx-a: b\r\n\r\n";
        for cut in 0..text.len() {
            assert!(read_all(&text[..cut]).unwrap().is_none(), "{cut}");
        }
        assert_eq!(read_all(text).err(), Some(TransportError::Malformed));
    }

    #[test]
    fn a_success_keeps_what_is_asked_for() {
        let text = "HTTP/1.1 200 OK\r\nCONTENT-type: application/json\r\nx-request-id: 1\r\n\
                    Content-Length: 5\r\nconnection: keep-alive\r\n\r\n";
        let (answer, _) = read_all(text).unwrap().unwrap();
        let kept: Vec<_> = answer.head.headers.iter().collect();
        let json = HeaderValue::from_static("application/json");
        assert_eq!(kept, [(&header::CONTENT_TYPE, &json)]);
        assert_eq!(answer.length, SaidLength::Bytes(5));
        assert_eq!(answer.coding, None);
    }

    #[test]
    fn the_last_coding_counts() {
        for (text, coding) in [
            ("chunked", Coding::Chunks),
            ("gzip, Chunked ", Coding::Chunks),
            ("gzip\r\nTransfer-Encoding: chunked", Coding::Chunks),
            ("chunked\r\ntransfer-encoding: gzip", Coding::Other),
            ("chunked, gzip", Coding::Other),
            ("\u{e9}, chunked", Coding::Other),
        ] {
            let text = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: {text}\r\n\r\n");
            let (answer, _) = read_all(&text).unwrap().unwrap();
            assert_eq!(answer.coding, Some(coding), "{text}");
            assert!(answer.keeps_connection());
        }
        let both = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n";
        let (answer, _) = read_all(both).unwrap().unwrap();
        assert!(!answer.keeps_connection());
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
