//! HTTP/1.1 heads and chunks, as far as a fake upstream needs them. It trusts its clients, which are
//! our own code or a test: what it cannot read ends that connection with a panic that says why.

use crate::reply::{Framing, Reply};
use crate::request::RecordedRequest;
use bytes::{Buf, Bytes, BytesMut};
use std::fmt::Write;

/// How the body of a request is framed.
pub(crate) enum BodyLength {
    Known(usize),
    Chunked,
}

/// Takes the head off the front of the buffer, once it is complete.
pub(crate) fn take_head(buffer: &mut BytesMut, connection: usize) -> Option<RecordedRequest> {
    let end = find(buffer, b"\r\n\r\n")?;
    let head = buffer.split_to(end + 4);
    let text = std::str::from_utf8(&head[..end]).expect("a request's head is text");
    let mut lines = text.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let method = first.next().unwrap_or_default().to_owned();
    let target = first.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = lines.filter_map(|line| line.split_once(':'));
    Some(RecordedRequest {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
        body: Bytes::new(),
        connection,
    })
}

/// What the head says about its body.
pub(crate) fn body_length(request: &RecordedRequest) -> BodyLength {
    if request
        .header("transfer-encoding")
        .is_some_and(|value| value.contains("chunked"))
    {
        return BodyLength::Chunked;
    }
    let length = request.header("content-length").map_or(Ok(0), str::parse);
    BodyLength::Known(length.expect("content-length is a number"))
}

/// Takes one chunk off the front of the buffer, once it is complete. An empty chunk is the end.
pub(crate) fn take_chunk(buffer: &mut BytesMut) -> Option<Bytes> {
    let line_end = find(buffer, b"\r\n")?;
    let line = std::str::from_utf8(&buffer[..line_end]).expect("a chunk's size is text");
    let digits = line.split(';').next().unwrap_or_default().trim();
    let size = usize::from_str_radix(digits, 16).expect("a chunk's size is hexadecimal");
    if buffer.len() < line_end + 2 + size + 2 {
        return None;
    }
    buffer.advance(line_end + 2);
    let chunk = buffer.split_to(size).freeze();
    buffer.advance(2);
    Some(chunk)
}

/// The head of a reply; empty when the script writes its own bytes.
pub(crate) fn reply_head(reply: &Reply) -> String {
    let mut head = format!("HTTP/1.1 {} \r\n", reply.status);
    match reply.framing {
        Framing::Raw => return String::new(),
        Framing::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
        Framing::Length(length) => line(&mut head, "content-length", &length.to_string()),
    }
    for (name, value) in &reply.headers {
        line(&mut head, name, value);
    }
    head.push_str("\r\n");
    head
}

fn line(head: &mut String, name: &str, value: &str) {
    write!(head, "{name}: {value}\r\n").expect("writing to a string cannot fail");
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}
