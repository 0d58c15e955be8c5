//! Listens to a streamed answer that goes through in the client's own dialect. The bytes are the
//! vendor's. A frame like the one before is looked at for its words alone; every other frame is read, so that
//! usage, words and failures are noticed however they are written. A frame that tells a failure does not pass.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use crate::around::Around;
use crate::canonical::{Event, Failure};
use crate::convert::{Outcome, Watch, dialect};
use crate::frames::FrameReader;
use crate::json::escape_line_breaks;
use crate::mend::mended;
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
                is_told: false,
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
            let tells_usage = ear.listen(frame);
            if ear.is_broken() {
                return;
            }
            good += 1;
            if let Some(count) = elements {
                write_element(frame, count, shown);
            } else if *hides_usage {
                if tells_usage && is_usage_only(frame.data) {
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

/// Notes the meaning of frames.
struct Ear {
    dialect: DialectId,
    reader: Box<dyn StreamReader>,
    watch: Watch,
    begun: Begun,
    /// The text around the words of the last frame that had nothing else.
    around: Around,
    /// Whether a failure was noticed at the vendor's own end of the stream.
    is_told: bool,
}

/// The events of one frame.
#[derive(Default)]
struct Noted {
    /// The place of the words, quotes included, if they stand in the frame as they are.
    words: Option<Range<usize>>,
    texts: u32,
    has_others: bool,
    has_usage: bool,
}

impl Ear {
    /// Listens to a frame. Returns whether it tells a usage.
    fn listen(&mut self, frame: Frame<'_>) -> bool {
        if self.may_repeat(frame)
            && let Some(words) = self.around.words(frame.data)
        {
            self.watch.note_words(&words);
            self.begun.frames += 1;
            return false;
        }
        let has_usage = !frame.data.trim_ascii().is_empty() && self.read(frame);
        self.begun.frames += u64::from(!self.is_broken());
        has_usage
    }

    /// Whether a frame may be recognised by its data alone. Responses repeats its words at the end of each part,
    /// so its reader must see all of them.
    fn may_repeat(&self, frame: Frame<'_>) -> bool {
        match self.dialect {
            DialectId::Responses => false,
            DialectId::Messages => matches!(frame.event, None | Some("content_block_delta")),
            _ => frame.event.is_none(),
        }
    }

    /// Reads a frame. Returns whether it tells a usage.
    fn read(&mut self, frame: Frame<'_>) -> bool {
        let had_failed = self.watch.outcome().failure.is_some();
        let learns = self.may_repeat(frame);
        let mut noted = Noted::default();
        let Self {
            reader,
            watch,
            begun,
            around,
            ..
        } = self;
        let whole = mended(frame.data);
        let read = Frame {
            data: &whole,
            ..frame
        };
        reader.frame(read, &mut |event: Event<'_>| {
            match event {
                Event::Start { id, model, created } => {
                    id.clone_into(&mut begun.id);
                    model.clone_into(&mut begun.model);
                    begun.created = created;
                    noted.has_others = true;
                }
                Event::Text { text, .. } | Event::Arguments { text, .. } => {
                    noted.texts += 1;
                    if learns && noted.texts == 1 {
                        noted.words = place_of(frame.data, text);
                    }
                }
                Event::Usage(_) => {
                    noted.has_usage = true;
                    noted.has_others = true;
                }
                Event::Ping => {}
                _ => noted.has_others = true,
            }
            watch.note(event);
        });
        match noted.words {
            Some(words) if noted.texts == 1 && !noted.has_others => around.learn(frame.data, words),
            _ => around.forget(),
        }
        if !had_failed && self.watch.outcome().failure.is_some() {
            // A vendor's own end is an end to its own clients, whatever was missing before it.
            self.is_told = frame.data == b"[DONE]";
        }
        noted.has_usage
    }

    fn close(&mut self) {
        let Self { reader, watch, .. } = self;
        reader.close(&mut |event: Event<'_>| watch.note(event));
    }

    fn is_broken(&self) -> bool {
        !self.is_told && self.watch.outcome().failure.is_some()
    }
}

/// The place of a text in a frame, quotes included, if it stands there once and without escapes.
fn place_of(frame: &[u8], text: &str) -> Option<Range<usize>> {
    let mut places = memmem::find_iter(frame, text.as_bytes()).filter(|at| {
        let before = at.checked_sub(1).and_then(|before| frame.get(before));
        before == Some(&b'"') && frame.get(at + text.len()) == Some(&b'"')
    });
    let at = places.next()?;
    places
        .next()
        .is_none()
        .then_some(at - 1..at + text.len() + 1)
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
