//! A streamed answer for a client: each frame is a whole answer that holds only what is new, as a
//! server-sent event or as an element of one JSON array.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::parts_write::{self, args};
use super::{HERE, error, finish, grounding, logprobs, usage};
use crate::canonical::{
    Annotation, Arguments, At, Event, Finish, Part, PartHead, PartKind, ThinkingForm, Usage,
};
use crate::{Begun, Framing, ReplyContext, Signature, StreamWriter, json};

/// More than this is not held back for a call that does not end.
const MAX_HELD_BYTES: usize = 32 << 20;
/// What a token's log probabilities hold back, roughly.
const LOGPROB_BYTES: usize = 256;

/// Writes one streamed answer.
#[derive(Debug)]
pub(super) struct Writer {
    framing: Framing,
    show_reasoning: bool,
    id: String,
    model: String,
    /// What every frame ends with: `"modelVersion":…,"responseId":…}`.
    tail: Vec<u8>,
    frames: u64,
    /// Where the open frame begins.
    frame_start: usize,
    parts: BTreeMap<At, Held>,
    finishes: Vec<(u32, Finish)>,
    usage: Option<Usage>,
    carried: Option<Signature>,
    /// Tokens with their probabilities, by choice.
    logprobs: Vec<(u32, Vec<Value>)>,
    sources: Vec<Sources>,
    held_bytes: usize,
    ended: bool,
}

/// What an open part is waiting for.
#[derive(Debug)]
enum Held {
    Text,
    Thought(ThinkingForm),
    Call(Call),
    Whole(Box<Part>),
}

/// A call whose arguments are being gathered.
#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    is_free: bool,
    arguments: String,
    signature: Option<Signature>,
    has_ended: bool,
}

impl Call {
    fn part(self) -> Value {
        let arguments = if self.is_free {
            Arguments::Free(self.arguments)
        } else {
            json::arguments(&self.arguments)
        };
        let mut part = json!({
            "functionCall": {"id": self.id, "name": self.name, "args": args(&arguments)},
        });
        sign(&mut part, self.signature.as_ref());
        part
    }
}

/// One choice's citations and the words that they count in.
#[derive(Debug, Default)]
struct Sources {
    choice: u32,
    notes: Vec<(u32, Annotation)>,
    words: grounding::Words,
}

impl Writer {
    pub(super) fn new(context: &ReplyContext) -> Self {
        Self {
            framing: context.framing,
            show_reasoning: context.show_reasoning,
            id: context.id.clone(),
            model: context.model.clone(),
            tail: Vec::new(),
            frames: 0,
            frame_start: 0,
            parts: BTreeMap::new(),
            finishes: Vec::new(),
            usage: None,
            carried: None,
            logprobs: Vec::new(),
            sources: Vec::new(),
            held_bytes: 0,
            ended: false,
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        match (self.framing, self.frames) {
            (Framing::ServerSentEvents, _) => out.extend_from_slice(b"data: "),
            (Framing::JsonArray, 0) => out.push(b'['),
            (Framing::JsonArray, _) => out.extend_from_slice(b",\r\n"),
        }
        self.frames += 1;
        self.frame_start = out.len();
    }

    /// The official client takes every character that Unicode calls a line break for one, inside a
    /// string too, so these are escaped.
    fn end_frame(&self, out: &mut Vec<u8>) {
        json::escape_line_breaks(out, self.frame_start);
        if self.framing == Framing::ServerSentEvents {
            out.extend_from_slice(b"\r\n\r\n");
        }
    }

    fn tail(&mut self) -> &[u8] {
        if self.tail.is_empty() {
            self.tail.extend_from_slice(b"\"modelVersion\":");
            json::write_str(&mut self.tail, &self.model);
            self.tail.extend_from_slice(b",\"responseId\":");
            json::write_str(&mut self.tail, &self.id);
            self.tail.push(b'}');
        }
        &self.tail
    }

    /// A frame with one text piece: the hot path.
    fn text_frame(&mut self, choice: u32, text: &str, is_thought: bool, out: &mut Vec<u8>) {
        self.begin(out);
        out.extend_from_slice(b"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":");
        json::write_str(out, text);
        if is_thought {
            out.extend_from_slice(b",\"thought\":true");
        }
        out.extend_from_slice(b"}],\"role\":\"model\"},\"index\":");
        json::write(out, &choice);
        out.extend_from_slice(b"}],");
        let tail = self.tail();
        out.extend_from_slice(tail);
        self.end_frame(out);
    }

    /// A frame with one part of any kind.
    fn part_frame(&mut self, choice: u32, part: &Value, out: &mut Vec<u8>) {
        self.begin(out);
        out.extend_from_slice(b"{\"candidates\":[{\"content\":{\"parts\":[");
        json::write(out, part);
        out.extend_from_slice(b"],\"role\":\"model\"},\"index\":");
        json::write(out, &choice);
        out.extend_from_slice(b"}],");
        let tail = self.tail();
        out.extend_from_slice(tail);
        self.end_frame(out);
    }

    fn on_part_start(&mut self, at: At, head: PartHead<'_>) {
        let waiting = match head {
            PartHead::Text | PartHead::Refusal => {
                self.sources(at.choice).words.begin(at.part);
                Held::Text
            }
            PartHead::Thinking(form) => Held::Thought(form),
            PartHead::ToolCall {
                id, name, is_free, ..
            } => Held::Call(Call {
                id: id.to_owned(),
                name: name.to_owned(),
                is_free,
                arguments: String::new(),
                signature: self.carried.take(),
                has_ended: false,
            }),
            PartHead::Media(media) => {
                Held::Whole(Box::new(Part::new(PartKind::Media(media.clone()))))
            }
            PartHead::Hosted(hosted) => {
                Held::Whole(Box::new(Part::new(PartKind::Hosted(hosted.clone()))))
            }
        };
        self.parts.insert(at, waiting);
    }

    fn held(&mut self, at: At) -> Option<&mut Held> {
        self.parts.get_mut(&at)
    }

    fn on_text(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let is_hidden = !self.show_reasoning;
        match self.held(at) {
            Some(Held::Thought(_)) if is_hidden => {}
            Some(Held::Thought(_)) => self.text_frame(at.choice, text, true, out),
            Some(Held::Text) => {
                self.sources(at.choice).words.push(text);
                self.text_frame(at.choice, text, false, out);
            }
            _ => {}
        }
    }

    fn on_arguments(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        self.held_bytes += text.len();
        if self.held_bytes > MAX_HELD_BYTES {
            let failure = crate::canonical::Failure::upstream("A tool call is too long.");
            return self.on_error(&failure, out);
        }
        if let Some(Held::Call(call)) = self.held(at) {
            call.arguments.push_str(text);
        }
    }

    fn on_logprobs(&mut self, choice: u32, entries: &Value, out: &mut Vec<u8>) {
        let Some(more) = entries.get("content").and_then(Value::as_array) else {
            return;
        };
        self.held_bytes += more.len() * LOGPROB_BYTES;
        if self.held_bytes > MAX_HELD_BYTES {
            let failure = crate::canonical::Failure::upstream("The answer is too long.");
            return self.on_error(&failure, out);
        }
        let found = self.logprobs.iter_mut().find(|(index, _)| *index == choice);
        match found {
            Some((_, entries)) => entries.extend(more.iter().cloned()),
            None => self.logprobs.push((choice, more.clone())),
        }
    }

    /// A thought's signature waits for the part after it; others ride on their own part.
    fn on_signature(&mut self, at: At, signature: &Signature) {
        if signature.data.is_empty() {
            return;
        }
        let found = signature.clone();
        match self.held(at) {
            Some(Held::Call(call)) => call.signature = Some(found),
            Some(Held::Whole(part)) => part.signature = Some(found),
            Some(Held::Thought(form)) if !found.travels(*form) => {}
            Some(Held::Text | Held::Thought(_)) => self.carried = Some(found),
            None => {}
        }
    }

    fn on_part_end(&mut self, at: At, out: &mut Vec<u8>) {
        if let Some(Held::Call(call)) = self.held(at) {
            call.has_ended = true;
            return self.write_calls(at.choice, out);
        }
        match self.parts.remove(&at) {
            Some(Held::Whole(part)) => {
                let reader = parts_write::Reader::Client;
                if let Some(part) = parts_write::write(&part, reader, false) {
                    self.part_frame(at.choice, &part, out);
                }
            }
            Some(Held::Text) => {
                if let Some(signature) = self.carried.take() {
                    let mut part = json!({"text": ""});
                    sign(&mut part, Some(&signature));
                    self.part_frame(at.choice, &part, out);
                }
            }
            Some(Held::Thought(_) | Held::Call(_)) | None => {}
        }
    }

    /// Writes the calls that have ended, but none before one that began earlier: clients pair
    /// results with calls by their order.
    fn write_calls(&mut self, choice: u32, out: &mut Vec<u8>) {
        let all = At { choice, part: 0 }..=At {
            choice,
            part: u32::MAX,
        };
        // Besides calls at most one part is open.
        let first_call = |parts: &BTreeMap<At, Held>| {
            let mut calls = parts
                .range(all.clone())
                .filter_map(|(at, held)| match held {
                    Held::Call(call) => Some((*at, call.has_ended)),
                    _ => None,
                });
            calls.next()
        };
        while let Some((at, true)) = first_call(&self.parts) {
            if let Some(Held::Call(call)) = self.parts.remove(&at) {
                let part = call.part();
                self.part_frame(choice, &part, out);
            }
        }
    }

    fn sources(&mut self, choice: u32) -> &mut Sources {
        let known = self.sources.iter().position(|one| one.choice == choice);
        let place = known.unwrap_or_else(|| {
            self.sources.push(Sources {
                choice,
                ..Sources::default()
            });
            self.sources.len() - 1
        });
        &mut self.sources[place]
    }

    /// The last frames: one for each choice, the usage in the last of them.
    fn on_end(&mut self, out: &mut Vec<u8>) {
        self.ended = true;
        let finishes = std::mem::take(&mut self.finishes);
        let count = finishes.len();
        for (place, (choice, finish)) in finishes.into_iter().enumerate() {
            let mut part = json!({"text": ""});
            sign(&mut part, self.carried.take().as_ref());
            let mut candidate = json!({
                "content": {"parts": [part], "role": "model"},
                "finishReason": finish::word(&finish, false),
                "index": choice,
            });
            let sources = self.sources(choice);
            if let Some(metadata) = grounding::write(&sources.notes, &sources.words) {
                candidate["groundingMetadata"] = metadata;
            }
            if let Some((_, entries)) = self.logprobs.iter().find(|(index, _)| *index == choice) {
                candidate["logprobsResult"] = logprobs::write_list(entries);
            }
            self.begin(out);
            out.extend_from_slice(b"{\"candidates\":[");
            json::write(out, &candidate);
            out.extend_from_slice(b"],");
            if let Some(usage) = self.usage.as_ref().filter(|_| place + 1 == count) {
                out.extend_from_slice(b"\"usageMetadata\":");
                json::write(out, &usage::write(usage));
                out.push(b',');
            }
            let tail = self.tail();
            out.extend_from_slice(tail);
            self.end_frame(out);
        }
        if self.framing == Framing::JsonArray {
            out.extend_from_slice(if self.frames == 0 { b"[]" } else { b"]" });
        }
    }

    fn on_error(&mut self, failure: &crate::canonical::Failure, out: &mut Vec<u8>) {
        self.ended = true;
        self.begin(out);
        out.extend_from_slice(&error::body(failure, error::late_status(failure.kind)));
        self.end_frame(out);
        if self.framing == Framing::JsonArray {
            out.push(b']');
        }
    }
}

fn sign(part: &mut Value, signature: Option<&Signature>) {
    if let Some(signature) = signature {
        part["thoughtSignature"] = json!(signature.for_client(HERE));
    }
}

impl StreamWriter for Writer {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        if self.ended {
            return;
        }
        match event {
            Event::Start { id, model, .. } => {
                if !id.is_empty() {
                    id.clone_into(&mut self.id);
                }
                if !model.is_empty() {
                    model.clone_into(&mut self.model);
                }
            }
            Event::PartStart { at, head } => self.on_part_start(at, head),
            Event::Text { at, text } => self.on_text(at, text, out),
            Event::Arguments { at, text } => self.on_arguments(at, text, out),
            Event::Signature { at, signature } => self.on_signature(at, signature),
            Event::Note { at, annotation } => {
                let notes = &mut self.sources(at.choice).notes;
                notes.push((at.part, annotation.clone()));
            }
            Event::Logprobs { choice, entries } => self.on_logprobs(choice, entries, out),
            Event::PartEnd { at } => self.on_part_end(at, out),
            Event::Finish { choice, finish } => self.finishes.push((choice, finish.clone())),
            Event::Usage(usage) => self.usage.get_or_insert_default().merge(usage),
            Event::End => self.on_end(out),
            Event::Error(failure) => self.on_error(failure, out),
            // This dialect has no way to say it: its clients take a comment for an answer.
            Event::Tier(_) | Event::Ping => {}
        }
    }

    /// An array that has begun has its bracket.
    fn go_on(&mut self, begun: &Begun) {
        self.frames = begun.frames;
    }
}
