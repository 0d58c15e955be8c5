//! Reads a streamed answer, one method an event. What a `.done` event repeats is used only where no
//! delta brought it.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::hosted_items::{HostedItems, may_be_charged};
use super::stream_slots::{Key, SlotKind, Slots};
use super::stream_wire::{
    ErrorWire, EventWire, IncompleteWire, ItemWire, PartWire, ResponseWire, object, words,
};
use super::{annotations, error, reply_read, usage};
use crate::canonical::{
    Event, EventSink, Failure, Hosted, Media, MediaClass, MediaSource, PartHead, ThinkingForm,
    Usage,
};
use crate::{DialectId, Frame, Signature, StreamReader, error_body, frame_wire};

const ID: DialectId = DialectId::Responses;
/// The kind of an item that is a search of the vendor's own.
/// An answer with more parts than this is an upstream's fault.
const MAX_PARTS: usize = 1 << 16;

/// Reads one streamed answer.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    id: String,
    started: bool,
    ended: bool,
    slots: Slots,
    items: HostedItems,
    has_logprobs: bool,
}

impl StreamReader for EventReader {
    fn frame(&mut self, frame: Frame<'_>, sink: &mut dyn EventSink) {
        if self.ended || frame.data.is_empty() || frame.data == b"[DONE]" {
            return;
        }
        let Ok(mut event) = frame_wire::read::<EventWire<'_>>(frame.data) else {
            let text = "The upstream sent a frame that cannot be read.";
            return self.fail(&error_body::unusable(text, frame.data), sink);
        };
        if event.kind.is_empty() {
            event.kind = Cow::Borrowed(frame.event.unwrap_or_default());
        }
        if !self.on_life(&event, sink) {
            self.on_content(&event, sink);
        }
        if self.slots.len() > MAX_PARTS && !self.ended {
            let failure = Failure::upstream("The upstream's answer has too many parts.");
            self.fail(&failure, sink);
        }
    }

    fn close(&mut self, sink: &mut dyn EventSink) {
        if !self.ended {
            let failure = Failure::upstream("The upstream's stream ended before its end.");
            self.fail(&failure, sink);
        }
    }
}

fn key(event: &EventWire<'_>) -> Key {
    (output_index(event), event.content_index.unwrap_or(0))
}

fn output_index(event: &EventWire<'_>) -> u32 {
    event.output_index.unwrap_or(0)
}

impl EventReader {
    /// Events of the answer's life: its beginning and its end. Says whether this was one.
    fn on_life(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) -> bool {
        match event.kind.as_ref() {
            // An error may come in any event, unnamed too.
            _ if event.error.is_some() => self.on_error(event, sink),
            "response.created" | "response.in_progress" | "response.queued" => {
                self.on_created(event, sink);
            }
            "response.completed" => self.on_end(event, "completed", sink),
            "response.incomplete" => self.on_end(event, "incomplete", sink),
            "response.failed" => self.on_failed(event, sink),
            "response.cancelled" => {
                let failure = Failure::upstream("The upstream cancelled the answer.");
                self.fail(&failure, sink);
            }
            "error" => self.on_error(event, sink),
            "keepalive" => sink.event(Event::Ping),
            _ => return false,
        }
        true
    }

    fn on_content(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        if !self.started && event.kind.starts_with("response.") {
            self.start(&ResponseWire::default(), sink);
        }
        match event.kind.as_ref() {
            "response.output_text.delta" => self.on_text_delta(event, sink),
            "response.reasoning_summary_text.delta" => self.on_summary_delta(event, sink),
            "response.reasoning_text.delta" => self.on_thought_delta(event, sink),
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.slots
                    .arguments(output_index(event), &words(event.delta), sink);
            }
            "response.refusal.delta" => {
                let text = words(event.delta);
                self.slots.words(key(event), SlotKind::Refusal, &text, sink);
            }
            "response.output_item.added" => self.on_item_added(event, sink),
            "response.output_item.done" => self.on_item_done(event, sink),
            "response.output_text.done" => self.on_text_done(event, sink),
            "response.refusal.done" => {
                let text = words(event.refusal);
                self.slots.fill(key(event), SlotKind::Refusal, &text, sink);
            }
            "response.function_call_arguments.done" => {
                self.on_arguments_done(event, event.arguments, sink);
            }
            "response.custom_tool_call_input.done" => {
                self.on_arguments_done(event, event.input, sink);
            }
            "response.content_part.done" => self.on_part_done(event, sink),
            "response.output_text.annotation.added" => self.on_annotation(event, sink),
            // Steps of hosted tools, and what is yet to be invented.
            kind if kind.is_empty() && event.message.is_some() => self.on_error(event, sink),
            _ => {}
        }
    }

    fn fail(&mut self, failure: &Failure, sink: &mut dyn EventSink) {
        self.ended = true;
        sink.event(Event::Error(failure));
    }

    fn on_created(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        if !self.started {
            self.start(&object(event.response), sink);
        }
    }

    fn start(&mut self, response: &ResponseWire<'_>, sink: &mut dyn EventSink) {
        self.started = true;
        self.id = words(response.id).into_owned();
        let created = response.created_at.map(RawValue::get).and_then(|text| {
            let seconds = || text.parse().ok().and_then(reply_read::whole_seconds);
            text.parse().ok().or_else(seconds)
        });
        sink.event(Event::Start {
            id: &self.id,
            model: &words(response.model),
            created,
        });
    }

    fn on_text_delta(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let text = words(event.delta);
        self.slots.words(key(event), SlotKind::Text, &text, sink);
        self.on_logprobs(event.logprobs, sink);
    }

    fn on_logprobs(&mut self, raw: Option<&RawValue>, sink: &mut dyn EventSink) {
        let Some(raw) = raw.filter(|raw| raw.get() != "[]") else {
            return;
        };
        if let Ok(Value::Array(entries)) = serde_json::from_str(raw.get())
            && !entries.is_empty()
        {
            self.has_logprobs = true;
            sink.event(Event::Logprobs {
                choice: 0,
                entries: &json!({"content": entries}),
            });
        }
    }

    fn on_text_done(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let text = words(event.text);
        self.slots.fill(key(event), SlotKind::Text, &text, sink);
        if !self.has_logprobs {
            self.on_logprobs(event.logprobs, sink);
        }
    }

    fn on_summary_delta(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let paragraph = event.summary_index.unwrap_or(0);
        let (text, form) = (words(event.delta), ThinkingForm::Summary);
        self.slots
            .thought(output_index(event), form, paragraph, &text, sink);
    }

    fn on_thought_delta(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let (text, form) = (words(event.delta), ThinkingForm::Raw);
        self.slots
            .thought(output_index(event), form, 0, &text, sink);
    }

    fn on_item_added(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let item: ItemWire<'_> = object(event.item);
        let is_free = match words(item.kind).as_ref() {
            "function_call" => false,
            "custom_tool_call" => true,
            _ => return,
        };
        self.slots
            .call(output_index(event), &item, is_free, &self.id, sink);
    }

    fn on_arguments_done(
        &mut self,
        event: &EventWire<'_>,
        whole: Option<&RawValue>,
        sink: &mut dyn EventSink,
    ) {
        let output_index = output_index(event);
        if !self.slots.has_words((output_index, 0)) {
            self.slots.arguments(output_index, &words(whole), sink);
        }
    }

    fn on_part_done(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        // A part of a reasoning item is not the whole thought.
        let key = key(event);
        if !matches!(self.slots.kind(key), Some(SlotKind::Thinking(_))) {
            self.part_done(key, &object(event.part), sink);
        }
    }

    /// Takes over what is missing of a message's part, and ends it.
    fn part_done(&mut self, key: Key, part: &PartWire<'_>, sink: &mut dyn EventSink) {
        match words(part.kind).as_ref() {
            "output_text" => {
                let text = words(part.text);
                self.slots.fill(key, SlotKind::Text, &text, sink);
            }
            "refusal" => {
                let text = words(part.refusal);
                self.slots.fill(key, SlotKind::Refusal, &text, sink);
            }
            _ => return,
        }
        if !self.slots.has_notes(key)
            && let Some(raw) = part.annotations.filter(|raw| raw.get() != "[]")
            && let Ok(Value::Array(notes)) = serde_json::from_str(raw.get())
        {
            for note in notes {
                self.slots.note(key, &annotations::read(note), sink);
            }
        }
        self.slots.done(key, sink);
    }

    fn on_annotation(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let note = event.annotation.map(RawValue::get);
        if let Some(Ok(note)) = note.map(serde_json::from_str) {
            self.slots.note(key(event), &annotations::read(note), sink);
        }
    }

    fn on_item_done(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        if let Some(raw) = event.item {
            self.item_done(output_index(event), raw, sink);
        }
    }

    fn item_done(&mut self, output_index: u32, raw: &RawValue, sink: &mut dyn EventSink) {
        let item: ItemWire<'_> = object(Some(raw));
        match words(item.kind).as_ref() {
            "message" => {
                let content: Vec<PartWire<'_>> = object(item.content);
                for (index, part) in (0..).zip(&content) {
                    self.part_done((output_index, index), part, sink);
                }
            }
            "reasoning" => self.reasoning_done(output_index, &item, sink),
            "function_call" => self.call_done(output_index, &item, false, sink),
            "custom_tool_call" => self.call_done(output_index, &item, true, sink),
            "" => {}
            kind => self.hosted_done((output_index, 0), kind, raw, sink),
        }
    }

    /// Ends a thought. Its proof is the one of this event: an earlier one is only a piece of it.
    fn reasoning_done(&mut self, output_index: u32, item: &ItemWire<'_>, sink: &mut dyn EventSink) {
        let key = (output_index, 0);
        for (form, list, between) in [
            (ThinkingForm::Summary, item.summary, "\n\n"),
            (ThinkingForm::Raw, item.content, ""),
        ] {
            if self.slots.kind(key).is_none() {
                let text = paragraphs(list, between);
                self.slots.words(key, SlotKind::Thinking(form), &text, sink);
            }
        }
        let proof = words(item.encrypted_content);
        if !proof.is_empty() {
            let signature = Signature::native(ID, proof);
            self.slots.proof(output_index, &signature, sink);
        }
        self.slots.done(key, sink);
    }

    fn call_done(
        &mut self,
        output_index: u32,
        item: &ItemWire<'_>,
        is_free: bool,
        sink: &mut dyn EventSink,
    ) {
        self.slots.call(output_index, item, is_free, &self.id, sink);
        let key = (output_index, 0);
        if !self.slots.has_words(key) {
            let whole = words(if is_free { item.input } else { item.arguments });
            let nothing = if is_free { "" } else { "{}" };
            let text = if whole.is_empty() { nothing } else { &whole };
            self.slots.arguments(output_index, text, sink);
        }
        self.slots.done(key, sink);
    }

    /// An item that only this dialect understands, or a generated image: known once it is whole.
    fn hosted_done(&mut self, key: Key, kind: &str, raw: &RawValue, sink: &mut dyn EventSink) {
        if self.slots.kind(key).is_some() {
            return;
        }
        let Ok(raw) = serde_json::from_str::<Value>(raw.get()) else {
            return;
        };
        let is_charged = self.items.note(kind);
        let image = match kind {
            "image_generation_call" => generated_image(&raw),
            _ => None,
        };
        let hosted = Hosted { dialect: ID, raw };
        let head = match &image {
            Some(media) => PartHead::Media(media),
            None => PartHead::Hosted(&hosted),
        };
        self.slots.whole(key, head, sink);
        if is_charged {
            // Whoever leaves before the end has had it all the same.
            let mut so_far = Usage::default();
            self.items.tell(&mut so_far);
            sink.event(Event::Usage(&so_far));
        }
    }

    fn on_end(&mut self, event: &EventWire<'_>, status: &str, sink: &mut dyn EventSink) {
        let response: ResponseWire<'_> = object(event.response);
        if response.error.is_some() {
            return self.on_failed(event, sink);
        }
        if !self.started {
            self.start(&response, sink);
        }
        if self.slots.len() == 0 {
            // An upstream that streams nothing but its whole answer.
            let output: Vec<&RawValue> = object(response.output);
            for (index, item) in (0..).zip(output) {
                self.item_done(index, item, sink);
            }
        }
        self.slots.all_done(sink);
        self.report_usage(&response, sink);
        let tier = words(response.service_tier);
        if !tier.is_empty() {
            sink.event(Event::Tier(&tier));
        }
        let details: IncompleteWire<'_> = object(response.incomplete_details);
        let reason = words(details.reason);
        let reason = Some(reason.as_ref()).filter(|reason| !reason.is_empty());
        let (calls, refuses) = (self.slots.calls > 0, self.slots.refuses);
        let finish = &reply_read::settled_finish(status, reason, calls, refuses);
        sink.event(Event::Finish { choice: 0, finish });
        self.ended = true;
        sink.event(Event::End);
    }

    fn report_usage(&self, response: &ResponseWire<'_>, sink: &mut dyn EventSink) {
        let Some(raw) = response.usage else { return };
        if let Ok(Value::Object(given)) = serde_json::from_str(raw.get()) {
            let mut counts = usage::read(&given);
            // Not every item is read where a stream goes through as it is; its end has all of them.
            let items = items_in(response.output).at_least(self.items.clone());
            items.tell(&mut counts);
            sink.event(Event::Usage(&counts));
        }
    }

    fn on_failed(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let response: ResponseWire<'_> = object(event.response);
        self.report_usage(&response, sink);
        let error: ErrorWire<'_> = object(response.error);
        self.fail(&failure(&error), sink);
    }

    /// Flat, or nested in `error`.
    fn on_error(&mut self, event: &EventWire<'_>, sink: &mut dyn EventSink) {
        let nested: ErrorWire<'_> = match event.error {
            Some(raw) => object(Some(raw)),
            None => ErrorWire {
                code: event.code,
                kind: None,
                message: event.message,
                param: event.param,
            },
        };
        self.fail(&failure(&nested), sink);
    }
}

/// The items of an answer that are charged.
fn items_in(output: Option<&RawValue>) -> HostedItems {
    let has_some = |raw: &&RawValue| may_be_charged(raw.get().as_bytes());
    let items: Vec<ItemWire<'_>> = object(output.filter(has_some));
    let mut charged = HostedItems::default();
    for item in &items {
        charged.note(&words(item.kind));
    }
    charged
}

fn failure(error: &ErrorWire<'_>) -> Failure {
    error::from_upstream(&json!({
        "code": object::<Value>(error.code),
        "type": words(error.kind),
        "message": words(error.message),
        "param": words(error.param),
    }))
}

fn paragraphs(list: Option<&RawValue>, between: &str) -> String {
    let parts: Vec<PartWire<'_>> = object(list);
    let texts: Vec<Cow<'_, str>> = parts
        .iter()
        .map(|part| words(part.text))
        .filter(|text| !text.is_empty())
        .collect();
    texts.join(between)
}

fn generated_image(raw: &Value) -> Option<Media> {
    let data = raw.get("result")?.as_str()?.to_owned();
    let format = raw.get("output_format").and_then(Value::as_str);
    let mime = format!("image/{}", format.unwrap_or("png"));
    let source = MediaSource::Inline { mime, data };
    Some(Media::new(MediaClass::Image, source))
}
