//! The head of an answer, written.

use std::cell::Cell;

use bytes::{BufMut as _, BytesMut};
use http::response::Parts;
use http::{HeaderMap, HeaderName, StatusCode, header};
use hyper::body::Body;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use providers::transport::http1_text::{has_word, header_line, length_line};

use crate::clock::{Clock as _, SystemClock};
use crate::middleware::Told;

/// Room for a usual head.
const HEAD_ROOM: usize = 768;
/// The length of a date, which is always the same.
const DATE_LENGTH: usize = b"Thu, 01 Jan 1970 00:00:00 GMT".len();

thread_local! {
    /// The second that was written last, and how.
    static DATE: Cell<(i64, [u8; DATE_LENGTH])> = const { Cell::new((i64::MIN, [b' '; DATE_LENGTH])) };
}

/// How the client knows where a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// There is none.
    Nothing,
    /// After so many bytes.
    Length(u64),
    /// After an empty chunk.
    Chunks,
}

impl Framing {
    /// The framing of an answer.
    pub(super) fn of(status: StatusCode, headers: &HeaderMap, body: &impl Body) -> Self {
        if matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            return Self::Nothing;
        }
        let said = headers.get(header::CONTENT_LENGTH);
        let said = said.and_then(|said| said.to_str().ok()?.parse().ok());
        let known = said.or_else(|| body.size_hint().exact());
        known.map_or(Self::Chunks, Self::Length)
    }
}

/// Whether an answer says itself that it is the last one.
pub(super) fn says_close(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(header::CONNECTION).iter();
    said.any(|said| has_word(said.as_bytes(), "close"))
}

/// The head of an answer.
pub(super) fn head(parts: &Parts, told: &Told, framing: Framing, is_last: bool) -> BytesMut {
    let (status, headers) = (parts.status, &parts.headers);
    let mut head = BytesMut::with_capacity(HEAD_ROOM);
    if status == StatusCode::OK {
        head.put_slice(b"HTTP/1.1 200 OK\r\n");
    } else {
        head.put_slice(b"HTTP/1.1 ");
        head.put_slice(status.as_str().as_bytes());
        head.put_slice(b" ");
        head.put_slice(status.canonical_reason().unwrap_or_default().as_bytes());
        head.put_slice(b"\r\n");
    }
    for (name, value) in headers {
        if !is_ours(name) {
            header_line(&mut head, name.as_str(), value.as_bytes());
        }
    }
    told.each(|name, value| header_line(&mut head, name.as_str(), value));
    match framing {
        Framing::Nothing => {}
        Framing::Length(length) => length_line(&mut head, length),
        Framing::Chunks => header_line(&mut head, "transfer-encoding", b"chunked"),
    }
    if is_last {
        header_line(&mut head, "connection", b"close");
    }
    header_line(&mut head, "date", &date());
    head.put_slice(b"\r\n");
    head
}

/// Whether a header is about the connection or the message, which are written here.
fn is_ours(name: &HeaderName) -> bool {
    matches!(
        *name,
        header::CONNECTION | header::CONTENT_LENGTH | header::DATE | header::TRANSFER_ENCODING
    )
}

/// Now, as heads say it. Put into words once a second.
fn date() -> [u8; DATE_LENGTH] {
    let second = SystemClock.now_ms() / 1000;
    let (written, date) = DATE.get();
    if written == second {
        return date;
    }
    let date = in_words(second);
    DATE.set((second, date));
    date
}

fn in_words(second: i64) -> [u8; DATE_LENGTH] {
    let time = Timestamp::from_second(second).unwrap_or_default();
    let text = DateTimePrinter::new().timestamp_to_rfc9110_string(&time);
    // Of this length for every year of four digits.
    let text = text.ok().and_then(|text| text.as_bytes().try_into().ok());
    text.unwrap_or([b' '; DATE_LENGTH])
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http::{HeaderValue, Response};

    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(HeaderName, &'static str)| {
            (name.clone(), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn a_head_says_where_its_body_ends() {
        let stream =
            || Body::from_stream(futures_util::stream::pending::<Result<String, String>>());
        let said = headers(&[(header::CONTENT_LENGTH, "7")]);
        let (none, ok) = (HeaderMap::new(), StatusCode::OK);
        for (status, headers, body, framing) in [
            (ok, &none, Body::from("four"), Framing::Length(4)),
            (ok, &none, Body::empty(), Framing::Length(0)),
            (ok, &none, stream(), Framing::Chunks),
            (ok, &said, stream(), Framing::Length(7)),
            (
                StatusCode::NO_CONTENT,
                &none,
                Body::empty(),
                Framing::Nothing,
            ),
            (
                StatusCode::NOT_MODIFIED,
                &said,
                Body::empty(),
                Framing::Nothing,
            ),
        ] {
            assert_eq!(Framing::of(status, headers, &body), framing);
        }
    }

    #[test]
    fn a_head_is_written_with_what_is_ours() {
        let said = headers(&[
            (header::CONTENT_TYPE, "a/b"),
            (header::CONTENT_LENGTH, "9"),
            (header::CONNECTION, "close"),
            (header::TRANSFER_ENCODING, "gzip"),
        ]);
        let text = |status, framing, is_last| {
            let (mut parts, ()) = Response::new(()).into_parts();
            (parts.status, parts.headers) = (status, said.clone());
            let told = Told {
                request_id: Some("r".into()),
                ..Told::default()
            };
            let head = head(&parts, &told, framing, is_last);
            let text = String::from_utf8(head.to_vec()).unwrap();
            let (before, after) = text.split_once("date: ").unwrap();
            assert!(after.ends_with(" GMT\r\n\r\n"), "{after}");
            assert_eq!(after.len(), DATE_LENGTH + 4);
            before.to_owned()
        };
        assert_eq!(
            text(StatusCode::OK, Framing::Length(9), false),
            "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\nx-content-type-options: nosniff\r\nx-request-id: r\r\ncontent-length: 9\r\n"
        );
        assert_eq!(
            text(StatusCode::NOT_FOUND, Framing::Chunks, true),
            "HTTP/1.1 404 Not Found\r\ncontent-type: a/b\r\nx-content-type-options: nosniff\r\nx-request-id: r\r\ntransfer-encoding: chunked\r\n\
             connection: close\r\n"
        );
    }

    #[test]
    fn an_answer_may_say_that_it_is_the_last() {
        let connection = |said| headers(&[(header::CONNECTION, said)]);
        assert!(says_close(&connection("close")));
        assert!(says_close(&connection("keep-alive, Close")));
        assert!(!says_close(&connection("keep-alive")));
        assert!(!says_close(&HeaderMap::new()));
        let mut twice = connection("keep-alive");
        twice.append(header::CONNECTION, HeaderValue::from_static("close"));
        assert!(says_close(&twice));
    }

    #[test]
    fn dates_are_in_the_words_of_the_protocol() {
        assert_eq!(&in_words(784_111_777), b"Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
