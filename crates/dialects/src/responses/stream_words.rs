//! The words of a streamed answer: messages that gather texts, thoughts that are items of their own,
//! and the proofs that travel with them.

use serde_json::Value;

use super::logprobs;
use super::stream_ladder::{Growing, REFUSAL, SUMMARY, TEXT, THOUGHT, field};
use super::stream_write::EventWriter;
use crate::canonical::{Annotation, At, ThinkingForm};
use crate::{DialectId, Signature, json};

/// A message item that more text may join.
#[derive(Debug)]
pub(super) struct Message {
    pub id: String,
    pub output_index: usize,
    pub content: Vec<u8>,
    pub count: usize,
}

/// The text or thinking part that is open. It is announced with its first words.
#[derive(Debug)]
pub(super) struct OpenPart {
    pub at: At,
    pub kind: WordsKind,
    pub growing: Option<Growing>,
    pub notes: Vec<Annotation>,
    pub proof: Option<Signature>,
    /// A thinking part's item, once it is announced.
    pub item: Option<(String, usize)>,
    /// Whether the words are whole. A text is closed with what comes next: log probabilities may
    /// follow it.
    pub is_whole: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordsKind {
    Text,
    Refusal,
    Thinking(ThinkingForm),
}

impl EventWriter {
    pub(super) fn on_text(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.settle_calls("completed", out);
        let Some(mut part) = self.part.take_if(|part| part.at == at) else {
            return;
        };
        let is_hidden = matches!(part.kind, WordsKind::Thinking(_)) && !self.context.show_reasoning;
        if !is_hidden {
            self.kept += text.len();
            self.announce_words(&mut part, out);
            if let Some(growing) = &mut part.growing {
                growing.delta(text, &mut self.frames, out);
            }
        }
        self.part = Some(part);
    }

    /// Announces a part's item, where it needs one of its own, and the part in it.
    pub(super) fn announce_words(&mut self, part: &mut OpenPart, out: &mut Vec<u8>) {
        if part.growing.is_some() {
            return;
        }
        let (ladder, id, output_index, index) = match part.kind {
            WordsKind::Thinking(form) => {
                let (id, output_index) = self.announce_reasoning(out);
                part.item = Some((id.clone(), output_index));
                let ladder = match form {
                    ThinkingForm::Raw => &THOUGHT,
                    ThinkingForm::Summary | ThinkingForm::Redacted => &SUMMARY,
                };
                (ladder, id, output_index, 0)
            }
            WordsKind::Text | WordsKind::Refusal => {
                let ladder = if part.kind == WordsKind::Text {
                    &TEXT
                } else {
                    &REFUSAL
                };
                let (id, output_index, count) = self.message_place(out);
                (ladder, id, output_index, count)
            }
        };
        let growing = Growing::begin(ladder, &id, output_index, index, &mut self.frames, out);
        part.growing = Some(growing);
    }

    /// Where the next text goes: into the open message if that is the last item, else into a new one.
    pub(super) fn message_place(&mut self, out: &mut Vec<u8>) -> (String, usize, usize) {
        let last = self.output.len().wrapping_sub(1);
        if self
            .message
            .as_ref()
            .is_none_or(|message| message.output_index != last)
        {
            self.close_message("completed", out);
            let (id, output_index) = self.next_item("msg");
            let message = Message {
                id,
                output_index,
                content: Vec::new(),
                count: 0,
            };
            self.announce(output_index, &message.item("in_progress"), out);
            self.message = Some(message);
        }
        match &self.message {
            Some(message) => (message.id.clone(), message.output_index, message.count),
            None => (String::new(), 0, 0),
        }
    }

    pub(super) fn close_message(&mut self, status: &str, out: &mut Vec<u8>) {
        if let Some(message) = self.message.take() {
            self.item_done(message.output_index, message.item(status), out);
        }
    }

    /// Another item begins: the message is closed, unless its text still grows.
    pub(super) fn leave_message(&mut self, out: &mut Vec<u8>) {
        if self.part.as_ref().is_none_or(|part| part.is_whole) {
            self.close_part(out);
            self.close_message("completed", out);
        }
    }

    /// Announces a reasoning item; what comes after it is no longer the same message.
    pub(super) fn announce_reasoning(&mut self, out: &mut Vec<u8>) -> (String, usize) {
        self.leave_message(out);
        let (id, output_index) = self.next_item("rs");
        self.announce(output_index, &reasoning_item(&id, None, None), out);
        (id, output_index)
    }

    /// Ends the open text or thinking part.
    pub(super) fn close_part(&mut self, out: &mut Vec<u8>) {
        let Some(mut part) = self.part.take() else {
            return;
        };
        if let WordsKind::Thinking(form) = part.kind {
            return self.close_thinking(part, form, out);
        }
        let Some(growing) = part.growing.take() else {
            return;
        };
        let entries = std::mem::take(&mut self.logprobs);
        let written = growing.finish(&part.notes, &entries, &mut self.frames, out);
        if let Some(message) = &mut self.message {
            if message.count > 0 {
                message.content.push(b',');
            }
            message.content.extend_from_slice(&written);
            message.count += 1;
        }
    }

    pub(super) fn close_thinking(
        &mut self,
        mut part: OpenPart,
        form: ThinkingForm,
        out: &mut Vec<u8>,
    ) {
        let place = match part.item.take() {
            Some(place) => place,
            // Nothing to show and nothing to prove.
            None if part.proof.is_none() => return,
            None => self.announce_reasoning(out),
        };
        let words = part
            .growing
            .take()
            .map(|growing| growing.finish(&[], &[], &mut self.frames, out));
        let shown = words.map(|words| (form, words));
        let proof = part.proof.as_ref();
        let item = reasoning_item(&place.0, shown.as_ref(), proof);
        self.item_done(place.1, item, out);
    }

    /// A proof that belongs to something else travels in a reasoning item of its own.
    pub(super) fn write_proof(&mut self, proof: &Signature, out: &mut Vec<u8>) {
        self.kept += proof.data.len();
        let (id, output_index) = self.announce_reasoning(out);
        let item = reasoning_item(&id, None, Some(proof));
        self.item_done(output_index, item, out);
    }

    pub(super) fn on_note(&mut self, at: At, annotation: &Annotation) {
        if let Some(part) = self.part.as_mut().filter(|part| part.at == at) {
            self.kept += std::mem::size_of::<Annotation>() + note_bytes(annotation);
            part.notes.push(annotation.clone());
        }
    }

    pub(super) fn on_logprobs(&mut self, entries: &Value) {
        if let Some(Value::Array(entries)) = entries.get("content") {
            self.kept += entries.len() * 256;
            self.logprobs.extend(entries.iter().map(logprobs::write));
        }
    }
}

impl Message {
    fn item(&self, status: &str) -> Vec<u8> {
        let mut item = Vec::with_capacity(self.content.len() + 120);
        item.extend_from_slice(b"{\"id\":\"");
        item.extend_from_slice(self.id.as_bytes());
        item.extend_from_slice(b"\",\"type\":\"message\"");
        field("status", status.as_bytes(), &mut item);
        item.extend_from_slice(b",\"role\":\"assistant\",\"content\":[");
        item.extend_from_slice(&self.content);
        item.extend_from_slice(b"]}");
        item
    }
}

fn note_bytes(annotation: &Annotation) -> usize {
    match annotation {
        Annotation::Url { url, title, .. } => url.len() + title.as_ref().map_or(0, String::len),
        Annotation::Other { raw, .. } => json::text(raw).len(),
    }
}

/// A reasoning item with the part that it shows, if it shows one, and its proof.
fn reasoning_item(
    id: &str,
    shown: Option<&(ThinkingForm, Vec<u8>)>,
    proof: Option<&Signature>,
) -> Vec<u8> {
    let words = shown.map_or(0, |(_, words)| words.len());
    let mut item = Vec::with_capacity(words + 120);
    item.extend_from_slice(b"{\"id\":\"");
    item.extend_from_slice(id.as_bytes());
    item.extend_from_slice(b"\",\"type\":\"reasoning\",\"summary\":[");
    match shown {
        Some((ThinkingForm::Raw, words)) => {
            item.extend_from_slice(b"],\"content\":[");
            item.extend_from_slice(words);
        }
        Some((_, words)) => item.extend_from_slice(words),
        None => {}
    }
    item.push(b']');
    if let Some(proof) = proof {
        item.extend_from_slice(b",\"encrypted_content\":");
        json::write_str(&mut item, &proof.for_client(DialectId::Responses));
    }
    item.push(b'}');
    item
}
