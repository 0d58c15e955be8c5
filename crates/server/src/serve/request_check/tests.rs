//! Requests as the HTTP library would receive them.

use futures_util::{FutureExt as _, Stream, stream};
use tokio::io::AsyncReadExt as _;
use tokio_util::io::StreamReader;

use super::*;
use crate::refusal::Refusal;
use crate::serve::http1::Bounds;

const BOUNDS: Bounds = Bounds {
    header_count: 16,
    header_bytes: 4096,
};
const REJECTED: &str = "HTTP/1.1\r\nhost: rejected\r\nconnection: close\r\n\r\n";

/// A connection on which these bytes are received one after the other.
fn received<'a>(
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> impl Stream<Item = std::io::Result<&'a [u8]>> {
    stream::iter(chunks.into_iter().map(Ok).collect::<Vec<_>>())
}

/// Reads a connection to its end, received in chunks of this size. Returns what the library receives, and the refusals.
fn read(text: &str, chunk: usize) -> (String, Vec<Option<Refusal>>, bool) {
    let verdicts = Verdicts::default();
    let received = received(text.as_bytes().chunks(chunk));
    let mut stream = CheckedStream::new(StreamReader::new(received), BOUNDS, verdicts.clone());
    let mut received = Vec::new();
    let mut buffer = [0; 64];
    let is_ok = loop {
        let read = stream.read(&mut buffer);
        // A rejected connection stays open until the response is sent.
        let Some(outcome) = read.now_or_never() else {
            break true;
        };
        match outcome {
            Ok(0) => break true,
            Ok(count) => received.extend_from_slice(&buffer[..count]),
            Err(_) => break false,
        }
    };
    let received = String::from_utf8(received).expect("text");
    let heads = received.matches("HTTP/1.").count();
    let refusals = (0..heads).map(|_| verdicts.next()).collect();
    (received, refusals, is_ok)
}

#[tokio::test]
async fn valid_requests_pass_unchanged_in_chunks_of_any_size() {
    let text = "\r\nPOST /a HTTP/1.1\r\nHost: h:1\r\ncontent-length: 5\r\n\r\nGET\n\n\
        POST /b HTTP/1.1\r\nhost: [::1]\r\nTransfer-Encoding: Chunked\r\n\r\n\
        3;x=y\r\na\nb\r\n1 \r\nc\r\n0\r\nx: y\r\n\r\nGET /c HTTP/1.0\r\n\r\n";
    for chunk in [1, 2, 3, 7, 100, 1000] {
        let (received, refusals, is_ok) = read(text, chunk);
        assert_eq!(received, text.trim_start(), "{chunk}");
        assert_eq!((refusals, is_ok), (vec![None; 3], true));
    }
}

/// Heads that are rejected, and why.
const INVALID_HEADS: [(&str, Refusal); 26] = [
    ("GET /x HTTP/1.1\r\n\r\n", Refusal::InvalidHost),
    (
        "GET /x HTTP/1.1\r\nhost: a\r\nHost: a\r\n\r\n",
        Refusal::InvalidHost,
    ),
    ("GET /x HTTP/1.1\r\nhost:\r\n\r\n", Refusal::InvalidHost),
    ("GET /x HTTP/1.1\r\nhost: a b\r\n\r\n", Refusal::InvalidHost),
    ("GET /x HTTP/1.1\r\nhost: u@a\r\n\r\n", Refusal::InvalidHost),
    (
        "GET /x HTTP/1.1\r\nhost: a:99999\r\n\r\n",
        Refusal::InvalidHost,
    ),
    ("GET /x HTTP/1.0\r\nhost: a/b\r\n\r\n", Refusal::InvalidHost),
    ("GET http://h/x HTTP/1.1\r\n\r\n", Refusal::InvalidHost),
    (
        "GET /x HTTP/1.1\r\nhost : h\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "GET /x HTTP/1.1\r\nhost: h\r\na: b\r\n c\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "GET /x HTTP/1.1\r\nhost: h\r\na b: c\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "GET /x HTTP/1.1\r\nhost: h\r\na: \x01\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "GET /x HTTP/1.1\r\nhost: h\r\na: b\rc\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 1, 1\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: +1\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.0\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked, chunked\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked, gzip\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding:\r\n\r\n",
        Refusal::MalformedRequest,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
        Refusal::UnknownTransferCoding,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: identity\r\n\r\n",
        Refusal::UnknownTransferCoding,
    ),
    (
        "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
        Refusal::UnknownTransferCoding,
    ),
    (
        "CONNECT h:443 HTTP/1.1\r\nhost: h\r\n\r\n",
        Refusal::MethodNotAllowed,
    ),
];

#[tokio::test]
async fn invalid_heads_are_rejected_after_valid_ones() {
    let before = "POST /a HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\nab";
    for (text, refusal) in INVALID_HEADS {
        for chunk in [1, 1000] {
            let hidden = format!("{before}{text}GET /hidden HTTP/1.1\r\nhost: h\r\n\r\n");
            let (received, refusals, _) = read(&hidden, chunk);
            let rest = received.strip_prefix(before).expect("the valid request");
            assert!(
                rest.ends_with(REJECTED) && !rest.contains("hidden"),
                "{text}: {rest}"
            );
            assert_eq!(refusals, [None, Some(refusal)], "{text}");
        }
    }
}

#[tokio::test]
async fn bare_line_feeds_are_rejected() {
    for text in [
        "GET /x HTTP/1.1\nhost: h\r\n\r\n",
        "GET /x HTTP/1.1\r\nhost: h\n\r\n",
        "GET /x HTTP/1.1\r\nhost: h\r\n\n",
        "\nGET /x HTTP/1.1\r\nhost: h\r\n\r\n",
    ] {
        let (received, refusals, _) = read(text, 1000);
        assert!(received.ends_with(REJECTED), "{text}");
        assert_eq!(refusals, [Some(Refusal::MalformedRequest)]);
    }
}

#[tokio::test]
async fn invalid_chunks_end_the_connection_before_another_request() {
    for body in [
        "x\r\n",
        "\r\n",
        "1\na\r\n0\r\n\r\n",
        "1;\n\r\na\r\n0\r\n\r\n",
        "1\r\nab\r\n0\r\n\r\n",
        "1\r\na\n0\r\n\r\n",
        "ffffffffffffffffff\r\n",
        "0\r\na: b\n\r\n\r\n",
        "0\r\n\n",
        " 1\r\na\r\n0\r\n\r\n",
    ] {
        let head = "POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n";
        for chunk in [1, 1000] {
            let text = format!("{head}{body}GET /hidden HTTP/1.1\r\nhost: h\r\n\r\n");
            let (received, _, is_ok) = read(&text, chunk);
            assert!(
                !is_ok && !received.contains("hidden"),
                "{body:?}: {received}"
            );
        }
    }
}

#[tokio::test]
async fn an_upgraded_connection_is_not_checked() {
    let head = "GET /x HTTP/1.1\r\nhost: h\r\nupgrade: websocket\r\n\r\n";
    let frames = b"\x01\n\n\x02";
    let chunks = received([head.as_bytes(), frames]);
    let verdicts = Verdicts::default();
    let mut stream = CheckedStream::new(StreamReader::new(chunks), BOUNDS, verdicts.clone());
    let mut first = vec![0; head.len()];
    stream.read_exact(&mut first).await.expect("the head");
    verdicts.upgrade();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.expect("all of it");
    assert_eq!(rest, frames);
}
