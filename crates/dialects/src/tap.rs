//! Listens to a streamed answer that goes through in the client's own dialect. The bytes are the
//! vendor's; only frames that tell the usage, the end or a failure are looked into.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::around::Around;
use crate::canonical::{Event, Failure};
use crate::convert::{Outcome, Watch, dialect};
use crate::frame_wire::{self, Text};
use crate::frames::FrameReader;
use crate::json::{escape_line_breaks, write_str};
use crate::responses::may_be_charged;
use crate::{Begun, DialectId, Frame, Framing, ReplyContext, StreamReader};

/// Listens to one answer.
pub struct Tap {
    dialect: DialectId,
    frames: FrameReader,
    ear: Ear,
    /// Frames that only tell the usage are taken out: the gateway asked for them, not the client.
    hides_usage: bool,
    /// How many frames went out as elements of an array, where the client wants one (generate content).
    elements: Option<u64>,
    /// The frames of a chunk, less those that are hidden. Only sent where the chunk itself cannot be.
    shown: Vec<u8>,
}

/// What goes to the client in place of a chunk.
#[derive(Debug, PartialEq, Eq)]
pub enum Passes {
    /// The chunk itself.
    AsItIs,
    /// These bytes.
    Instead(Vec<u8>),
    /// So many of the frames that end in the chunk: the next one cannot be read. The answer has
    /// failed, and the client has to be told.
    Frames(usize),
}

impl Tap {
    /// A tap for an answer in this dialect. `hides_usage` takes the usage chunk out again where the
    /// client did not ask for one (chat and legacy completions).
    pub fn new(id: DialectId, framing: Framing, hides_usage: bool) -> Self {
        Self {
            dialect: id,
            frames: FrameReader::new(framing),
            ear: Ear {
                dialect: id,
                reader: dialect(id).stream_reader(),
                watch: Watch::default(),
                begun: Begun::default(),
                around: Around::default(),
                last: Vec::new(),
                is_told: false,
                ends_by_us: false,
            },
            hides_usage,
            elements: None,
            shown: Vec::new(),
        }
    }

    /// The same for a client that wants the vendor's frames as one JSON array.
    #[must_use]
    pub fn as_array(mut self) -> Self {
        self.elements = Some(0);
        self.ear.ends_by_us = true;
        self
    }

    /// Listens to the next bytes, and says what goes to the client.
    pub fn push(&mut self, chunk: &[u8]) -> Passes {
        // A chunk of whole frames, none of them hidden, goes through as it is.
        let mut is_same = self.frames.is_between_frames();
        let Self {
            frames,
            ear,
            hides_usage,
            elements,
            shown,
            ..
        } = self;
        shown.clear();
        is_same &= elements.is_none();
        let mut good = 0;
        let pushed = frames.push(chunk, &mut |frame| {
            if ear.is_broken() {
                return;
            }
            let tells = ear.listen(frame);
            if ear.is_broken() {
                return;
            }
            good += 1;
            if let Some(count) = elements {
                write_element(frame, count, shown);
            } else if *hides_usage {
                if tells == Tells::Usage && is_usage_only(frame.data) {
                    is_same = false;
                } else {
                    write_frame(frame, shown);
                }
            }
        });
        if let Err(error) = pushed {
            self.fail(&Failure::upstream(error.to_string()));
        }
        is_same &= self.frames.is_between_frames();
        let is_written = self.hides_usage || self.elements.is_some();
        if self.ear.is_broken() && !is_written {
            return Passes::Frames(good);
        }
        if is_written && (!is_same || self.ear.is_broken()) {
            return Passes::Instead(std::mem::take(&mut self.shown));
        }
        Passes::AsItIs
    }

    /// The upstream has closed. What is returned goes to the client.
    pub fn close(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let sent = self.elements;
        let Self {
            frames,
            ear,
            hides_usage,
            elements,
            ..
        } = self;
        frames.close(&mut |frame| {
            ear.listen(frame);
            if ear.is_broken() {
                return;
            }
            if let Some(count) = elements {
                write_element(frame, count, &mut out);
            } else if *hides_usage {
                write_frame(frame, &mut out);
            }
        });
        ear.close();
        if ear.watch.outcome().failure.is_some() {
            // What was written here is not sent.
            *elements = sent;
        } else if let Some(count) = elements {
            out.extend_from_slice(if *count == 0 { b"[]" } else { b"]" });
        }
        out
    }

    /// The answer is not listened to any more: the usage that it told last is read, as at its end.
    pub fn catch_up(&mut self) {
        self.ear.read_last_usage();
    }

    /// The upstream has failed in a way that its bytes do not tell.
    pub fn fail(&mut self, failure: &Failure) {
        if !self.ear.watch.is_finished() {
            self.ear.watch.note(Event::Error(failure));
        }
    }

    /// Whether the answer has failed and the vendor's own bytes have not said so.
    pub fn is_broken(&self) -> bool {
        self.ear.is_broken()
    }

    /// An error frame that ends the answer, as if its vendor had written it.
    pub fn error_frame(&self, failure: &Failure, context: &ReplyContext) -> Vec<u8> {
        let mut written = Vec::new();
        let mut writer = dialect(self.dialect).stream_writer(context);
        let frames = self.elements.unwrap_or(self.ear.begun.frames);
        if frames > 0 {
            writer.go_on(&Begun {
                frames,
                ..self.ear.begun.clone()
            });
        }
        writer.event(Event::Error(failure), &mut written);
        written
    }

    /// What the answer meant so far.
    pub fn outcome(&self) -> &Outcome {
        self.ear.watch.outcome()
    }

    /// Whether the answer has ended, well or not.
    pub fn is_finished(&self) -> bool {
        self.ear.watch.is_finished()
    }

    /// Whether the stream stands between two frames.
    pub fn is_between_frames(&self) -> bool {
        self.frames.is_between_frames()
    }
}

/// What a frame tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    /// A piece of the answer.
    Content,
    /// The usage, the beginning, the end or a failure.
    Usage,
}

/// Hears what frames mean.
struct Ear {
    dialect: DialectId,
    reader: Box<dyn StreamReader>,
    watch: Watch,
    begun: Begun,
    /// What stood around the words of the last frame that went through unread.
    around: Around,
    /// The last frame that told a usage; each replaces the one before (generate content).
    last: Vec<u8>,
    /// Whether a failure came in the vendor's own words.
    is_told: bool,
    /// Whether the stream needs an end of ours, so that a failure is told by us too.
    ends_by_us: bool,
}

impl Ear {
    fn listen(&mut self, frame: Frame<'_>) -> Tells {
        // Frames that have no name are told apart by their data alone.
        if frame.event.is_none()
            && let Some(words) = self.around.words(frame.data)
        {
            self.watch.note_words(words);
            self.begun.frames += 1;
            return Tells::Content;
        }
        let tells = tells(self.dialect, frame);
        let is_plain = self.dialect == DialectId::Messages && tells == Tells::Content;
        let is_opening = !self.watch.outcome().has_content && !is_plain;
        if is_opening || !looks_whole(frame.data) {
            // Whether an answer has begun is known only from reading it.
            self.read(frame);
        } else if tells == Tells::Content {
            let words = self.watch.note_frame(self.dialect, frame.data);
            match words.filter(|_| frame.event.is_none()) {
                Some(words) => self.around.learn(frame.data, words),
                None => self.around.forget(),
            }
        } else if self.dialect == DialectId::GenerateContent && !must_be_read(frame.data) {
            // Every frame tells the usage so far; only the last one has to be read.
            self.watch.note_frame(self.dialect, frame.data);
            self.last.clear();
            self.last.extend_from_slice(frame.data);
        } else {
            // What was to be read last is older than this.
            self.read_last_usage();
            self.read(frame);
        }
        self.begun.frames += u64::from(!self.is_broken());
        tells
    }

    fn read(&mut self, frame: Frame<'_>) {
        let had_failed = self.watch.outcome().failure.is_some();
        let Self {
            reader,
            watch,
            begun,
            ..
        } = self;
        reader.frame(frame, &mut |event: Event<'_>| {
            if let Event::Start { id, model, created } = event {
                id.clone_into(&mut begun.id);
                model.clone_into(&mut begun.model);
                begun.created = created;
            }
            watch.note(event);
        });
        let failure = self.watch.outcome().failure.as_ref();
        if let Some(failure) = failure.filter(|_| !had_failed) {
            // A vendor's own end is an end to its own clients, whatever was missing before it.
            self.is_told =
                frame.data == b"[DONE]" || (!self.ends_by_us && tells_failure(frame, failure));
        }
    }

    fn read_last_usage(&mut self) {
        let last = std::mem::take(&mut self.last);
        let Self { reader, watch, .. } = self;
        if !last.is_empty() {
            // Its words were heard when it came.
            reader.frame(Frame::new(&last), &mut |event: Event<'_>| {
                if matches!(event, Event::Usage(_)) {
                    watch.note(event);
                }
            });
        }
    }

    fn close(&mut self) {
        let Self {
            reader,
            watch,
            last,
            ..
        } = self;
        if !last.is_empty() {
            let frame = Frame::new(last);
            reader.frame(frame, &mut |event: Event<'_>| watch.note(event));
        }
        reader.close(&mut |event: Event<'_>| watch.note(event));
    }

    fn is_broken(&self) -> bool {
        !self.is_told && self.watch.outcome().failure.is_some()
    }
}

/// Whether a frame can be what it should be, from its two ends: a look that costs nothing.
fn looks_whole(data: &[u8]) -> bool {
    let data = data.trim_ascii();
    data.is_empty() || data == b"[DONE]" || (data.starts_with(b"{") && data.ends_with(b"}"))
}

/// Whether a frame is the vendor's own word of a failure, and one that a client may hear: keys, hosts
/// and trouble with our account are not in the failure that was read from it.
fn tells_failure(frame: Frame<'_>, failure: &Failure) -> bool {
    #[derive(Deserialize)]
    struct Told<'a> {
        #[serde(rename = "type", borrow, default)]
        kind: Text<'a>,
        #[serde(default)]
        error: Option<IgnoredAny>,
    }
    let Ok(told) = frame_wire::read::<Told<'_>>(frame.data) else {
        return false;
    };
    let is_failure = told.error.is_some() || ["error", "response.failed"].contains(&&*told.kind.0);
    let is_clean = || {
        let mut words = Vec::new();
        write_str(&mut words, &failure.message);
        memchr::memmem::find(frame.data, &words).is_some()
    };
    &*told.kind.0 == "response.cancelled" || (is_failure && is_clean())
}

fn tells(dialect: DialectId, frame: Frame<'_>) -> Tells {
    let telling = match dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions => {
            frame.data == b"[DONE]"
                || USAGE.is_in(frame.data)
                || FINISH_REASON.is_in(frame.data)
                || ERROR.is_in(frame.data)
        }
        DialectId::Messages => frame.event != Some("content_block_delta"),
        DialectId::GenerateContent => USAGE_METADATA.is_in(frame.data) || must_be_read(frame.data),
        DialectId::Responses => !frame
            .event
            .is_some_and(|event| is_responses_piece(event) && !is_charged_item(event, frame.data)),
    };
    if telling {
        Tells::Usage
    } else {
        Tells::Content
    }
}

/// Whether a frame of generate content tells what no later one repeats.
fn must_be_read(data: &[u8]) -> bool {
    FINISH.is_in(data) || ERROR.is_in(data) || SEARCHES.is_in(data)
}

/// Everything between the beginning and the end of a responses answer.
fn is_responses_piece(event: &str) -> bool {
    let last = event.rsplit('.').next().unwrap_or_default();
    matches!(last, "delta" | "done" | "added")
}

/// Whether a piece of a responses answer tells of a hosted tool's use, which costs before the answer ends.
fn is_charged_item(event: &str, data: &[u8]) -> bool {
    event == "response.output_item.done" && may_be_charged(data)
}

/// A field whose value is not `null`.
struct Field(Finder<'static>);

static USAGE: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"usage\"")));
static USAGE_METADATA: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"usageMetadata\"")));
static SEARCHES: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"webSearchQueries\"")));
static FINISH: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"finishReason\"")));
static FINISH_REASON: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"finish_reason\"")));
static ERROR: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"error\"")));

impl Field {
    fn is_in(&self, data: &[u8]) -> bool {
        self.0.find_iter(data).any(|at| {
            let rest = data[at + self.0.needle().len()..].trim_ascii_start();
            let value = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
            value.is_some_and(|value| !value.starts_with(b"null"))
        })
    }
}

/// Whether a chat chunk holds no choice: then it is there for its usage alone.
fn is_usage_only(data: &[u8]) -> bool {
    static CHOICES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"choices\""));
    let Some(at) = CHOICES.find(data) else {
        return false;
    };
    let rest = data[at + CHOICES.needle().len()..].trim_ascii_start();
    let list = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
    let inner = list
        .and_then(|list| list.strip_prefix(b"["))
        .map(<[u8]>::trim_ascii_start);
    inner.is_some_and(|inner| inner.starts_with(b"]"))
}

fn write_frame(frame: Frame<'_>, out: &mut Vec<u8>) {
    if let Some(event) = frame.event {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(event.as_bytes());
        out.push(b'\n');
    }
    for line in frame.data.split(|byte| *byte == b'\n') {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// A frame as the next element of an array.
fn write_element(frame: Frame<'_>, count: &mut u64, out: &mut Vec<u8>) {
    out.extend_from_slice(if *count == 0 { b"[" } else { b",\r\n" });
    *count += 1;
    let start = out.len();
    out.extend_from_slice(frame.data);
    escape_line_breaks(out, start);
}

/// The first frames of these bytes, so many of them.
pub fn first_frames(bytes: &[u8], count: usize) -> Vec<u8> {
    let mut written = Vec::new();
    let mut left = count;
    let mut frames = FrameReader::new(Framing::ServerSentEvents);
    // What is beyond its limits is not among the frames that were counted.
    let _ = frames.push(bytes, &mut |frame| {
        if left > 0 {
            write_frame(frame, &mut written);
            left -= 1;
        }
    });
    written
}

#[cfg(test)]
#[path = "tap_tests.rs"]
mod tests;
