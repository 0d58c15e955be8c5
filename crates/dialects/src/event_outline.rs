//! Server-sent events whose data are JSON objects, seen from afar (see [`Outline`]): no event is held
//! in memory, so that one event may carry a whole image. For answers that go through as they are.

use crate::canonical::Failure;
use crate::error_body;
use crate::outline::Outline;

/// Follows one stream of events.
#[derive(Debug, Clone)]
pub struct EventOutline {
    outline: Outline,
    line: Line,
    /// A carriage return ended the last line: a line feed right after it belongs to it.
    after_return: bool,
    has_data: bool,
    /// Whether the data are the word by which some vendors end a stream.
    done: DoneWord,
}

/// What the line so far is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Its field's name, as far as it agrees with `data`.
    Name(usize),
    /// A field that says nothing here.
    Skipped,
    /// Right after the colon: one space does not count.
    Colon,
    Data,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DoneWord(Option<usize>);

const NAME: &[u8] = b"data";
const DONE: &[u8] = b"[DONE]";

/// What an event was.
#[derive(Debug)]
pub enum Seen<'a> {
    /// A JSON object, complete or not.
    Object(&'a Outline),
    /// `[DONE]`
    Done,
}

/// The failure that an event tells, nested or flat: its kind says so, or it has an `error`, or a message and no kind, which
/// then stands beside the data. The members `type`, `error`, `message` and `code` must be kept of it.
pub(crate) fn failure_of(event: &Outline) -> Option<Failure> {
    let kind = event.text("type").unwrap_or_default();
    let has = |name: &str| event.member(name).is_some();
    let is_failure = has("error") || kind.ends_with("error") || (kind.is_empty() && has("message"));
    is_failure.then(|| read(event))
}

/// Returns the failure that a whole answer is. An answer without a result is one if it has a message.
pub(crate) fn failure_in(answer: &Outline, has_result: bool) -> Option<Failure> {
    let has = |name: &str| answer.member(name).is_some();
    (has("error") || (!has_result && has("message"))).then(|| read(answer))
}

fn read(told: &Outline) -> Failure {
    let member = |name: &str| told.member(name).map_or("null", |raw| raw.get());
    let (error, message, code) = (member("error"), member("message"), member("code"));
    let body = format!("{{\"error\":{error},\"message\":{message},\"code\":{code}}}");
    error_body::read_error(200, body.as_bytes())
}

impl EventOutline {
    /// Keeps these members of each event.
    pub fn new(wanted: &'static [&'static str]) -> Self {
        Self {
            outline: Outline::new(wanted, ""),
            line: Line::Name(0),
            after_return: false,
            has_data: false,
            done: DoneWord(Some(0)),
        }
    }

    /// Takes the next bytes; hands on each event that has come to its end.
    pub fn push(&mut self, mut chunk: &[u8], on_event: &mut dyn FnMut(Seen<'_>)) {
        while let Some(first) = chunk.first() {
            if self.after_return && *first == b'\n' {
                self.after_return = false;
                chunk = &chunk[1..];
                continue;
            }
            self.after_return = false;
            let end = memchr::memchr2(b'\n', b'\r', chunk);
            self.part(&chunk[..end.unwrap_or(chunk.len())]);
            let Some(end) = end else { return };
            self.after_return = chunk[end] == b'\r';
            self.end_line(on_event);
            chunk = &chunk[end + 1..];
        }
    }

    /// The stream has ended: a last event without its blank line still counts.
    pub fn close(&mut self, on_event: &mut dyn FnMut(Seen<'_>)) {
        self.line = Line::Name(0);
        self.end_event(on_event);
    }

    /// A piece of a line.
    fn part(&mut self, mut piece: &[u8]) {
        while let Some(byte) = piece.first() {
            match self.line {
                Line::Skipped => return,
                Line::Data => return self.data(piece),
                Line::Colon => {
                    self.line = Line::Data;
                    piece = piece.strip_prefix(b" ").unwrap_or(piece);
                }
                Line::Name(read) => {
                    self.line = match NAME.get(read) {
                        Some(letter) if letter == byte => Line::Name(read + 1),
                        None if *byte == b':' => Line::Colon,
                        // A byte order mark may come before the first line.
                        _ if read == 0 && [0xef, 0xbb, 0xbf].contains(byte) => Line::Name(0),
                        _ => Line::Skipped,
                    };
                    if self.line == Line::Colon && self.has_data {
                        self.outline.push(b"\n");
                    }
                    self.has_data |= self.line == Line::Colon;
                    piece = &piece[1..];
                }
            }
        }
    }

    fn data(&mut self, bytes: &[u8]) {
        self.outline.push(bytes);
        self.done.0 = self.done.0.and_then(|read| {
            let rest = DONE.get(read..)?;
            rest.starts_with(bytes).then(|| read + bytes.len())
        });
    }

    fn end_line(&mut self, on_event: &mut dyn FnMut(Seen<'_>)) {
        let is_blank = self.line == Line::Name(0);
        self.line = Line::Name(0);
        if is_blank {
            self.end_event(on_event);
        }
    }

    fn end_event(&mut self, on_event: &mut dyn FnMut(Seen<'_>)) {
        if self.has_data {
            if self.done.0 == Some(DONE.len()) {
                on_event(Seen::Done);
            } else {
                on_event(Seen::Object(&self.outline));
            }
        }
        self.outline.reset();
        self.has_data = false;
        self.done = DoneWord(Some(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::FailureKind;
    use crate::spoil::Dice;

    const STREAM: &str = "\u{feff}event: a\ndata: {\"type\":\"a\",\"b64_json\":\"zz\"}\n\n: ping\n\n\
        data:{\"type\":\r\ndata:\"b\"}\r\n\r\ndatabase: no\nid: 1\n\ndata: [DONE]\n\n\
        data: [DONE\n\ndata: {\"type\":\"c\"}";

    fn seen(chunks: &[&[u8]]) -> Vec<String> {
        let mut events = EventOutline::new(&["type"]);
        let mut found = Vec::new();
        let mut take = |seen: Seen<'_>| {
            found.push(match seen {
                Seen::Done => "done".to_owned(),
                Seen::Object(outline) => outline.text("type").unwrap_or_default(),
            });
        };
        for chunk in chunks {
            events.push(chunk, &mut take);
        }
        events.close(&mut take);
        found
    }

    #[test]
    fn events_are_seen_wherever_the_cuts_are() {
        let expected = ["a", "b", "done", "", "c"];
        assert_eq!(seen(&[STREAM.as_bytes()]), expected);
        for at in 0..STREAM.len() {
            let (a, b) = STREAM.as_bytes().split_at(at);
            assert_eq!(seen(&[a, b]), expected, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = STREAM.as_bytes().chunks(1).collect();
        assert_eq!(seen(&bytes), expected);
    }

    #[test]
    fn a_failure_is_told_in_many_ways() {
        let failure = |event: &str| {
            let mut outline = Outline::new(&["type", "error", "message", "code"], "");
            outline.push(event.as_bytes());
            failure_of(&outline)
        };
        for event in [
            r#"{"type":"error","error":{"code":"invalid_api_key","message":"Bad key."}}"#,
            r#"{"type":"error","code":"invalid_api_key","message":"Bad key."}"#,
            r#"{"type":"speech.error","code":"invalid_api_key","message":"Bad key."}"#,
            r#"{"code":"invalid_api_key","message":"Bad key."}"#,
            r#"{"code":"invalid_api_key","error":"Bad key."}"#,
        ] {
            let told = failure(event).expect(event);
            assert_eq!(told.kind, FailureKind::Unauthenticated, "{event}");
            assert_eq!(told.message, "The upstream refused the call.", "{event}");
            assert_eq!(told.upstream_text.as_deref(), Some("Bad key."), "{event}");
        }
        for event in [
            r#"{"type":"transcript.text.delta","delta":"error"}"#,
            r#"{"type":"image_generation.completed","error":null,"b64_json":"AA"}"#,
        ] {
            assert_eq!(failure(event), None, "{event}");
        }
    }

    #[test]
    fn spoiled_streams_never_panic() {
        let mut dice = Dice(0xe7e);
        for _ in 0..1000 {
            let mut stream = STREAM.as_bytes().to_vec();
            dice.spoil_bytes(&mut stream);
            seen(&[&stream]);
        }
    }
}
