//! A streamed answer, read frame by frame: one short method for each kind of frame. Text crosses
//! without being copied; only hosted blocks and citations are gathered until their block ends.

use serde_json::Value;
use serde_json::value::RawValue;

use super::blocks_read::{read_citation, read_input};
use super::usage::Counters;
use super::wire::{Delta, Message, StreamEvent, UsageReport};
use super::{ID, finish};
use crate::canonical::{
    Annotation, At, Event, EventSink, Failure, Finish, Hosted, PartHead, ThinkingForm,
};
use crate::mend::mended;
use crate::{Frame, Signature, StreamReader, error_body, frame_wire, ids};

/// What may be gathered in all before blocks end.
const MAX_HELD_BYTES: usize = 32 << 20;
/// No answer has more blocks open at a time.
const MAX_OPEN_BLOCKS: usize = 128;

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Reader {
    id: String,
    started: bool,
    finished: bool,
    ended: bool,
    counters: Counters,
    blocks: Vec<Block>,
    parts: u32,
    calls: u32,
    held: usize,
}

/// A block that is open.
#[derive(Debug)]
struct Block {
    index: u32,
    at: At,
    kind: BlockKind,
}

#[derive(Debug)]
enum BlockKind {
    Text {
        /// Characters so far: a citation covers its whole block.
        length: u64,
        citations: Vec<Value>,
    },
    Thinking,
    Call {
        /// The input that the block began with; counts where no pieces follow.
        whole: Option<String>,
    },
    Hosted {
        raw: Value,
        input: String,
    },
}

type Sink<'a> = &'a mut dyn EventSink;

impl StreamReader for Reader {
    fn frame(&mut self, frame: Frame<'_>, sink: &mut dyn EventSink) {
        if self.ended || frame.data.is_empty() || frame.data == b"[DONE]" {
            return;
        }
        if let Ok(event) = frame_wire::read::<StreamEvent<'_>>(frame.data) {
            return self.on_event(frame, &event, sink);
        }
        if let Ok(event) = serde_json::from_slice::<StreamEvent<'_>>(&mended(frame.data)) {
            return self.on_event(frame, &event, sink);
        }
        let message = "The upstream sent a frame that cannot be read.";
        self.fail(&error_body::unusable(message, frame.data), sink);
    }

    fn close(&mut self, sink: &mut dyn EventSink) {
        let message = "The upstream's stream ended before its end.";
        self.fail(&Failure::upstream(message), sink);
    }
}

impl Reader {
    fn on_event(&mut self, frame: Frame<'_>, event: &StreamEvent<'_>, sink: Sink<'_>) {
        let kind = if event.kind.is_empty() {
            frame.event.unwrap_or_default()
        } else {
            event.kind.as_ref()
        };
        if event.error.is_some_and(|error| error.get() != "null") {
            return self.on_error(frame.data, sink);
        }
        match kind {
            "content_block_delta" => self.on_block_delta(event, sink),
            "content_block_start" => self.on_block_start(event, sink),
            "content_block_stop" => self.on_block_stop(event, sink),
            "message_start" => self.on_message_start(event.message.as_ref(), sink),
            "message_delta" => self.on_message_delta(event, sink),
            "message_stop" => self.on_message_stop(sink),
            "ping" if self.started => sink.event(Event::Ping),
            "error" => self.on_error(frame.data, sink),
            _ => {}
        }
    }

    fn fail(&mut self, failure: &Failure, sink: Sink<'_>) {
        if !std::mem::replace(&mut self.ended, true) {
            self.blocks.clear();
            sink.event(Event::Error(failure));
        }
    }

    /// Counts bytes that are kept; says no where there are too many.
    fn hold(&mut self, bytes: usize, sink: Sink<'_>) -> bool {
        self.held = self.held.saturating_add(bytes);
        if self.held <= MAX_HELD_BYTES {
            return true;
        }
        self.fail(
            &Failure::upstream("The upstream's answer is too long."),
            sink,
        );
        false
    }

    fn start(&mut self, id: &str, model: &str, sink: Sink<'_>) {
        if !std::mem::replace(&mut self.started, true) {
            id.clone_into(&mut self.id);
            let created = None;
            sink.event(Event::Start { id, model, created });
        }
    }

    fn on_message_start(&mut self, message: Option<&Message<'_>>, sink: Sink<'_>) {
        let Some(message) = message else {
            return self.start("", "", sink);
        };
        self.start(&message.id, &message.model, sink);
        if let Some(report) = &message.usage {
            self.on_usage(report, sink);
        }
    }

    fn on_usage(&mut self, report: &UsageReport<'_>, sink: Sink<'_>) {
        self.counters.merge(report.counters());
        sink.event(Event::Usage(&self.counters.usage()));
        if !report.service_tier.is_empty() {
            sink.event(Event::Tier(&report.service_tier));
        }
    }

    fn on_error(&mut self, data: &[u8], sink: Sink<'_>) {
        let failure = error_body::for_client(error_body::read_error(200, data));
        self.fail(&failure, sink);
    }

    fn on_block_start(&mut self, event: &StreamEvent<'_>, sink: Sink<'_>) {
        let Some(raw) = event.content_block else {
            return;
        };
        if self.finished || !self.hold(raw.get().len(), sink) {
            return;
        }
        if self.blocks.len() >= MAX_OPEN_BLOCKS {
            let message = "The upstream opened too many blocks at once.";
            return self.fail(&Failure::upstream(message), sink);
        }
        self.start("", "", sink);
        let index = event.index.unwrap_or(self.parts);
        self.end_block(index, sink);
        let block = parsed(raw);
        if !block.is_object() {
            let message = "The upstream sent a block that cannot be read.";
            return self.fail(&Failure::upstream(message), sink);
        }
        match block.get("type").and_then(Value::as_str) {
            Some("text") => self.open_text(index, &block, sink),
            Some("thinking") => self.open_thinking(index, &block, sink),
            Some("redacted_thinking") => self.open_redacted(index, &block, sink),
            Some("tool_use") => self.open_call(index, &block, sink),
            _ => {
                let (at, input) = (At { choice: 0, part: 0 }, String::new());
                let kind = BlockKind::Hosted { raw: block, input };
                self.blocks.push(Block { index, at, kind });
            }
        }
    }

    /// Numbers the next part and says that it begins.
    fn open(&mut self, index: u32, kind: BlockKind, head: PartHead<'_>, sink: Sink<'_>) -> At {
        let at = self.next_part();
        self.blocks.push(Block { index, at, kind });
        sink.event(Event::PartStart { at, head });
        at
    }

    fn next_part(&mut self) -> At {
        let at = At {
            choice: 0,
            part: self.parts,
        };
        self.parts += 1;
        at
    }

    /// Text and thinking never overlap in canonical form, whatever an upstream does.
    fn end_words(&mut self, sink: Sink<'_>) {
        let is_words =
            |block: &Block| matches!(block.kind, BlockKind::Text { .. } | BlockKind::Thinking);
        while let Some(place) = self.blocks.iter().position(is_words) {
            self.end_block(self.blocks[place].index, sink);
        }
    }

    fn open_text(&mut self, index: u32, block: &Value, sink: Sink<'_>) {
        self.end_words(sink);
        let text = member(block, "text");
        let citations = block.get("citations").and_then(Value::as_array);
        let kind = BlockKind::Text {
            length: text.chars().count() as u64,
            citations: citations.cloned().unwrap_or_default(),
        };
        let at = self.open(index, kind, PartHead::Text, sink);
        if !text.is_empty() {
            sink.event(Event::Text { at, text });
        }
    }

    fn open_thinking(&mut self, index: u32, block: &Value, sink: Sink<'_>) {
        self.end_words(sink);
        let head = PartHead::Thinking(ThinkingForm::Summary);
        let at = self.open(index, BlockKind::Thinking, head, sink);
        let text = member(block, "thinking");
        if !text.is_empty() {
            sink.event(Event::Text { at, text });
        }
        sign(at, member(block, "signature"), sink);
    }

    fn open_redacted(&mut self, index: u32, block: &Value, sink: Sink<'_>) {
        self.end_words(sink);
        let head = PartHead::Thinking(ThinkingForm::Redacted);
        let at = self.open(index, BlockKind::Thinking, head, sink);
        sign(at, member(block, "data"), sink);
    }

    fn open_call(&mut self, index: u32, block: &Value, sink: Sink<'_>) {
        let made_up;
        let id = match member(block, "id") {
            "" => {
                made_up = ids::call_id(&self.id, 0, self.calls);
                &made_up
            }
            id => id,
        };
        self.calls += 1;
        let whole = match block.get("input") {
            Some(Value::Object(input)) if !input.is_empty() => {
                Some(read_input(block.get("input").cloned()).text().to_owned())
            }
            Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        };
        let head = PartHead::ToolCall {
            id,
            name: member(block, "name"),
            namespace: None,
            is_free: false,
        };
        // An empty object stands for no arguments until pieces come.
        let whole = Some(whole.unwrap_or_else(|| "{}".to_owned()));
        self.open(index, BlockKind::Call { whole }, head, sink);
    }

    fn on_block_delta(&mut self, event: &StreamEvent<'_>, sink: Sink<'_>) {
        let Some(delta) = &event.delta else { return };
        let Some(place) = self.place_for(event.index, &delta.kind, sink) else {
            return;
        };
        let block = &mut self.blocks[place];
        let at = block.at;
        match (&mut block.kind, delta.kind.as_ref()) {
            (BlockKind::Text { length, .. }, "text_delta") if !delta.text.is_empty() => {
                *length += delta.text.chars().count() as u64;
                let text = &delta.text;
                sink.event(Event::Text { at, text });
            }
            (BlockKind::Thinking, "thinking_delta") if !delta.thinking.is_empty() => {
                let text = &delta.thinking;
                sink.event(Event::Text { at, text });
            }
            (BlockKind::Thinking, "signature_delta") => sign(at, &delta.signature, sink),
            (BlockKind::Call { whole }, "input_json_delta") if !delta.partial_json.is_empty() => {
                *whole = None;
                let text = &delta.partial_json;
                sink.event(Event::Arguments { at, text });
            }
            (BlockKind::Text { .. } | BlockKind::Hosted { .. }, _) => {
                self.on_gathered(place, delta, sink);
            }
            _ => {}
        }
    }

    /// The block that a frame names; without a number, the one that is open.
    fn place(&self, index: Option<u32>) -> Option<usize> {
        match index {
            Some(index) => self.blocks.iter().rposition(|block| block.index == index),
            None => self.blocks.len().checked_sub(1),
        }
    }

    /// The place of the block of a delta. Some upstreams do not say that a block of words begins.
    fn place_for(&mut self, index: Option<u32>, kind: &str, sink: Sink<'_>) -> Option<usize> {
        if let Some(place) = self.place(index) {
            return Some(place);
        }
        if self.finished || !matches!(kind, "text_delta" | "thinking_delta") {
            return None;
        }
        self.start("", "", sink);
        let index = index.unwrap_or(self.parts);
        if kind == "text_delta" {
            self.open_text(index, &Value::Null, sink);
        } else {
            self.open_thinking(index, &Value::Null, sink);
        }
        self.place(Some(index))
    }

    /// Deltas that are kept until their block ends.
    fn on_gathered(&mut self, place: usize, delta: &Delta<'_>, sink: Sink<'_>) {
        let raw = delta.citation.or(delta.content);
        let bytes = delta.partial_json.len() + raw.map_or(0, |raw| raw.get().len());
        if !self.hold(bytes, sink) {
            return;
        }
        match (&mut self.blocks[place].kind, raw) {
            (BlockKind::Text { citations, .. }, Some(raw)) if delta.citation.is_some() => {
                citations.push(parsed(raw));
            }
            (BlockKind::Hosted { input, .. }, None) => input.push_str(&delta.partial_json),
            (BlockKind::Hosted { raw: block, .. }, Some(raw)) => append_content(block, parsed(raw)),
            _ => {}
        }
    }

    fn on_block_stop(&mut self, event: &StreamEvent<'_>, sink: Sink<'_>) {
        if let Some(place) = self.place(event.index) {
            self.end_block(self.blocks[place].index, sink);
        }
    }

    fn end_block(&mut self, index: u32, sink: Sink<'_>) {
        let Some(place) = self.place(Some(index)) else {
            return;
        };
        let block = self.blocks.remove(place);
        let mut at = block.at;
        match block.kind {
            BlockKind::Text { length, citations } => {
                for raw in citations {
                    let annotation: &Annotation = &read_citation(raw, length);
                    sink.event(Event::Note { at, annotation });
                }
            }
            BlockKind::Thinking => {}
            BlockKind::Call { whole } => {
                if let Some(text) = whole.as_deref() {
                    sink.event(Event::Arguments { at, text });
                }
            }
            BlockKind::Hosted { raw, input } => {
                at = self.next_part();
                let hosted = whole_block(raw, &input);
                let head = PartHead::Hosted(&hosted);
                sink.event(Event::PartStart { at, head });
            }
        }
        sink.event(Event::PartEnd { at });
    }

    fn end_all(&mut self, sink: Sink<'_>) {
        while let Some(block) = self.blocks.first() {
            self.end_block(block.index, sink);
        }
    }

    fn on_message_delta(&mut self, event: &StreamEvent<'_>, sink: Sink<'_>) {
        self.start("", "", sink);
        if let Some(delta) = &event.delta
            && !delta.stop_reason.is_empty()
        {
            let details = delta.stop_details.map(parsed);
            let details = details.filter(|details| !details.is_null());
            let sequence = Some(delta.stop_sequence.as_ref());
            self.finish(finish::read(&delta.stop_reason, sequence, details), sink);
        }
        if let Some(report) = &event.usage {
            self.on_usage(report, sink);
        }
    }

    fn finish(&mut self, mut finish: Finish, sink: Sink<'_>) {
        self.end_all(sink);
        if !std::mem::replace(&mut self.finished, true) {
            finish.settle(self.calls > 0);
            let (choice, finish) = (0, &finish);
            sink.event(Event::Finish { choice, finish });
        }
    }

    fn on_message_stop(&mut self, sink: Sink<'_>) {
        self.start("", "", sink);
        if !self.finished {
            self.finish(finish::read("end_turn", None, None), sink);
        }
        self.ended = true;
        sink.event(Event::End);
    }
}

fn parsed(raw: &RawValue) -> Value {
    let text = raw.get().as_bytes();
    let read = serde_json::from_slice(text).or_else(|_| serde_json::from_slice(&mended(text)));
    read.unwrap_or_default()
}

fn member<'a>(block: &'a Value, key: &str) -> &'a str {
    block.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn sign(at: At, text: &str, sink: Sink<'_>) {
    if !text.is_empty() {
        let signature = &Signature::native(ID, text);
        sink.event(Event::Signature { at, signature });
    }
}

fn append_content(block: &mut Value, more: Value) {
    match (block.get_mut("content"), more) {
        (Some(Value::String(content)), Value::String(more)) => content.push_str(&more),
        (_, more) => {
            if let Value::Object(block) = block {
                block.insert("content".to_owned(), more);
            }
        }
    }
}

/// A hosted block with the input that came in pieces.
fn whole_block(mut raw: Value, input: &str) -> Hosted {
    if let (Value::Object(block), Ok(input)) = (&mut raw, serde_json::from_str(input)) {
        block.insert("input".to_owned(), input);
    }
    Hosted { dialect: ID, raw }
}
