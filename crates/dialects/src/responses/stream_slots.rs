//! The parts of a streamed answer and how far each has come. Parts are found by their place
//! (output index and content index); a part opens with its first words, so that an empty one never
//! shows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::stream_wire::{ItemWire, words};
use crate::canonical::{Annotation, At, Event, EventSink, PartHead, ThinkingForm};
use crate::{Signature, ids};

/// Output index and content index.
pub(super) type Key = (u32, u32);

/// The parts so far.
#[derive(Debug, Default)]
pub(super) struct Slots {
    by_key: BTreeMap<Key, Slot>,
    /// The text or thinking part that is open: at most one.
    open: Option<Key>,
    next_part: u32,
    /// How many calls there were.
    pub calls: u32,
    /// Whether the model refused in words.
    pub refuses: bool,
}

/// A part of the answer.
#[derive(Debug)]
struct Slot {
    part: u32,
    kind: SlotKind,
    state: SlotState,
    /// Whether words or arguments came.
    has_words: bool,
    has_notes: bool,
    /// The summary's index that the last words belonged to.
    paragraph: u32,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// A message's text.
    Text,
    /// A message's refusal.
    Refusal,
    /// Thoughts.
    Thinking(ThinkingForm),
    /// A call.
    Call,
    /// Known once it is whole.
    Whole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotState {
    Open,
    /// Another text began before this one was done; more words open a part of their own.
    Interrupted,
    Done,
}

fn at(part: u32) -> At {
    At { choice: 0, part }
}

impl Slots {
    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// What is at this place, if something is.
    pub(super) fn kind(&self, key: Key) -> Option<SlotKind> {
        self.by_key.get(&key).map(|slot| slot.kind)
    }

    /// Whether words or arguments came for this place.
    pub(super) fn has_words(&self, key: Key) -> bool {
        self.by_key.get(&key).is_some_and(|slot| slot.has_words)
    }

    /// Words for a text, a refusal or a thought.
    pub(super) fn words(&mut self, key: Key, kind: SlotKind, text: &str, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        if let Some(part) = self.opened(key, kind, sink) {
            sink.event(Event::Text { at: at(part), text });
        }
    }

    /// Takes over a whole text that no delta brought.
    pub(super) fn fill(&mut self, key: Key, kind: SlotKind, text: &str, sink: &mut dyn EventSink) {
        if !self.has_words(key) {
            self.words(key, kind, text, sink);
        }
    }

    /// Words of a thought; summaries of one item are divided by a blank line. An item that shows
    /// both thoughts and summaries is heard by what comes first.
    pub(super) fn thought(
        &mut self,
        output_index: u32,
        form: ThinkingForm,
        paragraph: u32,
        text: &str,
        sink: &mut dyn EventSink,
    ) {
        if text.is_empty() {
            return;
        }
        let key = (output_index, 0);
        let is_new = self
            .by_key
            .get(&key)
            .is_some_and(|slot| slot.has_words && slot.paragraph != paragraph);
        let Some(part) = self.opened(key, SlotKind::Thinking(form), sink) else {
            return;
        };
        if let Some(slot) = self.by_key.get_mut(&key) {
            slot.paragraph = paragraph;
        }
        if is_new {
            let text = "\n\n";
            sink.event(Event::Text { at: at(part), text });
        }
        sink.event(Event::Text { at: at(part), text });
    }

    /// The open part at this place; `None` where it is done or of another kind.
    fn opened(&mut self, key: Key, kind: SlotKind, sink: &mut dyn EventSink) -> Option<u32> {
        match self.by_key.get_mut(&key) {
            Some(slot) if slot.kind != kind || slot.state == SlotState::Done => return None,
            Some(slot) if slot.state == SlotState::Open => {
                slot.has_words = true;
                return Some(slot.part);
            }
            _ => {}
        }
        let head = match kind {
            SlotKind::Text => PartHead::Text,
            SlotKind::Refusal => PartHead::Refusal,
            SlotKind::Thinking(form) => PartHead::Thinking(form),
            SlotKind::Call | SlotKind::Whole => return None,
        };
        if let Some(key) = self.open.take() {
            self.end(key, SlotState::Interrupted, sink);
        }
        self.refuses |= kind == SlotKind::Refusal;
        let part = self.begin(key, kind, head, sink);
        self.open = Some(key);
        if let Some(slot) = self.by_key.get_mut(&key) {
            slot.has_words = true;
        }
        Some(part)
    }

    fn begin(
        &mut self,
        key: Key,
        kind: SlotKind,
        head: PartHead<'_>,
        sink: &mut dyn EventSink,
    ) -> u32 {
        let part = self.next_part;
        self.next_part += 1;
        let slot = Slot {
            part,
            kind,
            state: SlotState::Open,
            has_words: false,
            has_notes: false,
            paragraph: 0,
        };
        self.by_key.insert(key, slot);
        sink.event(Event::PartStart { at: at(part), head });
        part
    }

    fn end(&mut self, key: Key, state: SlotState, sink: &mut dyn EventSink) {
        if self.open == Some(key) {
            self.open = None;
        }
        let Some(slot) = self.by_key.get_mut(&key) else {
            return;
        };
        if slot.state == SlotState::Open {
            sink.event(Event::PartEnd { at: at(slot.part) });
        }
        slot.state = state;
    }

    /// The part at this place is done.
    pub(super) fn done(&mut self, key: Key, sink: &mut dyn EventSink) {
        self.end(key, SlotState::Done, sink);
    }

    /// Everything is done.
    pub(super) fn all_done(&mut self, sink: &mut dyn EventSink) {
        let keys: Vec<Key> = self.by_key.keys().copied().collect();
        for key in keys {
            self.done(key, sink);
        }
    }

    /// A part that is known once it is whole.
    pub(super) fn whole(&mut self, key: Key, head: PartHead<'_>, sink: &mut dyn EventSink) {
        self.begin(key, SlotKind::Whole, head, sink);
        self.done(key, sink);
    }

    /// Begins a call, unless its name is yet to come.
    pub(super) fn call(
        &mut self,
        output_index: u32,
        item: &ItemWire<'_>,
        is_free: bool,
        reply_id: &str,
        sink: &mut dyn EventSink,
    ) {
        let key = (output_index, 0);
        let name = words(item.name);
        if self.by_key.contains_key(&key) || name.is_empty() {
            return;
        }
        let given = [words(item.call_id), words(item.id)];
        let given = given.into_iter().find(|id| !id.is_empty());
        let id = given.unwrap_or_else(|| Cow::Owned(ids::call_id(reply_id, 0, self.calls)));
        self.calls += 1;
        let namespace = words(item.namespace);
        let head = PartHead::ToolCall {
            id: &id,
            name: &name,
            namespace: Some(namespace.as_ref()).filter(|namespace| !namespace.is_empty()),
            is_free,
        };
        self.begin(key, SlotKind::Call, head, sink);
    }

    /// More of a call's arguments.
    pub(super) fn arguments(&mut self, output_index: u32, text: &str, sink: &mut dyn EventSink) {
        let Some(slot) = self.by_key.get_mut(&(output_index, 0)) else {
            return;
        };
        if slot.kind == SlotKind::Call && slot.state == SlotState::Open && !text.is_empty() {
            slot.has_words = true;
            let at = at(slot.part);
            sink.event(Event::Arguments { at, text });
        }
    }

    /// A citation for a text that is open.
    pub(super) fn note(&mut self, key: Key, annotation: &Annotation, sink: &mut dyn EventSink) {
        if let Some(slot) = self.by_key.get_mut(&key)
            && slot.kind == SlotKind::Text
            && slot.state == SlotState::Open
        {
            slot.has_notes = true;
            let at = at(slot.part);
            sink.event(Event::Note { at, annotation });
        }
    }

    /// Whether citations came for this place.
    pub(super) fn has_notes(&self, key: Key) -> bool {
        self.by_key.get(&key).is_some_and(|slot| slot.has_notes)
    }

    /// A thought's proof; one that shows nothing else is a part all the same.
    pub(super) fn proof(
        &mut self,
        output_index: u32,
        signature: &Signature,
        sink: &mut dyn EventSink,
    ) {
        let key = (output_index, 0);
        if !self.by_key.contains_key(&key) {
            let form = ThinkingForm::Redacted;
            let head = PartHead::Thinking(form);
            self.begin(key, SlotKind::Thinking(form), head, sink);
        }
        if let Some(slot) = self.by_key.get(&key)
            && slot.state == SlotState::Open
        {
            let at = at(slot.part);
            sink.event(Event::Signature { at, signature });
        }
    }
}
