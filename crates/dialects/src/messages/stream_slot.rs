//! A part of a streamed answer while the writer is at work on it. Only one block may be open
//! towards the client, so what comes for other parts waits here.

use serde_json::Value;

use super::ID;
use super::arguments::{ObjectScan, ScanState};
use super::blocks_write::citation;
use crate::Signature;
use crate::canonical::{Annotation, PartHead, ThinkingForm};

/// A part that has begun and is not yet written to its end.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) part: u32,
    pub(super) kind: SlotKind,
    /// Words or arguments that wait to be written.
    pub(super) waiting: String,
    /// Citations that wait to be written.
    pub(super) citations: Vec<Value>,
    pub(super) signature: Option<Signature>,
    pub(super) ended: bool,
    /// Whether a block was written for it.
    pub(super) shown: bool,
    /// Its readiness as [`Slots`](super::stream_slots::Slots) has filed it.
    pub(super) filed: Readiness,
}

#[derive(Debug)]
pub(super) enum SlotKind {
    Text,
    Thinking(ThinkingForm),
    Call(Call),
    /// A block of this dialect, whole.
    Hosted(Value),
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) is_free: bool,
    pub(super) scan: ObjectScan,
    /// Its block was closed because the arguments are whole.
    pub(super) closed: bool,
}

/// What can be done with a slot while no block is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    /// It has nothing to say now; later parts may go first.
    Silent,
    /// It must be written before later parts, but cannot be yet.
    Blocking,
    /// Something can be written.
    Ready,
}

impl Slot {
    /// A slot for a part that begins; `None` for what this dialect's clients cannot be shown.
    pub(super) fn new(part: u32, head: &PartHead<'_>) -> Option<Self> {
        let kind = match head {
            PartHead::Text | PartHead::Refusal => SlotKind::Text,
            PartHead::Thinking(form) => SlotKind::Thinking(*form),
            PartHead::ToolCall {
                id, name, is_free, ..
            } => SlotKind::Call(Call {
                id: (*id).to_owned(),
                name: (*name).to_owned(),
                is_free: *is_free,
                scan: ObjectScan::default(),
                closed: false,
            }),
            PartHead::Hosted(hosted) if hosted.dialect == ID => {
                SlotKind::Hosted(hosted.raw.clone())
            }
            PartHead::Hosted(_) | PartHead::Media(_) => return None,
        };
        Some(Self {
            part,
            ended: matches!(kind, SlotKind::Hosted(_)),
            kind,
            waiting: String::new(),
            citations: Vec::new(),
            signature: None,
            shown: false,
            filed: Readiness::Silent,
        })
    }

    /// Whether it is text or thinking, of which only one is open at a time.
    pub(super) fn is_words(&self) -> bool {
        matches!(self.kind, SlotKind::Text | SlotKind::Thinking(_))
    }

    /// Takes words that cannot be written yet.
    pub(super) fn push_text(&mut self, text: &str) {
        self.waiting.push_str(text);
    }

    /// Takes arguments that cannot be written yet; says how many bytes were kept.
    pub(super) fn push_arguments(&mut self, text: &str) -> usize {
        let SlotKind::Call(call) = &mut self.kind else {
            return 0;
        };
        let kept = if call.is_free {
            text.len()
        } else {
            call.scan.feed(text)
        };
        self.waiting.push_str(&text[..kept]);
        kept
    }

    /// Takes arguments of the open block; returns how many bytes belong to their object.
    pub(super) fn scan_arguments(&mut self, text: &str) -> usize {
        match &mut self.kind {
            SlotKind::Call(call) => call.scan.feed(text),
            _ => 0,
        }
    }

    /// Notes that its block was closed. A call has no second one.
    pub(super) fn close(&mut self) {
        if let SlotKind::Call(call) = &mut self.kind {
            call.closed = true;
        }
    }

    /// Takes a citation; those of other dialects cannot be said here.
    pub(super) fn push_citation(&mut self, annotation: &Annotation) {
        if let (SlotKind::Text, Some(raw)) = (&self.kind, citation(annotation)) {
            self.citations.push(raw.clone());
        }
    }

    /// What can be done with it. `followed` says that later parts wait behind it.
    pub(super) fn readiness(&self, followed: bool) -> Readiness {
        if self.ended {
            return Readiness::Ready;
        }
        match &self.kind {
            SlotKind::Call(call) if call.closed => Readiness::Silent,
            SlotKind::Call(call) if call.is_free => Readiness::Blocking,
            SlotKind::Call(call) => match call.scan.state() {
                ScanState::Inside => Readiness::Ready,
                // A call that came whole may still get a signature, which goes before it.
                ScanState::Complete if followed => Readiness::Ready,
                _ => Readiness::Blocking,
            },
            _ if self.waiting.is_empty() && self.citations.is_empty() => Readiness::Silent,
            _ => Readiness::Ready,
        }
    }

    /// Whether its open block may be closed for the sake of later parts.
    pub(super) fn may_yield(&self) -> bool {
        match &self.kind {
            SlotKind::Call(call) => call.scan.state() == ScanState::Complete,
            _ => true,
        }
    }

    /// A rough count of the memory that it holds.
    pub(super) fn weight(&self) -> usize {
        let own = match &self.kind {
            SlotKind::Call(call) => call.id.len() + call.name.len(),
            _ => 0,
        };
        128 + own
    }
}
