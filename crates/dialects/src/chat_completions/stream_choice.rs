//! One choice of a streamed answer while it is read: which parts are open, which calls have begun.

use std::collections::HashMap;

use serde_json::Value;

use super::assistant;
use super::finish;
use super::stream_read::Budget;
use super::wire::{AudioDelta, CallDelta, Content, FunctionDelta};
use crate::canonical::{At, Event, EventSink, Failure, Finish, PartHead, PartKind, ThinkingForm};
use crate::ids;

/// The key of the deprecated single function call.
const OLD_CALL: u32 = u32::MAX;
/// What a call or citation is counted for beside its own words: few thousands are too many.
const CALL_COST: usize = 8 << 10;

/// One choice.
pub struct ChoiceState {
    /// Its index.
    pub index: u32,
    next_part: u32,
    open: Option<(Kind, u32)>,
    last_text: Option<u32>,
    has_refusal: bool,
    calls: Vec<Call>,
    /// The latest call of each key.
    by_key: HashMap<u32, usize>,
    /// The first call of each id.
    by_id: HashMap<String, usize>,
    notes: Vec<Value>,
    audio: Option<Audio>,
    finish: Option<Finish>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Refusal,
}

#[derive(Default)]
struct Call {
    /// The vendor's index.
    key: u32,
    id: String,
    name: String,
    is_free: bool,
    /// Its part, once it has begun: that waits for the name.
    part: Option<u32>,
    /// Arguments that came before the name.
    held: String,
    has_arguments: bool,
}

#[derive(Default)]
struct Audio {
    id: Option<String>,
    data: String,
    transcript: String,
}

impl ChoiceState {
    /// A choice that has not begun.
    pub fn new(index: u32) -> Self {
        Self {
            index,
            next_part: 0,
            open: None,
            last_text: None,
            has_refusal: false,
            calls: Vec::new(),
            by_key: HashMap::new(),
            by_id: HashMap::new(),
            notes: Vec::new(),
            audio: None,
            finish: None,
        }
    }

    fn at(&self, part: u32) -> At {
        At {
            choice: self.index,
            part,
        }
    }

    fn new_part(&mut self) -> u32 {
        let part = self.next_part;
        self.next_part += 1;
        part
    }

    fn close_open(&mut self, sink: &mut dyn EventSink) {
        if let Some((_, part)) = self.open.take() {
            sink.event(Event::PartEnd { at: self.at(part) });
        }
    }

    /// More words of a kind; another kind that is open ends. Empty words open nothing.
    fn words(&mut self, kind: Kind, text: &str, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        let part = match self.open {
            Some((open, part)) if open == kind => part,
            _ => self.begin(kind, sink),
        };
        sink.event(Event::Text {
            at: self.at(part),
            text,
        });
    }

    fn begin(&mut self, kind: Kind, sink: &mut dyn EventSink) -> u32 {
        self.close_open(sink);
        let part = self.new_part();
        self.open = Some((kind, part));
        let at = self.at(part);
        let head = match kind {
            Kind::Text => PartHead::Text,
            Kind::Thinking => PartHead::Thinking(ThinkingForm::Raw),
            Kind::Refusal => PartHead::Refusal,
        };
        sink.event(Event::PartStart { at, head });
        self.has_refusal |= kind == Kind::Refusal;
        if kind == Kind::Text {
            self.last_text = Some(part);
            for note in std::mem::take(&mut self.notes) {
                let annotation = &assistant::annotation(note);
                sink.event(Event::Note { at, annotation });
            }
        }
        part
    }

    /// A thought.
    pub fn on_thinking(&mut self, text: &str, sink: &mut dyn EventSink) {
        self.words(Kind::Thinking, text, sink);
    }

    /// Text.
    pub fn on_text(&mut self, text: &str, sink: &mut dyn EventSink) {
        self.words(Kind::Text, text, sink);
    }

    /// Text, or pieces of text and thought.
    pub fn on_content(&mut self, content: &Content<'_>, sink: &mut dyn EventSink) {
        match content {
            Content::Text(text) => self.on_text(text, sink),
            Content::Pieces(pieces) => {
                for piece in pieces {
                    for thought in piece.thinking.iter().flatten() {
                        let text = thought.text.as_ref().map_or("", |text| &text.0);
                        self.words(Kind::Thinking, text, sink);
                    }
                    let text = piece.text.as_ref().map_or("", |text| &text.0);
                    self.words(Kind::Text, text, sink);
                }
            }
            Content::None | Content::Object(_) => {}
        }
    }

    /// A refusal.
    pub fn on_refusal(&mut self, text: &str, sink: &mut dyn EventSink) {
        self.words(Kind::Refusal, text, sink);
    }

    /// Citations go to the last text; those that come before any text wait for it.
    pub fn on_annotations(
        &mut self,
        list: Value,
        budget: &mut Budget,
        sink: &mut dyn EventSink,
    ) -> Result<(), Failure> {
        let Value::Array(list) = list else {
            return Ok(());
        };
        for raw in list {
            if let Some(at) = self.last_text.map(|part| self.at(part)) {
                let annotation = &assistant::annotation(raw);
                sink.event(Event::Note { at, annotation });
            } else {
                budget.charge(CALL_COST + raw.to_string().len())?;
                self.notes.push(raw);
            }
        }
        Ok(())
    }

    /// Generated images, each whole.
    pub fn on_images(&mut self, list: &Value, sink: &mut dyn EventSink) {
        for image in list.as_array().into_iter().flatten() {
            let Some(part) = assistant::image(image) else {
                continue;
            };
            if let PartKind::Media(media) = &part.kind {
                self.close_open(sink);
                self.whole(PartHead::Media(media), sink);
            }
        }
    }

    fn whole(&mut self, head: PartHead<'_>, sink: &mut dyn EventSink) {
        let part = self.new_part();
        let at = self.at(part);
        sink.event(Event::PartStart { at, head });
        sink.event(Event::PartEnd { at });
    }

    /// A piece of a recording, which is told whole at the end.
    pub fn on_audio(&mut self, delta: &AudioDelta<'_>, budget: &mut Budget) -> Result<(), Failure> {
        let audio = self.audio.get_or_insert_default();
        if let Some(id) = &delta.id {
            audio.id.get_or_insert_with(|| id.0.to_string());
        }
        for (held, piece) in [
            (&mut audio.data, &delta.data),
            (&mut audio.transcript, &delta.transcript),
        ] {
            if let Some(piece) = piece {
                budget.charge(piece.0.len())?;
                held.push_str(&piece.0);
            }
        }
        Ok(())
    }

    /// A piece of a tool call.
    pub fn on_call(
        &mut self,
        delta: &CallDelta<'_>,
        position: usize,
        reply_id: &str,
        budget: &mut Budget,
        sink: &mut dyn EventSink,
    ) -> Result<(), Failure> {
        let id = delta.id.as_ref().map_or("", |id| &id.0);
        let (name, text, is_free) = match (&delta.function, &delta.custom) {
            (Some(function), _) => {
                let name = function.name.as_ref().map_or("", |name| &name.0);
                (name, function.arguments.as_text(), false)
            }
            (None, Some(custom)) => {
                let name = custom.name.as_ref().map_or("", |name| &name.0);
                let input = custom.input.as_ref().map_or("", |input| &input.0);
                (name, input, true)
            }
            (None, None) => ("", "", false),
        };
        let position = u32::try_from(position).unwrap_or(OLD_CALL - 1);
        let known = self.find_call(delta.index, position, id, name);
        let at = if let Some(at) = known {
            at
        } else {
            budget.charge(CALL_COST + id.len() + name.len())?;
            self.new_call(delta.index.unwrap_or(position), is_free)
        };
        self.feed_call(at, [id, name, text], reply_id, budget, sink)
    }

    fn new_call(&mut self, key: u32, is_free: bool) -> usize {
        let at = self.calls.len();
        self.by_key.insert(key, at);
        self.calls.push(Call {
            key,
            is_free,
            ..Call::default()
        });
        at
    }

    /// The call that a piece belongs to. Another id with a name on a known index is a new call:
    /// some upstreams send all calls at index 0.
    fn find_call(&self, index: Option<u32>, position: u32, id: &str, name: &str) -> Option<usize> {
        if index.is_none() && !id.is_empty() {
            let by_id = self.by_id.get(id);
            if by_id.is_some() {
                return by_id.copied();
            }
        }
        let key = index.unwrap_or(position);
        // Most pieces go on with the latest call.
        let at = match self.calls.last() {
            Some(last) if last.key == key => self.calls.len() - 1,
            _ => *self.by_key.get(&key)?,
        };
        let call = &self.calls[at];
        let is_new = !id.is_empty() && !name.is_empty() && !call.name.is_empty() && call.id != id;
        (!is_new).then_some(at)
    }

    /// The deprecated call: one, without an id.
    pub fn on_function_call(
        &mut self,
        delta: &FunctionDelta<'_>,
        reply_id: &str,
        budget: &mut Budget,
        sink: &mut dyn EventSink,
    ) -> Result<(), Failure> {
        let name = delta.name.as_ref().map_or("", |name| &name.0);
        let at = if let Some(at) = self.by_key.get(&OLD_CALL) {
            *at
        } else {
            budget.charge(CALL_COST + name.len())?;
            self.new_call(OLD_CALL, false)
        };
        self.feed_call(
            at,
            ["", name, delta.arguments.as_text()],
            reply_id,
            budget,
            sink,
        )
    }

    fn feed_call(
        &mut self,
        at: usize,
        [id, name, text]: [&str; 3],
        reply_id: &str,
        budget: &mut Budget,
        sink: &mut dyn EventSink,
    ) -> Result<(), Failure> {
        let call = &mut self.calls[at];
        if call.part.is_none() {
            if call.id.is_empty() && !id.is_empty() {
                id.clone_into(&mut call.id);
                self.by_id.entry(id.to_owned()).or_insert(at);
            }
            name.clone_into(&mut call.name);
            if name.is_empty() {
                budget.charge(text.len())?;
                call.held.push_str(text);
                return Ok(());
            }
            self.begin_call(at, reply_id, sink);
        }
        self.arguments(at, text, sink);
        Ok(())
    }

    fn begin_call(&mut self, at: usize, reply_id: &str, sink: &mut dyn EventSink) {
        self.close_open(sink);
        let part = self.new_part();
        let place = self.at(part);
        let call = &mut self.calls[at];
        if self.by_id.get(&call.id) != Some(&at) {
            let ordinal = u32::try_from(at).unwrap_or(u32::MAX);
            call.id = ids::call_id(reply_id, self.index, ordinal);
            self.by_id.entry(call.id.clone()).or_insert(at);
        }
        call.part = Some(part);
        let head = PartHead::ToolCall {
            id: &call.id,
            name: &call.name,
            namespace: None,
            is_free: call.is_free,
        };
        sink.event(Event::PartStart { at: place, head });
        let early = std::mem::take(&mut call.held);
        self.arguments(at, &early, sink);
    }

    fn arguments(&mut self, at: usize, text: &str, sink: &mut dyn EventSink) {
        let call = &mut self.calls[at];
        if let (Some(part), false) = (call.part, text.is_empty()) {
            call.has_arguments = true;
            sink.event(Event::Arguments {
                at: self.at(part),
                text,
            });
        }
    }

    /// Remembers why this choice ends.
    pub fn on_finish_reason(&mut self, word: &str) {
        self.finish = Some(finish::read(word));
    }

    /// Whether anything was said in this choice.
    pub fn has_content(&self) -> bool {
        self.next_part > 0 || !self.calls.is_empty() || self.audio.is_some()
    }

    /// The end was told without a reason: the model was done.
    pub fn assume_finish(&mut self) {
        self.finish.get_or_insert_with(|| finish::read("stop"));
    }

    /// Whether it is known why this choice ends.
    pub fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// Closes all parts and tells the finish.
    pub fn finish(&mut self, reply_id: &str, sink: &mut dyn EventSink) {
        self.close_open(sink);
        for at in 0..self.calls.len() {
            if self.calls[at].part.is_none() {
                self.begin_call(at, reply_id, sink);
            }
            let call = &self.calls[at];
            if !call.has_arguments && !call.is_free {
                self.arguments(at, "{}", sink);
            }
            if let Some(part) = self.calls[at].part {
                sink.event(Event::PartEnd { at: self.at(part) });
            }
        }
        if let Some(Audio {
            id,
            data,
            transcript,
        }) = self.audio.take()
        {
            let transcript = (!transcript.is_empty()).then_some(transcript);
            let media = assistant::recording(data, id, transcript);
            self.whole(PartHead::Media(&media), sink);
        }
        if let Some(mut finish) = self.finish.take() {
            let refuses = self.has_refusal && self.last_text.is_none();
            finish::settle(&mut finish, !self.calls.is_empty(), refuses);
            sink.event(Event::Finish {
                choice: self.index,
                finish: &finish,
            });
        }
    }
}
