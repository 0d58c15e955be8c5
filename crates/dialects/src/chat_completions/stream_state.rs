//! One choice of a streamed answer while it is written: which parts were begun, what is held back.

use std::collections::HashMap;

use serde_json::Value;

use super::citations;
use crate::Signature;
use crate::canonical::{Annotation, ThinkingForm};

/// Citations, and places of texts, beyond this many are not kept.
const MAX_NOTES: usize = 4096;

/// What parts a thought from an earlier one: a blank line, unless it brings its own.
pub fn thought_gap(text: &str) -> &'static str {
    if text.starts_with('\n') { "" } else { "\n\n" }
}

/// One choice.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what was sent"
)]
pub struct ChoiceOut {
    /// Its index.
    pub index: u32,
    /// A call that was not sent yet.
    pub held: Option<HeldCall>,
    /// Whether words of refusal were sent.
    pub has_refusal: bool,
    /// Whether a recording was sent.
    pub has_audio: bool,
    /// Whether its finish was sent.
    pub is_finished: bool,
    thinking: Option<(u32, ThinkingForm)>,
    /// The signature of a thought: it rides on the id of the call after it.
    carried: Option<Signature>,
    refusal: Option<u32>,
    text: Option<u32>,
    /// Whether the open thinking part has said something, and whether an earlier one has.
    has_thought: bool,
    had_thought: bool,
    /// In the order of their parts.
    calls: Vec<BegunCall>,
    images: u64,
    /// Characters of content so far, and where the open text began.
    length: u64,
    text_start: u64,
    /// Texts that are complete, by their part: first character, one past the last.
    spans: HashMap<u32, (u64, u64)>,
    notes: Vec<Note>,
}

/// A call that waits for the signature that may ride on its id.
pub struct HeldCall {
    /// Its part.
    pub part: u32,
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Whether it takes free text.
    pub is_free: bool,
    /// Its signature, where one came.
    pub signature: Option<Signature>,
    /// Whole arguments that came before the signature.
    pub arguments: String,
}

impl HeldCall {
    /// Whether these arguments are all there will be: then a signature may still come.
    pub fn may_be_whole(&self, text: &str) -> bool {
        self.arguments.is_empty()
            && !self.is_free
            && text.starts_with('{')
            && text.ends_with('}')
            && serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok()
    }
}

struct BegunCall {
    part: u32,
    is_free: bool,
    has_arguments: bool,
}

struct Note {
    part: u32,
    start: u64,
    annotation: Annotation,
}

impl ChoiceOut {
    /// A choice that has told its role.
    pub fn new(index: u32) -> Self {
        Self {
            index,
            ..Self::default()
        }
    }

    /// A text begins.
    pub fn begin_text(&mut self, part: u32) {
        self.text = Some(part);
        self.text_start = self.length;
    }

    /// A refusal begins.
    pub fn begin_refusal(&mut self, part: u32) {
        self.refusal = Some(part);
    }

    /// A thought begins.
    pub fn begin_thinking(&mut self, part: u32, form: ThinkingForm) {
        self.had_thought |= self.has_thought;
        self.has_thought = false;
        self.thinking = Some((part, form));
    }

    /// A signature of a call that is held back, or of a thought.
    pub fn on_signature(&mut self, part: u32, signature: &Signature) {
        if let Some(call) = self.held.as_mut().filter(|call| call.part == part) {
            call.signature = Some(signature.clone());
        } else if self
            .thinking
            .is_some_and(|(thought, form)| thought == part && signature.travels(form))
        {
            self.carried = Some(signature.clone());
        }
    }

    /// The call that is held back, if this one is meant, with the signature that rides on it.
    pub fn take_held(&mut self, part: Option<u32>) -> Option<HeldCall> {
        let is_meant = |call: &mut HeldCall| part.is_none_or(|part| part == call.part);
        let mut call = self.held.take_if(is_meant)?;
        let carried = self.carried.take();
        call.signature = call.signature.or(carried);
        Some(call)
    }

    /// Whether this part is a refusal.
    pub fn is_refusal(&self, part: u32) -> bool {
        self.refusal == Some(part)
    }

    /// Whether this part is a thought.
    pub fn is_thinking(&self, part: u32) -> bool {
        self.thinking.is_some_and(|(thought, _)| thought == part)
    }

    /// What goes before these words of a thought.
    pub fn thinking_gap(&mut self, text: &str) -> &'static str {
        let is_first = !std::mem::replace(&mut self.has_thought, true);
        if is_first && self.had_thought {
            thought_gap(text)
        } else {
            ""
        }
    }

    /// Counts words of content.
    pub fn on_text(&mut self, text: &str) {
        self.length += text.chars().count() as u64;
    }

    /// Keeps a citation for the finish.
    pub fn on_note(&mut self, part: u32, annotation: &Annotation) {
        if self.notes.len() < MAX_NOTES {
            let closed = self.spans.get(&part);
            self.notes.push(Note {
                part,
                start: closed.map_or(self.text_start, |(start, _)| *start),
                annotation: annotation.clone(),
            });
        }
    }

    /// The citations, all of them, once.
    pub fn annotations(&mut self) -> Vec<Value> {
        let notes = std::mem::take(&mut self.notes);
        let written = notes.iter().filter_map(|note| {
            let closed = self.spans.get(&note.part);
            let end = closed.map_or(self.length, |(_, end)| *end);
            citations::write(&note.annotation, note.start, end)
        });
        written.collect()
    }

    /// A call was sent: its place among the calls.
    pub fn begin_call(&mut self, part: u32, is_free: bool) -> u64 {
        self.calls.push(BegunCall {
            part,
            is_free,
            has_arguments: false,
        });
        self.calls.len() as u64 - 1
    }

    /// A call that was sent and now gets arguments: its place, and whether it takes free text.
    pub fn begun_call(&mut self, part: u32) -> Option<(u64, bool)> {
        let at = self.place(part)?;
        let call = &mut self.calls[at];
        call.has_arguments = true;
        Some((at as u64, call.is_free))
    }

    fn place(&self, part: u32) -> Option<usize> {
        let found = self.calls.binary_search_by_key(&part, |call| call.part);
        found.ok()
    }

    /// Notes that a call has had arguments.
    pub fn saw_arguments(&mut self, part: u32) {
        self.begun_call(part);
    }

    /// A part ends. A call that had no arguments needs empty ones: its place.
    pub fn end_part(&mut self, part: u32) -> Option<u64> {
        if self.text == Some(part) {
            self.text = None;
            if self.spans.len() < MAX_NOTES {
                self.spans.insert(part, (self.text_start, self.length));
            }
        }
        let at = self.place(part)?;
        let call = &mut self.calls[at];
        let is_bare = !call.has_arguments && !call.is_free;
        call.has_arguments = true;
        is_bare.then_some(at as u64)
    }

    /// The place of the next image.
    pub fn next_image(&mut self) -> u64 {
        self.images += 1;
        self.images - 1
    }
}
