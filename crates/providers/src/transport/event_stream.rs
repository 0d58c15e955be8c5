//! Amazon's binary event stream: messages of headers and a payload, with checksums. Takes bytes cut
//! anywhere; holds no more than one message.

use bytes::{Buf as _, Bytes, BytesMut};

/// Lengths and their checksum.
const PRELUDE: usize = 12;
/// The checksum at the end.
const TRAILER: usize = 4;
/// The longest message that is waited for.
const LONGEST_MESSAGE: usize = 24 * 1024 * 1024;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventMessage {
    /// Headers whose value is text, in order. No vendor's event needs the others.
    pub headers: Vec<(String, String)>,
    /// The payload.
    pub payload: Bytes,
}

impl EventMessage {
    /// A header's text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Bytes that are no event stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadEventStream {
    /// A checksum differs.
    #[error("a message of the event stream is damaged")]
    Checksum,
    /// Lengths or headers make no sense.
    #[error("a message of the event stream cannot be read")]
    Malformed,
    /// Longer than anything that is sent.
    #[error("a message of the event stream is too long")]
    TooLong,
}

/// Reads messages from bytes cut anywhere.
#[derive(Debug, Default)]
pub struct EventStreamReader {
    buffer: BytesMut,
}

impl EventStreamReader {
    /// One at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete message. None: more bytes are needed.
    pub fn next_message(&mut self) -> Result<Option<EventMessage>, BadEventStream> {
        let Some(prelude) = self.buffer.first_chunk::<PRELUDE>() else {
            return Ok(None);
        };
        if crc32(&prelude[..8]) != word(prelude, 8) {
            return Err(BadEventStream::Checksum);
        }
        let total = word(prelude, 0) as usize;
        let header_length = word(prelude, 4) as usize;
        if total > LONGEST_MESSAGE {
            return Err(BadEventStream::TooLong);
        }
        if header_length.saturating_add(PRELUDE + TRAILER) > total {
            return Err(BadEventStream::Malformed);
        }
        if self.buffer.len() < total {
            return Ok(None);
        }
        let mut message = self.buffer.split_to(total).freeze();
        if crc32(&message[..total - TRAILER]) != word(&message, total - TRAILER) {
            return Err(BadEventStream::Checksum);
        }
        message.truncate(total - TRAILER);
        message.advance(PRELUDE);
        let headers = read_headers(&message[..header_length])?;
        message.advance(header_length);
        Ok(Some(EventMessage {
            headers,
            payload: message,
        }))
    }

    /// Whether the stream may end here: no message has begun.
    pub fn is_at_boundary(&self) -> bool {
        self.buffer.is_empty()
    }
}

fn read_headers(mut bytes: &[u8]) -> Result<Vec<(String, String)>, BadEventStream> {
    let mut headers = Vec::new();
    while !bytes.is_empty() {
        let name_length = usize::from(take(&mut bytes, 1)?[0]);
        let name = text(take(&mut bytes, name_length)?)?;
        let kind = take(&mut bytes, 1)?[0];
        let length = match kind {
            0 | 1 => 0,
            2 => 1,
            3 => 2,
            4 => 4,
            5 | 8 => 8,
            9 => 16,
            6 | 7 => {
                let length = take(&mut bytes, 2)?;
                usize::from(u16::from_be_bytes([length[0], length[1]]))
            }
            _ => return Err(BadEventStream::Malformed),
        };
        let value = take(&mut bytes, length)?;
        if kind == 7 {
            headers.push((name, text(value)?));
        }
    }
    Ok(headers)
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], BadEventStream> {
    let (head, rest) = bytes
        .split_at_checked(length)
        .ok_or(BadEventStream::Malformed)?;
    *bytes = rest;
    Ok(head)
}

fn text(bytes: &[u8]) -> Result<String, BadEventStream> {
    let text = std::str::from_utf8(bytes).map_err(|_| BadEventStream::Malformed)?;
    Ok(text.to_owned())
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The checksum of IEEE 802.3, byte by byte.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc32_table();
    let step = |crc: u32, byte: &u8| (crc >> 8) ^ TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize];
    !bytes.iter().fold(!0, step)
}

const fn crc32_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "the index is below 256")]
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A message with headers of text.
    pub(crate) fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
        let mut head = Vec::new();
        for (name, value) in headers {
            head.push(u8::try_from(name.len()).unwrap());
            head.extend_from_slice(name.as_bytes());
            head.push(7);
            head.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
            head.extend_from_slice(value.as_bytes());
        }
        framed(&head, payload)
    }

    fn framed(head: &[u8], payload: &[u8]) -> Vec<u8> {
        let total = u32::try_from(PRELUDE + head.len() + payload.len() + TRAILER).unwrap();
        let mut bytes = total.to_be_bytes().to_vec();
        bytes.extend_from_slice(&u32::try_from(head.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
        bytes.extend_from_slice(head);
        bytes.extend_from_slice(payload);
        bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
        bytes
    }

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn an_empty_message_of_the_specification_is_read() {
        // Amazon's published vector: no headers, no payload.
        let bytes = [
            0, 0, 0, 0x10, 0, 0, 0, 0, 0x05, 0xc2, 0x48, 0xeb, 0x7d, 0x98, 0xc8, 0xff,
        ];
        let mut reader = EventStreamReader::new();
        reader.push(&bytes);
        let message = reader.next_message().unwrap().unwrap();
        assert!(message.headers.is_empty() && message.payload.is_empty());
        assert!(reader.is_at_boundary());
    }

    #[test]
    fn messages_are_read_however_they_are_cut() {
        let mut bytes = message(
            &[(":event-type", "chunk"), (":message-type", "event")],
            b"{}",
        );
        bytes.extend(message(&[(":event-type", "last")], &[7; 300]));
        for size in [1, 2, 3, 11, 12, 13, 64, bytes.len()] {
            let mut reader = EventStreamReader::new();
            let mut seen = Vec::new();
            for piece in bytes.chunks(size) {
                reader.push(piece);
                while let Some(message) = reader.next_message().unwrap() {
                    seen.push(message);
                }
            }
            assert_eq!(seen.len(), 2, "cut by {size}");
            assert_eq!(seen[0].header(":event-type"), Some("chunk"));
            assert_eq!(seen[0].payload, "{}");
            assert_eq!(seen[1].payload.len(), 300);
            assert!(reader.is_at_boundary());
        }
    }

    #[test]
    fn headers_of_all_kinds_are_stepped_over() {
        let head = [
            &b"\x01a\x00\x01b\x01\x01c\x02\xff\x01d\x03\0\x01\x01e\x04\0\0\0\x01"[..],
            &b"\x01f\x05\0\0\0\0\0\0\0\x01\x01g\x06\0\x02xy\x01h\x08\0\0\0\0\0\0\0\x01"[..],
            &b"\x01i\x090123456789abcdef\x01j\x07\0\x02ok"[..],
        ]
        .concat();
        let mut reader = EventStreamReader::new();
        reader.push(&framed(&head, b"p"));
        let message = reader.next_message().unwrap().unwrap();
        assert_eq!(message.headers, [("j".to_owned(), "ok".to_owned())]);
    }

    #[test]
    fn damage_anywhere_is_noticed() {
        let good = message(&[(":event-type", "chunk")], b"{\"bytes\":\"\"}");
        for index in 0..good.len() {
            let mut bytes = good.clone();
            bytes[index] ^= 0x10;
            let mut reader = EventStreamReader::new();
            reader.push(&bytes);
            assert!(reader.next_message().is_err(), "byte {index}");
        }
    }

    #[test]
    fn lengths_that_make_no_sense_are_refused() {
        for (total, head, error) in [
            (15u32, 0u32, BadEventStream::Malformed),
            (16, 1, BadEventStream::Malformed),
            (20, u32::MAX, BadEventStream::Malformed),
            (u32::MAX, 0, BadEventStream::TooLong),
        ] {
            let mut bytes = [total.to_be_bytes(), head.to_be_bytes()].concat();
            bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
            let mut reader = EventStreamReader::new();
            reader.push(&bytes);
            assert_eq!(reader.next_message(), Err(error), "{total} {head}");
        }
        let mut reader = EventStreamReader::new();
        reader.push(&framed(b"\x05ab", b""));
        assert_eq!(reader.next_message(), Err(BadEventStream::Malformed));
    }
}
