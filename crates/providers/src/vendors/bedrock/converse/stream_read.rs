//! A streamed answer, read frame by frame. Blocks of words begin with their first piece, calls with a
//! frame of their own; the counts come last, after the end of the message.

use dialects::canonical::{Annotation, At, Event, EventSink, Failure, PartHead, ThinkingForm};
use dialects::{Frame, Signature, StreamReader, error_body};

use super::finish;
use super::model_family::SIGNED_BY;
use super::reply_read::{annotation, made_up_id};
use super::wire::{BlockStart, Citation, Delta, ReasoningDelta, StreamEvent};

/// What a thought that nobody can read may be long.
const LONGEST_REDACTED: usize = 16 << 20;
/// Citations that one block may gather.
const MOST_CITATIONS: usize = 4096;
/// No answer has more blocks open at a time.
const MOST_OPEN_BLOCKS: usize = 128;

type Sink<'a> = &'a mut dyn EventSink;

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Reader {
    started: bool,
    finished: bool,
    ended: bool,
    calls: u32,
    parts: u32,
    open: Vec<Block>,
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
        length: u64,
        notes: Vec<Annotation>,
    },
    Thought,
    Redacted {
        data: String,
    },
    Call {
        has_input: bool,
    },
    /// Amazon's own tool: nothing that a client answers.
    Hosted,
}

impl StreamReader for Reader {
    fn frame(&mut self, frame: Frame<'_>, sink: &mut dyn EventSink) {
        if self.ended {
            return;
        }
        if frame.event == Some("error") {
            let failure = error_body::for_client(error_body::read_error(200, frame.data));
            return self.fail(&failure, sink);
        }
        let Ok(event) = serde_json::from_slice::<StreamEvent<'_>>(frame.data) else {
            let failure =
                error_body::unusable("The upstream sent a frame that cannot be read.", frame.data);
            return self.fail(&failure, sink);
        };
        self.on_event(frame.event.unwrap_or_default(), &event, sink);
    }

    /// Counts that never came are missed, but the answer is whole.
    fn close(&mut self, sink: &mut dyn EventSink) {
        if self.finished {
            return self.end(sink);
        }
        let failure = Failure::upstream("The upstream's stream ended before its end.");
        self.fail(&failure, sink);
    }
}

impl Reader {
    fn on_event(&mut self, name: &str, event: &StreamEvent<'_>, sink: Sink<'_>) {
        let index = event.content_block_index;
        match name {
            "messageStart" => self.start(sink),
            "contentBlockStart" => self.on_start(index, event.start.as_ref(), sink),
            "contentBlockDelta" => {
                if let Some(delta) = &event.delta {
                    self.on_delta(index, delta, sink);
                }
            }
            "contentBlockStop" => self.end_block(index, sink),
            "messageStop" => self.on_stop(event, sink),
            "metadata" => self.on_metadata(event, sink),
            _ => {}
        }
    }

    fn start(&mut self, sink: Sink<'_>) {
        if !std::mem::replace(&mut self.started, true) {
            let (id, model, created) = ("", "", None);
            sink.event(Event::Start { id, model, created });
        }
    }

    fn fail(&mut self, failure: &Failure, sink: Sink<'_>) {
        if !std::mem::replace(&mut self.ended, true) {
            self.open.clear();
            sink.event(Event::Error(failure));
        }
    }

    fn end(&mut self, sink: Sink<'_>) {
        if !std::mem::replace(&mut self.ended, true) {
            sink.event(Event::End);
        }
    }

    fn on_start(&mut self, index: u32, start: Option<&BlockStart<'_>>, sink: Sink<'_>) {
        let Some(call) = start.and_then(|start| start.tool_use.as_ref()) else {
            return;
        };
        self.end_block(index, sink);
        self.end_words(sink);
        if call.is_hosted() {
            let at = At { choice: 0, part: 0 };
            let kind = BlockKind::Hosted;
            return self.open.push(Block { index, at, kind });
        }
        let made_up;
        let id = match call.id.as_ref() {
            "" => {
                made_up = made_up_id(self.parts as usize);
                &made_up
            }
            id => id,
        };
        self.calls += 1;
        let head = PartHead::ToolCall {
            id,
            name: &call.name,
            namespace: None,
            is_free: false,
        };
        let has_input = false;
        self.open(index, BlockKind::Call { has_input }, head, sink);
    }

    /// Numbers the next part and says that it begins.
    fn open(&mut self, index: u32, kind: BlockKind, head: PartHead<'_>, sink: Sink<'_>) {
        if self.open.len() >= MOST_OPEN_BLOCKS {
            let failure = Failure::upstream("The upstream opened too many blocks at once.");
            return self.fail(&failure, sink);
        }
        self.start(sink);
        let (choice, part) = (0, self.parts);
        let at = At { choice, part };
        self.parts += 1;
        self.open.push(Block { index, at, kind });
        sink.event(Event::PartStart { at, head });
    }

    fn on_delta(&mut self, index: u32, delta: &Delta<'_>, sink: Sink<'_>) {
        if self.finished {
            return;
        }
        if let Some(text) = &delta.text {
            self.on_text(index, text, sink);
        } else if let Some(call) = &delta.tool_use {
            self.on_input(index, &call.input, sink);
        } else if let Some(reasoning) = &delta.reasoning_content {
            self.on_reasoning(index, reasoning, sink);
        } else if let Some(citation) = &delta.citation {
            self.on_citation(index, citation, sink);
        }
    }

    fn find(&mut self, index: u32) -> Option<&mut Block> {
        self.open.iter_mut().find(|block| block.index == index)
    }

    fn text_block(&mut self, index: u32, sink: Sink<'_>) -> Option<&mut Block> {
        let is_text = |block: &Block| matches!(block.kind, BlockKind::Text { .. });
        if !self.find(index).is_some_and(|block| is_text(block)) {
            self.end_block(index, sink);
            self.end_words(sink);
            let (length, notes) = (0, Vec::new());
            let kind = BlockKind::Text { length, notes };
            self.open(index, kind, PartHead::Text, sink);
        }
        self.find(index)
    }

    fn on_text(&mut self, index: u32, text: &str, sink: Sink<'_>) {
        let Some(block) = self.text_block(index, sink) else {
            return;
        };
        if let BlockKind::Text { length, .. } = &mut block.kind {
            *length += text.chars().count() as u64;
        }
        let at = block.at;
        if !text.is_empty() {
            sink.event(Event::Text { at, text });
        }
    }

    /// A citation covers its whole block, so it is told when the block ends.
    fn on_citation(&mut self, index: u32, citation: &Citation<'_>, sink: Sink<'_>) {
        let Some(block) = self.text_block(index, sink) else {
            return;
        };
        if let BlockKind::Text { notes, .. } = &mut block.kind
            && notes.len() < MOST_CITATIONS
        {
            notes.extend(annotation(citation, 0));
        }
    }

    fn on_input(&mut self, index: u32, text: &str, sink: Sink<'_>) {
        let Some(block) = self.find(index) else {
            return;
        };
        let at = block.at;
        if let BlockKind::Call { has_input } = &mut block.kind
            && !text.is_empty()
        {
            *has_input = true;
            sink.event(Event::Arguments { at, text });
        }
    }

    fn on_reasoning(&mut self, index: u32, delta: &ReasoningDelta<'_>, sink: Sink<'_>) {
        if let Some(piece) = &delta.redacted_content {
            return self.on_redacted(index, piece, sink);
        }
        let is_thought = |block: &Block| matches!(block.kind, BlockKind::Thought);
        if !self.find(index).is_some_and(|block| is_thought(block)) {
            self.end_block(index, sink);
            self.end_words(sink);
            let head = PartHead::Thinking(ThinkingForm::Raw);
            self.open(index, BlockKind::Thought, head, sink);
        }
        let Some(at) = self.find(index).map(|block| block.at) else {
            return;
        };
        if let Some(text) = delta.text.as_deref().filter(|text| !text.is_empty()) {
            sink.event(Event::Text { at, text });
        }
        if let Some(text) = delta.signature.as_deref().filter(|text| !text.is_empty()) {
            let signature = &Signature::native(SIGNED_BY, text);
            sink.event(Event::Signature { at, signature });
        }
    }

    /// Pieces of base64 that are one value: it is told when it is whole.
    fn on_redacted(&mut self, index: u32, piece: &str, sink: Sink<'_>) {
        let is_redacted = |block: &Block| matches!(block.kind, BlockKind::Redacted { .. });
        if !self.find(index).is_some_and(|block| is_redacted(block)) {
            self.end_block(index, sink);
            self.end_words(sink);
            let data = String::new();
            let head = PartHead::Thinking(ThinkingForm::Redacted);
            self.open(index, BlockKind::Redacted { data }, head, sink);
        }
        let Some(BlockKind::Redacted { data }) = self.find(index).map(|block| &mut block.kind)
        else {
            return;
        };
        data.push_str(piece);
        if data.len() > LONGEST_REDACTED {
            let failure = Failure::upstream("The upstream's answer is too long.");
            self.fail(&failure, sink);
        }
    }

    /// Words never overlap in canonical form, whatever an upstream does.
    fn end_words(&mut self, sink: Sink<'_>) {
        let is_call = |block: &Block| matches!(block.kind, BlockKind::Call { .. });
        while let Some(block) = self.open.iter().find(|block| !is_call(block)) {
            self.end_block(block.index, sink);
        }
    }

    fn end_block(&mut self, index: u32, sink: Sink<'_>) {
        let place = self.open.iter().position(|block| block.index == index);
        let Some(Block { at, kind, .. }) = place.map(|place| self.open.remove(place)) else {
            return;
        };
        match kind {
            BlockKind::Hosted => return,
            BlockKind::Text { length, notes } => {
                for mut annotation in notes {
                    if let Annotation::Url { end, .. } = &mut annotation {
                        *end = Some(length);
                    }
                    let annotation = &annotation;
                    sink.event(Event::Note { at, annotation });
                }
            }
            BlockKind::Redacted { data } => {
                let signature = &Signature::native(SIGNED_BY, data);
                sink.event(Event::Signature { at, signature });
            }
            BlockKind::Call { has_input: false } => {
                sink.event(Event::Arguments { at, text: "{}" });
            }
            BlockKind::Call { .. } | BlockKind::Thought => {}
        }
        sink.event(Event::PartEnd { at });
    }

    fn on_stop(&mut self, event: &StreamEvent<'_>, sink: Sink<'_>) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        self.start(sink);
        while let Some(block) = self.open.first() {
            self.end_block(block.index, sink);
        }
        let additional = event.additional_model_response_fields.as_ref();
        let sequence = additional.and_then(|it| it.stop_sequence.as_deref());
        let finish = &finish::read(&event.stop_reason, sequence, self.calls > 0);
        sink.event(Event::Finish { choice: 0, finish });
    }

    fn on_metadata(&mut self, event: &StreamEvent<'_>, sink: Sink<'_>) {
        self.start(sink);
        if let Some(counts) = &event.usage {
            sink.event(Event::Usage(&counts.usage()));
        }
        if let Some(tier) = event.service_tier.as_ref().filter(|it| !it.kind.is_empty()) {
            sink.event(Event::Tier(&tier.kind));
        }
        if self.finished {
            self.end(sink);
        }
    }
}
