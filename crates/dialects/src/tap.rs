//! Listens to a streamed answer that goes through in the client's own dialect. The bytes are the
//! vendor's; only frames that tell the usage, the end or a failure are looked into.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::canonical::{Event, Failure};
use crate::convert::{Outcome, Watch, dialect};
use crate::frames::FrameReader;
use crate::{DialectId, Frame, Framing, StreamReader};

/// Listens to one answer.
pub struct Tap {
    dialect: DialectId,
    frames: FrameReader,
    reader: Box<dyn StreamReader>,
    watch: Watch,
    /// Frames that only tell the usage are taken out: the gateway asked for them, not the client.
    hides_usage: bool,
    /// The last frame that told a usage; each replaces the one before (generate content).
    last: Vec<u8>,
    /// The frames of a chunk, less those that are hidden. Only sent where the chunk itself cannot be.
    shown: Vec<u8>,
}

impl Tap {
    /// A tap for an answer in this dialect. `hides_usage` takes the usage chunk out again where the
    /// client did not ask for one (chat and legacy completions).
    pub fn new(id: DialectId, framing: Framing, hides_usage: bool) -> Self {
        Self {
            dialect: id,
            frames: FrameReader::new(framing),
            reader: dialect(id).stream_reader(),
            watch: Watch::default(),
            hides_usage,
            last: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Listens to the next bytes. `None`: they go to the client as they are; else what goes to the
    /// client in their place.
    pub fn push(&mut self, chunk: &[u8]) -> Option<Vec<u8>> {
        // A chunk of whole frames, none of them hidden, goes through as it is.
        let mut is_same = self.frames.is_between_frames();
        let Self {
            dialect,
            frames,
            reader,
            watch,
            hides_usage,
            last,
            shown,
        } = self;
        shown.clear();
        let pushed = frames.push(chunk, &mut |frame| {
            let tells = listen(*dialect, frame, reader.as_mut(), watch, last);
            if *hides_usage {
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
        (self.hides_usage && !is_same).then(|| std::mem::take(&mut self.shown))
    }

    /// The upstream has closed. What is returned goes to the client.
    pub fn close(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let Self {
            dialect,
            frames,
            reader,
            watch,
            last,
            hides_usage,
            ..
        } = self;
        frames.close(&mut |frame| {
            listen(*dialect, frame, reader.as_mut(), watch, last);
            if *hides_usage {
                write_frame(frame, &mut out);
            }
        });
        if !last.is_empty() {
            let frame = Frame::new(last);
            reader.frame(frame, &mut |event: Event<'_>| watch.note(event));
        }
        reader.close(&mut |event: Event<'_>| watch.note(event));
        out
    }

    /// The upstream has failed in a way that its bytes do not tell.
    pub fn fail(&mut self, failure: &Failure) {
        if !self.watch.is_finished() {
            self.watch.note(Event::Error(failure));
        }
    }

    /// What the answer meant so far.
    pub fn outcome(&self) -> &Outcome {
        self.watch.outcome()
    }

    /// Whether the answer has ended, well or not.
    pub fn is_finished(&self) -> bool {
        self.watch.is_finished()
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

fn listen(
    dialect: DialectId,
    frame: Frame<'_>,
    reader: &mut dyn StreamReader,
    watch: &mut Watch,
    last: &mut Vec<u8>,
) -> Tells {
    let tells = tells(dialect, frame);
    let is_plain = dialect == DialectId::Messages && tells == Tells::Content;
    if !watch.outcome().has_content && !is_plain {
        // Whether an answer has begun is known only from reading it.
        reader.frame(frame, &mut |event: Event<'_>| watch.note(event));
    } else if tells == Tells::Content {
        watch.note_frame(dialect, frame.data);
    } else if dialect == DialectId::GenerateContent && !ERROR.is_in(frame.data) {
        // Every frame tells the usage so far; only the last one has to be read.
        watch.note_frame(dialect, frame.data);
        last.clear();
        last.extend_from_slice(frame.data);
    } else {
        reader.frame(frame, &mut |event: Event<'_>| watch.note(event));
    }
    tells
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
        DialectId::GenerateContent => USAGE_METADATA.is_in(frame.data) || ERROR.is_in(frame.data),
        DialectId::Responses => !frame.event.is_some_and(is_responses_piece),
    };
    if telling {
        Tells::Usage
    } else {
        Tells::Content
    }
}

/// Everything between the beginning and the end of a responses answer.
fn is_responses_piece(event: &str) -> bool {
    let last = event.rsplit('.').next().unwrap_or_default();
    matches!(last, "delta" | "done" | "added")
}

/// A field whose value is not `null`.
struct Field(Finder<'static>);

static USAGE: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"usage\"")));
static USAGE_METADATA: LazyLock<Field> = LazyLock::new(|| Field(Finder::new(b"\"usageMetadata\"")));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::FinishReason;

    const CHAT: &[u8] = b"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\
        \"content\":\"\"},\"finish_reason\":null}],\"usage\":null}\n\n\
        data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":null}]}\n\n\
        data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
        data: {\"id\":\"c\",\"choices\": [ ],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1,\"total_tokens\":4}}\n\n\
        data: [DONE]\n\n";

    fn listened(id: DialectId, stream: &[u8], hides_usage: bool) -> (Outcome, Vec<u8>) {
        let mut tap = Tap::new(id, Framing::ServerSentEvents, hides_usage);
        let mut out = Vec::new();
        for chunk in stream.chunks(7) {
            out.extend(tap.push(chunk).unwrap_or_else(|| chunk.to_vec()));
        }
        out.extend(tap.close());
        (tap.outcome().clone(), out)
    }

    #[test]
    fn a_chat_stream_goes_through_and_its_usage_is_heard() {
        let (outcome, out) = listened(DialectId::ChatCompletions, CHAT, false);
        assert_eq!(out, CHAT);
        assert_eq!(outcome.usage.unwrap().output, Some(1));
        assert_eq!(outcome.finish, Some(FinishReason::Stop));
        assert!(outcome.has_content && outcome.failure.is_none());
    }

    #[test]
    fn a_usage_chunk_that_the_client_did_not_ask_for_is_taken_out() {
        let (outcome, out) = listened(DialectId::ChatCompletions, CHAT, true);
        let out = String::from_utf8(out).unwrap();
        assert!(!out.contains("prompt_tokens") && out.ends_with("data: [DONE]\n\n"));
        assert_eq!(out.matches("data: ").count(), 4);
        assert_eq!(outcome.usage.unwrap().input, Some(3));
    }

    #[test]
    fn a_chunk_of_whole_frames_with_nothing_to_hide_goes_through_as_it_is() {
        let mut tap = Tap::new(DialectId::ChatCompletions, Framing::ServerSentEvents, true);
        let ends: Vec<usize> = memchr::memmem::find_iter(CHAT, b"\n\n").collect();
        assert_eq!(tap.push(b": waiting\n\n"), None);
        assert_eq!(tap.push(&CHAT[..ends[1] + 2]), None);
        assert_eq!(tap.push(&CHAT[ends[1] + 2..ends[2]]), Some(Vec::new()));
        let whole = &CHAT[ends[1] + 2..ends[2] + 2];
        assert_eq!(tap.push(&CHAT[ends[2]..ends[3] + 2]), Some(whole.to_vec()));
        assert_eq!(tap.push(&CHAT[ends[3] + 2..]), None);
        assert!(tap.is_finished());
    }

    #[test]
    fn a_messages_stream_is_heard() {
        let stream = b"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\
            \"model\":\"x\",\"content\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n\
            event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
            \"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n\
            event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\
            \"usage\":{\"output_tokens\":9}}\n\n\
            event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
        let (outcome, out) = listened(DialectId::Messages, stream, false);
        assert_eq!(out, stream);
        let usage = outcome.usage.unwrap();
        assert_eq!((usage.input, usage.output), (Some(5), Some(9)));
        assert!(outcome.has_content && outcome.failure.is_none());
    }

    #[test]
    fn only_the_last_usage_of_generate_content_is_read() {
        let stream = b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}],\
            \"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":1}}\r\n\r\n\
            data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}],\
            \"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":2}}\r\n\r\n";
        let (outcome, out) = listened(DialectId::GenerateContent, stream, false);
        assert_eq!(out, stream);
        assert_eq!(outcome.usage.unwrap().output, Some(2));
        assert_eq!(outcome.finish, Some(FinishReason::Stop));
        assert!(outcome.failure.is_none());
    }

    #[test]
    fn a_stream_that_breaks_off_is_a_failure() {
        let cut = &CHAT[..CHAT.len() / 2];
        let (outcome, _) = listened(DialectId::ChatCompletions, cut, false);
        assert!(outcome.failure.is_some());
    }
}
