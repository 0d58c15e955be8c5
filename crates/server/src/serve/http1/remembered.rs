//! The head of a connection's last request. Clients say the same in each one, but for the length of what they ask: then
//! it is compared and not read again, and what was found out about it still holds.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::head::length;
use crate::middleware::Head;

/// A head as it came, and as it was read.
pub(super) struct Remembered {
    pub text: Bytes,
    /// Where it says how long the body is; none where it does not.
    pub length_at: Option<Range<usize>>,
    pub head: Arc<Head>,
    /// Whether the client wants no further answer on its connection.
    pub is_last: bool,
}

impl Remembered {
    /// How long the head that these bytes begin with is, and how long its body; none where it is another head.
    pub(super) fn fits(&self, received: &[u8]) -> Option<(usize, usize)> {
        let Some(Range { start, end }) = self.length_at else {
            return received
                .starts_with(&self.text)
                .then_some((self.text.len(), 0));
        };
        let (before, behind) = (&self.text[..start], &self.text[end..]);
        let rest = received.strip_prefix(before)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(digits);
        if !rest.starts_with(behind) {
            return None;
        }
        Some((start + digits + behind.len(), length(number)?))
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::super::head::{Bounds, Heard, read};
    use super::*;

    const BOUNDS: Bounds = Bounds {
        header_count: 8,
        header_bytes: 100,
    };

    /// Reads requests one after the other; the heads that they were given, and their bodies.
    fn heard(texts: &[&str]) -> Vec<(Arc<Head>, String)> {
        let mut remembered = None;
        let read = |text: &&str| {
            let mut received = BytesMut::from(*text);
            let Heard::Whole(request) = read(&mut received, &mut remembered, BOUNDS) else {
                panic!("{text} is whole");
            };
            assert!(received.is_empty());
            let body = String::from_utf8_lossy(&request.body).into_owned();
            (request.head, body)
        };
        texts.iter().map(read).collect()
    }

    #[test]
    fn requests_that_say_the_same_share_their_head_whatever_the_length_of_their_bodies() {
        let of = |body: &str| {
            let length = body.len();
            format!(
                "POST /v1/x HTTP/1.1\r\nhost: h\r\nx-a: 1\r\ncontent-length: {length}\r\nx-b: 2\r\n\r\n{body}"
            )
        };
        let long = "z".repeat(12_345);
        let texts = [of("body"), of("other"), of(&long), of("")];
        let heard = heard(&texts.each_ref().map(String::as_str));
        let (first, _) = &heard[0];
        assert!(heard.iter().all(|(head, _)| Arc::ptr_eq(head, first)));
        let bodies: Vec<&str> = heard.iter().map(|(_, body)| &**body).collect();
        assert_eq!(bodies, ["body", "other", &long, ""]);
        let headers = &first.parts.headers;
        assert_eq!(
            (headers["x-a"].as_bytes(), headers["x-b"].as_bytes()),
            (&b"1"[..], &b"2"[..])
        );
        assert!(
            !headers.contains_key("content-length"),
            "it is not the same for all"
        );
    }

    #[test]
    fn another_head_is_read_anew() {
        let texts = [
            "POST /v1/x HTTP/1.1\r\nhost: h\r\nx-a: 1\r\ncontent-length: 1\r\n\r\na",
            "POST /v1/y HTTP/1.1\r\nhost: h\r\nx-a: 1\r\ncontent-length: 1\r\n\r\nb",
            "POST /v1/y HTTP/1.1\r\nhost: h\r\nx-a: 2\r\ncontent-length: 1\r\n\r\nc",
            "POST /v1/y HTTP/1.1\r\nhost: h\r\nx-a: 2\r\ncontent-length: 1\r\nx-b: 1\r\n\r\nd",
            "GET /v1/y HTTP/1.1\r\nhost: h\r\nx-a: 2\r\n\r\n",
            "GET /v1/y HTTP/1.1\r\nhost: h\r\nx-a: 2\r\nx-b: 1\r\n\r\n",
        ];
        let heard = heard(&texts);
        for (at, (head, _)) in heard.iter().enumerate() {
            for (other, _) in &heard[..at] {
                assert!(!Arc::ptr_eq(head, other), "{}", texts[at]);
            }
        }
        assert_eq!(heard[2].0.parts.headers["x-a"], "2");
        assert_eq!((&*heard[3].1, heard[5].0.parts.headers.len()), ("d", 3));
    }

    #[test]
    fn a_long_head_is_not_remembered() {
        let bounds = Bounds {
            header_bytes: 8_000,
            ..BOUNDS
        };
        for (length, is_remembered) in [(1_000, true), (5_000, false)] {
            let text = format!("GET /{} HTTP/1.1\r\nhost: h\r\n\r\n", "x".repeat(length));
            let (mut received, mut remembered) = (BytesMut::from(&*text), None);
            let heard = read(&mut received, &mut remembered, bounds);
            assert!(matches!(heard, Heard::Whole(_)));
            assert_eq!(remembered.is_some(), is_remembered);
        }
    }

    #[test]
    fn a_length_that_is_none_is_not_taken_for_one() {
        let first = "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\n\r\na";
        for length in ["", "+1", "1,1", "1 1", "x", "99999999999999999999"] {
            let mut remembered = None;
            assert!(matches!(
                read(&mut BytesMut::from(first), &mut remembered, BOUNDS),
                Heard::Whole(_)
            ));
            let text = first.replace(": 1", &format!(": {length}"));
            let mut received = BytesMut::from(&*text);
            let heard = read(&mut received, &mut remembered, BOUNDS);
            assert!(matches!(heard, Heard::Unusual), "{length}");
            assert_eq!(received, text);
        }
    }

    #[test]
    fn a_head_that_became_too_long_is_not_ordinary() {
        let of = |digits: usize| {
            let length = "1".repeat(digits);
            format!(
                "POST /{} HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\n",
                "x".repeat(47)
            )
        };
        let mut remembered = None;
        let mut read = |digits| read(&mut BytesMut::from(&*of(digits)), &mut remembered, BOUNDS);
        assert!(matches!(read(4), Heard::Beginning));
        assert!(matches!(read(5), Heard::Beginning));
        assert!(matches!(read(15), Heard::Unusual));
    }
}
