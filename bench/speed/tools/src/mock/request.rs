//! Reads requests from a connection, one after the other, and keeps of each only what decides the
//! answer.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::switches::Switches;

const HEADERS: usize = 64;

/// The formats that the mock speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `/v1/chat/completions`.
    Chat,
    /// `/v1/messages`.
    Messages,
}

/// One call.
pub(super) struct Call {
    /// In which format; none for a path that the mock does not know.
    pub format: Option<Format>,
    /// Whether the answer is to be a stream.
    pub is_stream: bool,
    /// How to misbehave.
    pub switches: Switches,
    /// Whether the connection ends with the answer.
    pub is_last: bool,
}

/// What is known once the head is complete.
struct Head {
    length: usize,
    body: Body,
    wants_continue: bool,
    is_last: bool,
    path: String,
}

enum Body {
    Length(usize),
    Chunked,
}

/// The bytes of a connection that were read and not yet used.
pub(super) struct Requests {
    buffer: Vec<u8>,
}

impl Requests {
    pub fn new() -> Self {
        Self {
            buffer: Vec::with_capacity(16 * 1024),
        }
    }

    /// The next call; none when the client is done.
    pub async fn next(&mut self, stream: &mut TcpStream) -> io::Result<Option<Call>> {
        let head = loop {
            if let Some(head) = head_of(&self.buffer)? {
                break head;
            }
            if stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        };
        if head.wants_continue && self.buffer.len() == head.length {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let end = loop {
            if let Some(end) = end_of(&self.buffer, &head) {
                break end;
            }
            if stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        };
        let call = call_of(&head, &self.buffer[head.length..end]);
        self.buffer.drain(..end);
        Ok(Some(call))
    }
}

fn head_of(buffer: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let parsed = request.parse(buffer).map_err(io::Error::other)?;
    let httparse::Status::Complete(length) = parsed else {
        return Ok(None);
    };
    let mut head = Head {
        length,
        body: Body::Length(0),
        wants_continue: false,
        is_last: false,
        path: request.path.unwrap_or("/").to_owned(),
    };
    for header in request.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let text = String::from_utf8_lossy(header.value);
            head.body = Body::Length(text.trim().parse().map_err(io::Error::other)?);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            head.body = Body::Chunked;
        } else if header.name.eq_ignore_ascii_case("connection") {
            head.is_last = header.value.eq_ignore_ascii_case(b"close");
        } else if header.name.eq_ignore_ascii_case("expect") {
            head.wants_continue = true;
        }
    }
    Ok(Some(head))
}

/// Where the body ends, once all of it is there.
fn end_of(buffer: &[u8], head: &Head) -> Option<usize> {
    match head.body {
        Body::Length(length) => {
            let end = head.length + length;
            (buffer.len() >= end).then_some(end)
        }
        Body::Chunked => end_of_chunks(buffer, head.length),
    }
}

fn end_of_chunks(buffer: &[u8], start: usize) -> Option<usize> {
    let mut place = start;
    loop {
        let rest = buffer.get(place..)?;
        let line_end = memchr::memchr(b'\n', rest)?;
        let line = String::from_utf8_lossy(&rest[..line_end]);
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).unwrap_or(0);
        if size == 0 {
            // No client of the mock sends trailers.
            let end = place + line_end + 3;
            return (buffer.len() >= end).then_some(end);
        }
        place += line_end + 1 + size + 2;
    }
}

fn call_of(head: &Head, body: &[u8]) -> Call {
    let (switches, path) = Switches::read(&head.path);
    let path = path.split('?').next().unwrap_or(path);
    let format = if path.ends_with("/chat/completions") {
        Some(Format::Chat)
    } else if path.ends_with("/messages") {
        Some(Format::Messages)
    } else {
        None
    };
    Call {
        format,
        is_stream: asks_for_stream(body),
        switches,
        is_last: head.is_last,
    }
}

/// By the bytes, not by parsing: the mock's own cost must stay small beside a gateway's.
fn asks_for_stream(body: &[u8]) -> bool {
    ["\"stream\":true", "\"stream\": true"]
        .iter()
        .any(|words| memchr::memmem::find(body, words.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_end_after_the_empty_one() {
        let body = b"head5\r\nhello\r\n0\r\n\r\nnext";
        assert_eq!(end_of_chunks(body, 4), Some(body.len() - 4));
        assert_eq!(end_of_chunks(&body[..body.len() - 5], 4), None);
        assert_eq!(end_of_chunks(&body[..10], 4), None);
    }

    #[test]
    fn a_head_says_the_format_and_the_length() {
        let text =
            b"POST /errors=10/v1/messages HTTP/1.1\r\ncontent-length: 15\r\n\r\n{\"stream\":true}";
        let head = head_of(text).expect("valid").expect("complete");
        assert_eq!(end_of(text, &head), Some(text.len()));
        let call = call_of(&head, &text[head.length..]);
        assert_eq!(call.format, Some(Format::Messages));
        assert!(call.is_stream && call.switches.errors == 10);
    }
}
