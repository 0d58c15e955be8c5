//! Where an answer's body ends: after so many bytes, after a last chunk, or with its connection.

use bytes::{Buf as _, Bytes, BytesMut};
use http::StatusCode;

use super::head::Answer;
use crate::transport::error::TransportError;

/// The longest line that gives a chunk's length, and all trailers together.
const LONGEST_LINE: usize = 16 * 1024;

/// How the rest of a body is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Nothing is left.
    Ended,
    /// So many bytes are left.
    Length(u64),
    /// It comes in chunks.
    Chunks(Chunk),
    /// It ends where the connection does.
    UntilClose,
}

/// What comes next of a body in chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunk {
    /// A line with the next chunk's length.
    Size,
    /// So many bytes of a chunk.
    Data(u64),
    /// The end of line behind a chunk.
    DataEnd,
    /// Trailers, of which there were so many bytes.
    Trailers(usize),
}

/// What the bytes that were received give.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A piece of the body.
    Piece(Bytes),
    /// The body's end.
    End,
    /// Nothing, until more is received.
    More,
}

/// How a body is coded for its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// In chunks, on top of whatever else.
    Chunks,
    /// In a way that does not say where it ends.
    Other,
}

impl Coding {
    /// The last of these codings.
    pub(super) fn of(codings: &[u8]) -> Self {
        let last = codings.rsplit(|byte| *byte == b',').next();
        let last = last.unwrap_or_default().trim_ascii();
        if codings.is_ascii() && last.eq_ignore_ascii_case(b"chunked") {
            Self::Chunks
        } else {
            Self::Other
        }
    }
}

/// What a head says of its body's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaidLength {
    Nothing,
    Bytes(u64),
    /// No length, or several that differ: nothing that can be trusted.
    Nonsense,
}

impl SaidLength {
    /// Takes in what else is said of it.
    pub(super) fn hear(&mut self, lengths: &[u8]) {
        for length in lengths.split(|byte| *byte == b',').map(decimal) {
            *self = match (*self, length) {
                (Self::Nothing, Some(length)) => Self::Bytes(length),
                (Self::Bytes(said), Some(length)) if said == length => Self::Bytes(said),
                _ => Self::Nonsense,
            };
        }
    }
}

/// A number in nothing but digits.
fn decimal(text: &[u8]) -> Option<u64> {
    let digits = text.trim_ascii();
    let more = |number: u64, digit: &u8| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    };
    let number = digits.iter().try_fold(0, more);
    number.filter(|_| !digits.is_empty())
}

impl Framing {
    /// How the body behind a head is cut.
    pub(super) fn of(answer: &Answer, has_body: bool) -> Result<Self, TransportError> {
        let status = answer.head.status;
        let is_bodiless = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        if !has_body || is_bodiless || status.is_informational() {
            return Ok(Self::Ended);
        }
        match (answer.coding, answer.length) {
            (Some(Coding::Chunks), _) => Ok(Self::Chunks(Chunk::Size)),
            (Some(Coding::Other), _) | (None, SaidLength::Nothing) => Ok(Self::UntilClose),
            (None, SaidLength::Bytes(0)) => Ok(Self::Ended),
            (None, SaidLength::Bytes(length)) => Ok(Self::Length(length)),
            (None, SaidLength::Nonsense) => Err(TransportError::Malformed),
        }
    }

    /// Whether the body says itself where it ends.
    pub(super) fn has_end(self) -> bool {
        self != Self::UntilClose
    }

    /// Takes the next piece of what was received.
    pub(super) fn take(&mut self, received: &mut BytesMut) -> Result<Next, TransportError> {
        match self {
            Self::Ended => Ok(Next::End),
            _ if received.is_empty() => Ok(Next::More),
            Self::UntilClose => Ok(Next::Piece(received.split().freeze())),
            // Nothing comes behind it: the room goes with it, which takes less than sharing it.
            Self::Length(left) if *left == received.len() as u64 => {
                *self = Self::Ended;
                Ok(Next::Piece(std::mem::take(received).freeze()))
            }
            Self::Length(left) => {
                let piece = up_to(left, received);
                if *left == 0 {
                    *self = Self::Ended;
                }
                Ok(Next::Piece(piece))
            }
            Self::Chunks(_) => self.take_of_chunks(received),
        }
    }

    fn take_of_chunks(&mut self, received: &mut BytesMut) -> Result<Next, TransportError> {
        while let Self::Chunks(chunk) = self {
            match chunk {
                Chunk::Data(left) => {
                    if received.is_empty() {
                        return Ok(Next::More);
                    }
                    let piece = up_to(left, received);
                    if *left == 0 {
                        *chunk = Chunk::DataEnd;
                    }
                    return Ok(Next::Piece(piece));
                }
                Chunk::Size => {
                    let Some(length) = line(received, chunk_length)? else {
                        return Ok(Next::More);
                    };
                    *chunk = match length? {
                        0 => Chunk::Trailers(0),
                        length => Chunk::Data(length),
                    };
                }
                Chunk::DataEnd => match line(received, <[u8]>::is_empty)? {
                    None => return Ok(Next::More),
                    Some(true) => *chunk = Chunk::Size,
                    Some(false) => return Err(TransportError::Malformed),
                },
                Chunk::Trailers(length) => {
                    let Some(more) = line(received, <[u8]>::len)? else {
                        return Ok(Next::More);
                    };
                    *length += more;
                    if *length > LONGEST_LINE {
                        return Err(TransportError::TooLarge);
                    }
                    if more == 0 {
                        *self = Self::Ended;
                    }
                }
            }
        }
        Ok(Next::End)
    }
}

fn up_to(left: &mut u64, received: &mut BytesMut) -> Bytes {
    let length = usize::try_from(*left).map_or(received.len(), |left| left.min(received.len()));
    *left -= length as u64;
    received.split_to(length).freeze()
}

/// Goes past the next line; what it says, without its end. None where that has not come.
fn line<T>(
    received: &mut BytesMut,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<Option<T>, TransportError> {
    let Some(end) = memchr::memchr(b'\n', received) else {
        if received.len() > LONGEST_LINE {
            return Err(TransportError::TooLarge);
        }
        return Ok(None);
    };
    let line = &received[..end];
    let said = read(line.strip_suffix(b"\r").unwrap_or(line));
    received.advance(end + 1);
    Ok(Some(said))
}

/// The length that a line gives in hexadecimal digits; what follows them is no concern of ours.
fn chunk_length(line: &[u8]) -> Result<u64, TransportError> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
    let digits = digits.trim_ascii();
    let more = |length: u64, digit: &u8| {
        let digit = char::from(*digit).to_digit(16)?;
        (length >> 60 == 0).then_some(length << 4 | u64::from(digit))
    };
    let length = digits.iter().try_fold(0, more);
    length
        .filter(|_| !digits.is_empty())
        .ok_or(TransportError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a body that is received in pieces of this size.
    fn body(
        mut framing: Framing,
        text: &str,
        size: usize,
    ) -> Result<(String, bool), TransportError> {
        let (mut received, mut whole) = (BytesMut::new(), String::new());
        for piece in text.as_bytes().chunks(size) {
            received.extend_from_slice(piece);
            loop {
                match framing.take(&mut received)? {
                    Next::Piece(piece) => whole += std::str::from_utf8(&piece).unwrap(),
                    Next::End => return Ok((whole, true)),
                    Next::More => break,
                }
            }
        }
        Ok((whole, false))
    }

    #[test]
    fn chunks_are_put_together_wherever_they_are_cut() {
        let text = "5\r\nhello\r\n7;ext=1\r\n, world\r\n0\r\nx-trailer: 1\r\n\r\n";
        for size in 1..=text.len() {
            let found = body(Framing::Chunks(Chunk::Size), text, size);
            assert_eq!(found, Ok(("hello, world".to_owned(), true)), "{size}");
        }
        let cut = body(Framing::Chunks(Chunk::Size), &text[..20], 3);
        assert_eq!(cut.map(|(_, is_whole)| is_whole), Ok(false));
    }

    #[test]
    fn a_length_ends_a_body() {
        for size in 1..6 {
            let found = body(Framing::Length(5), "hello", size);
            assert_eq!(found.map(|(text, _)| text), Ok("hello".to_owned()));
        }
        let mut received = BytesMut::from("hello!");
        let mut framing = Framing::Length(5);
        assert_eq!(
            framing.take(&mut received),
            Ok(Next::Piece(Bytes::from_static(b"hello")))
        );
        assert_eq!((framing, &received[..]), (Framing::Ended, &b"!"[..]));
    }

    #[test]
    fn chunks_that_are_none_are_refused() {
        for text in [
            "x\r\n",
            "\r\n",
            "+5\r\n",
            "-5\r\n",
            "5\r\nhelloX\r\n",
            "ffffffffffffffffff\r\n",
        ] {
            let found = body(Framing::Chunks(Chunk::Size), text, 64);
            assert_eq!(found, Err(TransportError::Malformed), "{text}");
        }
        let endless = "1".repeat(LONGEST_LINE + 1);
        let found = body(Framing::Chunks(Chunk::Size), &endless, endless.len());
        assert_eq!(found, Err(TransportError::TooLarge));
    }

    #[test]
    fn lengths_that_contradict_each_other_are_refused() {
        let said = |values: &[&str]| {
            let mut length = SaidLength::Nothing;
            for value in values {
                length.hear(value.as_bytes());
            }
            length
        };
        assert_eq!(said(&[]), SaidLength::Nothing);
        assert_eq!(said(&["5", "5"]), SaidLength::Bytes(5));
        assert_eq!(said(&["5, 5"]), SaidLength::Bytes(5));
        let most = u64::MAX.to_string();
        assert_eq!(said(&[&most]), SaidLength::Bytes(u64::MAX));
        let too_many = format!("{most}0");
        for values in [
            &["5", "6"][..],
            &["5", "6", "5"],
            &["-5"],
            &["+5"],
            &[""],
            &["5 5"],
            &["5\u{a0}"],
            &[&too_many],
        ] {
            assert_eq!(said(values), SaidLength::Nonsense, "{values:?}");
        }
    }
}
