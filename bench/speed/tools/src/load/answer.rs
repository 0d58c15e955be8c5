//! Reads answers from a connection and measures each on its way.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use super::chunked::Chunked;
use super::events::Events;

const BUFFER: usize = 64 * 1024;
const HEADERS: usize = 96;
/// How much of a failed answer is told.
const SAMPLE: usize = 300;

/// One answer.
pub(super) struct Answer {
    pub status: u16,
    /// Until the first byte of the body: a head that was sent early does not count.
    pub first_byte: Duration,
    pub total: Duration,
    pub events: u64,
    /// Whether the connection ends with this answer.
    pub is_last: bool,
    /// The beginning of a body that is no success.
    pub sample: String,
}

enum Framing {
    Length(usize),
    Chunked(Chunked),
    UntilClose,
}

struct Head {
    length: usize,
    status: u16,
    framing: Framing,
    is_last: bool,
}

/// Reads the answers of one connection.
pub(super) struct Reader {
    buffer: Vec<u8>,
    events: Events,
}

impl Reader {
    pub fn new() -> Self {
        Self::with_buffer(BUFFER)
    }

    pub fn with_buffer(size: usize) -> Self {
        Self {
            buffer: vec![0; size],
            events: Events::new(),
        }
    }

    /// Reads one whole answer; `on_events` hears of events as they arrive.
    pub async fn read(
        &mut self,
        stream: &mut TcpStream,
        began: Instant,
        mut on_events: impl FnMut(u64),
    ) -> io::Result<Answer> {
        let (mut head, mut end) = self.read_head(stream).await?;
        let (mut start, mut first_byte, mut events) = (head.length, None, 0);
        let mut sample = Vec::new();
        loop {
            let bytes = &self.buffer[start..end];
            if !bytes.is_empty() {
                first_byte.get_or_insert_with(|| began.elapsed());
                if head.status >= 300 && sample.len() < SAMPLE {
                    sample.extend_from_slice(&bytes[..bytes.len().min(SAMPLE)]);
                }
            }
            let is_over = feed(&mut head.framing, bytes, &mut self.events);
            let seen = self.events.seen();
            if seen > events {
                on_events(seen - events);
                events = seen;
            }
            if is_over {
                break;
            }
            start = 0;
            end = stream.read(&mut self.buffer).await?;
            if end == 0 {
                if matches!(head.framing, Framing::UntilClose) {
                    break;
                }
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let total = began.elapsed();
        Ok(Answer {
            status: head.status,
            first_byte: first_byte.unwrap_or(total),
            total,
            events: self.events.take(),
            is_last: head.is_last || matches!(head.framing, Framing::UntilClose),
            sample: String::from_utf8_lossy(&sample).into_owned(),
        })
    }

    /// The head, and how far the buffer is filled.
    async fn read_head(&mut self, stream: &mut TcpStream) -> io::Result<(Head, usize)> {
        let mut end = 0;
        loop {
            let count = stream.read(&mut self.buffer[end..]).await?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            end += count;
            if let Some(head) = head_of(&self.buffer[..end])? {
                return Ok((head, end));
            }
        }
    }
}

/// Takes the bytes of a body; true once it has ended.
fn feed(framing: &mut Framing, bytes: &[u8], events: &mut Events) -> bool {
    match framing {
        Framing::Chunked(chunked) => chunked.feed(bytes, |data| events.feed(data)),
        Framing::Length(left) => {
            events.feed(bytes);
            *left = left.saturating_sub(bytes.len());
            *left == 0
        }
        Framing::UntilClose => {
            events.feed(bytes);
            false
        }
    }
}

fn head_of(bytes: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = response.parse(bytes).map_err(io::Error::other)?
    else {
        return Ok(None);
    };
    let (mut framing, mut is_last) = (Framing::UntilClose, false);
    for header in response.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let text = String::from_utf8_lossy(header.value);
            framing = Framing::Length(text.trim().parse().map_err(io::Error::other)?);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            framing = Framing::Chunked(Chunked::default());
        } else if header.name.eq_ignore_ascii_case("connection") {
            is_last = header.value.eq_ignore_ascii_case(b"close");
        }
    }
    Ok(Some(Head {
        length,
        status: response.code.unwrap_or(0),
        framing,
        is_last,
    }))
}
