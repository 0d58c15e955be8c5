//! A streamed answer, written for a client. One block is open at a time: parts that overlap wait
//! for their turn. Nothing is written before the upstream has shown a real part, so that an early
//! failure can still become an HTTP error.

use super::arguments::object_text;
use super::reply_write::{Shown, carried, client_signature, shown_thinking, survives_hiding};
use super::stream_block::Blocks;
use super::stream_head::Head;
use super::stream_slot::{Slot, SlotKind};
use super::stream_slots::Slots;
use super::{ID, error};
use crate::canonical::{
    Annotation, Arguments, At, Event, Failure, Finish, FinishReason, PartHead, ThinkingForm,
};
use crate::{ReplyContext, Signature, StreamWriter, json};

/// What may wait in all.
const MAX_HELD_BYTES: usize = 32 << 20;
/// No answer has more parts open at a time.
const MAX_SLOTS: usize = 1 << 14;

/// Writes one stream.
#[derive(Debug)]
pub(super) struct Writer {
    head: Head,
    request_id: String,
    show_reasoning: bool,
    stage: Stage,
    /// Whether a tool was called.
    called: bool,
    blocks: Blocks,
    /// The part whose block is open.
    open: Option<u32>,
    /// Parts that are not yet written to their end, in their order.
    slots: Slots,
    held: usize,
    finish: Option<Finish>,
}

/// How far the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing is written yet.
    Held,
    /// The head is out.
    Started,
    /// The last frame is out.
    Ended,
}

impl StreamWriter for Writer {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        // This dialect has one choice.
        if self.stage == Stage::Ended || event.choice() > 0 {
            return;
        }
        match event {
            Event::Start { id, model, .. } => self.head.name(id, model),
            Event::PartStart { at, head } => self.on_part_start(at, &head, out),
            Event::Text { at, text } => self.on_text(at, text, out),
            Event::Arguments { at, text } => self.on_arguments(at, text, out),
            Event::Signature { at, signature } => self.on_signature(at, signature),
            Event::Note { at, annotation } => self.on_note(at, annotation, out),
            Event::PartEnd { at } => self.on_part_end(at, out),
            Event::Finish { finish, .. } => self.on_finish(finish, out),
            Event::Usage(usage) => self.head.merge(usage),
            Event::Tier(tier) => self.head.set_tier(tier),
            Event::End => self.on_end(out),
            Event::Error(failure) => self.fail(failure, out),
            Event::Ping => self.on_ping(out),
            Event::Logprobs { .. } => {}
        }
    }
}

impl Writer {
    /// A writer for the answer to this call.
    pub(super) fn new(context: &ReplyContext) -> Self {
        Self {
            head: Head::new(context),
            request_id: context.request_id.clone(),
            show_reasoning: context.show_reasoning,
            stage: Stage::Held,
            called: false,
            blocks: Blocks::default(),
            open: None,
            slots: Slots::default(),
            held: 0,
            finish: None,
        }
    }

    fn on_part_start(&mut self, at: At, head: &PartHead<'_>, out: &mut Vec<u8>) {
        let Some(slot) = Slot::new(at.part, head) else {
            return;
        };
        self.called |= matches!(slot.kind, SlotKind::Call(_));
        let weight = slot.weight();
        self.slots.push(slot);
        if self.slots.len() > MAX_SLOTS {
            return self.fail(&too_long(), out);
        }
        if self.hold(weight, out) {
            self.advance(out);
        }
    }

    fn on_text(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        if self.open == Some(at.part) {
            return self.blocks.piece(text, out);
        }
        let hidden = !self.show_reasoning;
        let Some(slot) = self.slots.get(at.part) else {
            return;
        };
        if hidden && matches!(slot.kind, SlotKind::Thinking(_)) {
            return;
        }
        self.slots.update(at.part, |slot| slot.push_text(text));
        if self.hold(text.len(), out) {
            self.advance(out);
        }
    }

    fn on_arguments(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        if self.open == Some(at.part) {
            let kept = self.slots.update(at.part, |slot| slot.scan_arguments(text));
            if let Some(kept @ 1..) = kept {
                self.blocks.piece(&text[..kept], out);
            }
            return self.advance(out);
        }
        let kept = self.slots.update(at.part, |slot| slot.push_arguments(text));
        let Some(kept) = kept else { return };
        if self.hold(kept, out) {
            self.advance(out);
        }
    }

    fn on_signature(&mut self, at: At, signature: &Signature) {
        let signature = signature.clone();
        self.slots
            .update(at.part, |slot| slot.signature = Some(signature));
    }

    fn on_note(&mut self, at: At, annotation: &Annotation, out: &mut Vec<u8>) {
        let is_open = self.open == Some(at.part);
        let ready = self.slots.update(at.part, |slot| {
            slot.push_citation(annotation);
            is_open.then(|| std::mem::take(&mut slot.citations))
        });
        match ready {
            Some(Some(citations)) => {
                for citation in citations {
                    self.blocks.citation(&citation, out);
                }
            }
            Some(None) => self.advance(out),
            None => {}
        }
    }

    fn on_part_end(&mut self, at: At, out: &mut Vec<u8>) {
        if self
            .slots
            .update(at.part, |slot| slot.ended = true)
            .is_some()
        {
            self.advance(out);
        }
    }

    fn on_finish(&mut self, finish: &Finish, out: &mut Vec<u8>) {
        self.slots.end_all();
        self.advance(out);
        self.start(out);
        self.finish = Some(finish.clone());
    }

    fn on_ping(&mut self, out: &mut Vec<u8>) {
        self.start(out);
        out.extend_from_slice(b"event: ping\ndata: {\"type\":\"ping\"}\n\n");
    }

    /// The finish waits for the end: until then the upstream may still correct its usage.
    fn on_end(&mut self, out: &mut Vec<u8>) {
        let mut stop = Finish::new(FinishReason::Stop, "");
        stop.settle(self.called);
        let finish = self.finish.take().unwrap_or(stop);
        self.on_finish(&finish, out);
        self.head.write_end(&finish, self.called, out);
        self.stage = Stage::Ended;
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        error::write_frame(failure, &self.request_id, out);
        self.stage = Stage::Ended;
        self.slots = Slots::default();
    }

    /// Counts bytes that wait; ends the stream where there are too many.
    fn hold(&mut self, bytes: usize, out: &mut Vec<u8>) -> bool {
        self.held = self.held.saturating_add(bytes);
        if self.held <= MAX_HELD_BYTES {
            return true;
        }
        self.fail(&too_long(), out);
        false
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if self.stage == Stage::Held {
            self.stage = Stage::Started;
            self.head.write_start(out);
        }
    }

    /// Writes everything that can be written now.
    fn advance(&mut self, out: &mut Vec<u8>) {
        loop {
            let progress = match self.open {
                Some(part) => self.close_open(part, out),
                None => self.open_next(out),
            };
            if !progress {
                return;
            }
        }
    }

    /// Closes the open block where its part has ended, or where it is in the way.
    fn close_open(&mut self, part: u32, out: &mut Vec<u8>) -> bool {
        let Some(slot) = self.slots.get(part) else {
            self.open = None;
            return true;
        };
        let ended = slot.ended;
        let is_in_the_way = || slot.may_yield() && self.slots.others_wait(part);
        if !ended && !is_in_the_way() {
            return false;
        }
        if let SlotKind::Thinking(_) = slot.kind {
            let signature = client_signature(slot.signature.as_ref());
            self.blocks.signature(&signature, out);
        }
        self.blocks.stop(out);
        self.open = None;
        self.slots.update(part, Slot::close);
        if ended {
            self.leave(part, out);
        }
        true
    }

    /// Opens the block of the first part that has something to say.
    fn open_next(&mut self, out: &mut Vec<u8>) -> bool {
        let next = self.slots.next();
        if let Some(part) = next {
            self.begin(part, out);
        }
        next.is_some()
    }

    /// Writes what waits in a slot; its block stays open unless the part is whole.
    fn begin(&mut self, part: u32, out: &mut Vec<u8>) {
        let waiting = self
            .slots
            .update(part, |slot| std::mem::take(&mut slot.waiting));
        let waiting = waiting.unwrap_or_default();
        self.held = self.held.saturating_sub(waiting.len());
        let Some(slot) = self.slots.get(part) else {
            return;
        };
        match &slot.kind {
            SlotKind::Text => self.begin_text(part, &waiting, out),
            SlotKind::Thinking(form) => self.begin_thinking(part, *form, &waiting, out),
            SlotKind::Call(_) => self.begin_call(part, waiting, out),
            SlotKind::Hosted(_) => {
                self.start(out);
                if let Some(SlotKind::Hosted(raw)) = self.slots.get(part).map(|slot| &slot.kind) {
                    self.blocks.hosted(raw, out);
                }
                self.leave(part, out);
            }
        }
    }

    fn begin_text(&mut self, part: u32, waiting: &str, out: &mut Vec<u8>) {
        let citations = self
            .slots
            .update(part, |slot| std::mem::take(&mut slot.citations));
        let citations = citations.unwrap_or_default();
        if waiting.is_empty() && citations.is_empty() {
            return self.leave(part, out);
        }
        self.start(out);
        self.blocks.open_text(out);
        for citation in &citations {
            self.blocks.citation(citation, out);
        }
        if !waiting.is_empty() {
            self.blocks.piece(waiting, out);
        }
        self.opened(part);
    }

    fn begin_thinking(&mut self, part: u32, form: ThinkingForm, waiting: &str, out: &mut Vec<u8>) {
        if !waiting.is_empty() {
            self.start(out);
            self.blocks.open_thinking(out);
            self.blocks.piece(waiting, out);
            return self.opened(part);
        }
        let Some(slot) = self.slots.get(part) else {
            return;
        };
        let signature = slot.signature.clone();
        let signature = signature.as_ref();
        // Only parts that have ended come here without words.
        let shown = !slot.shown;
        match shown_thinking(form, signature).filter(|_| shown) {
            Some(Shown::Redacted(data)) => {
                self.start(out);
                self.blocks.redacted(&data, out);
            }
            Some(Shown::Thinking) if self.shows_signature(signature) => {
                self.start(out);
                self.blocks
                    .signature_only(&client_signature(signature), out);
            }
            _ => {}
        }
        self.leave(part, out);
    }

    /// Whether a thinking part without words is shown for its signature.
    fn shows_signature(&self, signature: Option<&Signature>) -> bool {
        signature.is_some() && (self.show_reasoning || survives_hiding(signature))
    }

    fn begin_call(&mut self, part: u32, waiting: String, out: &mut Vec<u8>) {
        let signature = self.slots.update(part, |slot| slot.signature.take());
        let signature = signature.flatten();
        let Some(slot) = self.slots.get(part) else {
            return;
        };
        let SlotKind::Call(call) = &slot.kind else {
            return;
        };
        if call.closed {
            // A signature that comes now has lost its place.
            return self.leave(part, out);
        }
        let (id, name, is_free) = (call.id.clone(), call.name.clone(), call.is_free);
        let piece = if slot.ended {
            whole_arguments(waiting, is_free)
        } else {
            waiting
        };
        self.start(out);
        if let Some(signature) = carried(signature.as_ref()) {
            self.blocks.signature_only(&signature.for_client(ID), out);
        }
        self.blocks.open_call(&id, &name, out);
        self.blocks.piece(&piece, out);
        self.opened(part);
    }

    fn opened(&mut self, part: u32) {
        self.slots.update(part, |slot| slot.shown = true);
        self.open = Some(part);
    }

    /// Forgets a part that is written to its end.
    fn leave(&mut self, part: u32, out: &mut Vec<u8>) {
        let Some(slot) = self.slots.remove(part) else {
            return;
        };
        self.held = self.held.saturating_sub(slot.weight());
        let has_own_place = matches!(slot.kind, SlotKind::Thinking(_));
        if let Some(signature) = carried(slot.signature.as_ref()).filter(|_| !has_own_place) {
            self.start(out);
            self.blocks.redacted(&signature.for_client(ID), out);
        }
    }
}

fn too_long() -> Failure {
    Failure::upstream("The upstream's answer is too long.")
}

/// Arguments that were held until they were whole, as an object.
fn whole_arguments(text: String, is_free: bool) -> String {
    if is_free {
        return object_text(&Arguments::Free(text));
    }
    object_text(&json::arguments(&text))
}
