//! Server-sent events, read from chunks cut anywhere. A chunk that holds whole frames is read in
//! place; only a frame that is cut across chunks is copied.

use memchr::memchr2;

use crate::Frame;

/// Longer frames are an upstream's fault. Images and signatures stay well below it.
pub const MAX_FRAME_BYTES: usize = 16 << 20;

/// A frame is longer than [`MAX_FRAME_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the upstream sent a frame of more than {MAX_FRAME_BYTES} bytes")]
pub struct FrameTooLong;

/// Cuts a byte stream into frames.
#[derive(Debug, Default)]
pub struct SseReader {
    /// The bytes of a frame that is not complete yet.
    pending: Vec<u8>,
    /// Where its last line begins, which has no end yet.
    line: usize,
    /// How many of its bytes are known to hold no end of that line.
    searched: usize,
    /// Lines of a frame's data, when there are several.
    joined: Vec<u8>,
    began: bool,
}

impl SseReader {
    /// Takes the next chunk and hands on each frame that is complete.
    pub fn push(
        &mut self,
        chunk: &[u8],
        on_frame: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLong> {
        if self.pending.is_empty() {
            let from = self.read(chunk, on_frame);
            self.pending.extend_from_slice(&chunk[from..]);
        } else {
            let mut pending = std::mem::take(&mut self.pending);
            pending.extend_from_slice(chunk);
            let from = self.read(&pending, on_frame);
            pending.drain(..from);
            self.pending = pending;
        }
        self.check_length()
    }

    /// The stream has ended: a last frame without its blank line still counts.
    pub fn close(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let pending = std::mem::take(&mut self.pending);
        (self.line, self.searched) = (0, 0);
        self.dispatch(&pending, on_frame);
    }

    /// Whether the stream stands between two frames.
    pub fn is_between_frames(&self) -> bool {
        self.pending.is_empty()
    }

    fn check_length(&mut self) -> Result<(), FrameTooLong> {
        if self.pending.len() <= MAX_FRAME_BYTES {
            return Ok(());
        }
        self.pending = Vec::new();
        (self.line, self.searched) = (0, 0);
        Err(FrameTooLong)
    }

    /// Hands on every complete frame in `bytes`, whose beginning was searched before; returns where the
    /// incomplete one begins.
    fn read(&mut self, bytes: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) -> usize {
        let mut from = 0;
        let mut line = self.line;
        let mut searched = self.searched;
        let mut is_one_line = false;
        loop {
            match line_end(bytes, searched) {
                None => {
                    self.line = line - from;
                    // A carriage return at the end is looked at again.
                    self.searched = bytes.len() - from - usize::from(bytes.ends_with(b"\r"));
                    return from;
                }
                Some((end, next)) => {
                    if end > line {
                        is_one_line = line == from;
                    } else {
                        let frame = &bytes[from..line];
                        if std::mem::take(&mut is_one_line) {
                            self.dispatch_line(frame, on_frame);
                        } else {
                            self.dispatch(frame, on_frame);
                        }
                        from = next;
                    }
                    line = next;
                    searched = next;
                }
            }
        }
    }

    /// Hands on a frame of one line, which most vendors' frames are.
    fn dispatch_line(&mut self, frame: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let frame = self.without_mark(frame);
        let Some(value) = frame.strip_prefix(b"data:") else {
            return self.dispatch(frame, on_frame);
        };
        let value = value.strip_suffix(b"\n").unwrap_or(value);
        let value = value.strip_suffix(b"\r").unwrap_or(value);
        on_frame(Frame::new(value.strip_prefix(b" ").unwrap_or(value)));
    }

    fn dispatch(&mut self, frame: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let frame = self.without_mark(frame);
        let Some(first) = frame.iter().find(|b| !b.is_ascii_whitespace()) else {
            return;
        };
        // A vendor that fails may answer a stream with plain JSON, over many lines and unmarked.
        if matches!(first, b'{' | b'[') {
            on_frame(Frame::new(frame));
            return;
        }
        let mut event = None;
        let mut data: Option<&[u8]> = None;
        self.joined.clear();
        let mut lines = 0;
        for (name, value) in (Fields { rest: frame }) {
            match name {
                b"event" => event = std::str::from_utf8(value).ok(),
                b"data" => {
                    lines += 1;
                    if let Some(first) = data.filter(|_| lines == 2) {
                        self.joined.extend_from_slice(first);
                    }
                    if lines > 1 {
                        self.joined.push(b'\n');
                        self.joined.extend_from_slice(value);
                    }
                    data = Some(value);
                }
                _ => {}
            }
        }
        match (data, lines) {
            (Some(data), 1) => on_frame(Frame { event, data }),
            (Some(_), _) => on_frame(Frame {
                event,
                data: &self.joined,
            }),
            (None, _) => {}
        }
    }

    /// The first frame may begin with a byte order mark.
    fn without_mark<'a>(&mut self, frame: &'a [u8]) -> &'a [u8] {
        if std::mem::replace(&mut self.began, true) {
            return frame;
        }
        frame.strip_prefix(b"\xef\xbb\xbf").unwrap_or(frame)
    }
}

/// The first end of a line from here on, and the beginning of the next line. A carriage return
/// at the very end may be half of a line end: it waits for the next byte.
fn line_end(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let end = from + memchr2(b'\n', b'\r', &bytes[from..])?;
    if bytes[end] == b'\n' {
        return Some((end, end + 1));
    }
    match bytes.get(end + 1) {
        None => None,
        Some(b'\n') => Some((end, end + 2)),
        Some(_) => Some((end, end + 1)),
    }
}

/// The fields of one frame, comments left out.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let (end, next) = line_end(self.rest, 0).unwrap_or_else(|| {
                let end = self.rest.strip_suffix(b"\r").unwrap_or(self.rest).len();
                (end, self.rest.len())
            });
            let line = &self.rest[..end];
            self.rest = &self.rest[next..];
            match memchr::memchr(b':', line) {
                Some(0) => {}
                Some(colon) => {
                    let value = &line[colon + 1..];
                    return Some((&line[..colon], value.strip_prefix(b" ").unwrap_or(value)));
                }
                None if line.is_empty() => {}
                None => return Some((line, b"")),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<(Option<String>, String)> {
        let mut reader = SseReader::default();
        let mut frames = Vec::new();
        let mut take = |frame: Frame<'_>| {
            let data = String::from_utf8(frame.data.to_vec()).unwrap();
            frames.push((frame.event.map(str::to_owned), data));
        };
        for chunk in chunks {
            reader.push(chunk, &mut take).unwrap();
        }
        reader.close(&mut take);
        frames
    }

    const MIXED: &[u8] =
        "\u{feff}event: a\ndata: {\"x\":1}\n\n: ping\n\ndata:no space\r\n\r\nid: 7\n\
        data: one\ndata: two\ndata:\n\nretry: 5\rdata: gr\u{fc}\u{1f600}n\r\rdata: [DONE]"
            .as_bytes();

    #[test]
    fn frames_are_read_as_the_standard_says() {
        let none = |data: &str| (None, data.to_owned());
        assert_eq!(
            read(&[MIXED]),
            [
                (Some("a".to_owned()), "{\"x\":1}".to_owned()),
                none("no space"),
                none("one\ntwo\n"),
                none("grü😀n"),
                none("[DONE]"),
            ]
        );
    }

    #[test]
    fn a_cut_anywhere_changes_nothing() {
        let whole = read(&[MIXED]);
        for at in 0..=MIXED.len() {
            let (a, b) = MIXED.split_at(at);
            assert_eq!(read(&[a, b]), whole, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = MIXED.chunks(1).collect();
        assert_eq!(read(&bytes), whole);
    }

    #[test]
    fn unmarked_json_is_a_frame_of_its_own() {
        let body = b"{\n  \"error\": {\n    \"code\": 503\n  }\n}\n";
        assert_eq!(
            read(&[body]),
            [(None, String::from_utf8(body.to_vec()).unwrap())]
        );
    }

    #[test]
    fn an_endless_frame_is_refused() {
        let mut reader = SseReader::default();
        let chunk = vec![b'a'; 1 << 20];
        let mut result = Ok(());
        for _ in 0..=16 {
            result = result.and(reader.push(&chunk, &mut |_| {}));
        }
        assert_eq!(result, Err(FrameTooLong));
        assert!(reader.pending.is_empty());
    }
}
