//! The ladder of events that carries words: a part is added, grows by deltas, and is done twice
//! over. One shape for text, refusals, summaries and thoughts. Words are kept escaped, as they went
//! out, so that the done events cost no second escaping.

use std::io::Write as _;

use serde_json::Value;

use super::annotations;
use crate::canonical::Annotation;
use crate::json;

/// Numbers the frames of a stream.
#[derive(Debug, Default)]
pub(super) struct Frames {
    next: u64,
}

impl Frames {
    /// Goes on after so many frames.
    pub(super) fn after(frames: u64) -> Self {
        Self { next: frames }
    }

    /// Begins a frame up to its number; fields follow, each with a comma before it.
    pub(super) fn begin(&mut self, kind: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\ndata: {\"type\":\"");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\",\"sequence_number\":");
        number(self.next, out);
        self.next += 1;
    }

    /// Ends a frame.
    pub(super) fn end(out: &mut Vec<u8>) {
        out.extend_from_slice(b"}\n\n");
    }
}

/// Writes a number.
pub(super) fn number(number: u64, out: &mut Vec<u8>) {
    write!(out, "{number}").expect("writing to memory cannot fail");
}

/// Writes a field with text; the text needs no escaping where `escaped` holds it already.
pub(super) fn field(key: &str, escaped: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":\"");
    out.extend_from_slice(escaped);
    out.push(b'"');
}

/// The names of a ladder's events and fields.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ladder {
    part_added: &'static str,
    delta: &'static str,
    done: &'static str,
    part_done: &'static str,
    /// The field that numbers parts inside an item.
    index: &'static str,
    /// The part's type, and its field with the words.
    part: &'static str,
    words: &'static str,
}

/// A message's text.
pub(super) static TEXT: Ladder = Ladder {
    part_added: "response.content_part.added",
    delta: "response.output_text.delta",
    done: "response.output_text.done",
    part_done: "response.content_part.done",
    index: "content_index",
    part: "output_text",
    words: "text",
};

/// A message's refusal.
pub(super) static REFUSAL: Ladder = Ladder {
    part_added: "response.content_part.added",
    delta: "response.refusal.delta",
    done: "response.refusal.done",
    part_done: "response.content_part.done",
    index: "content_index",
    part: "refusal",
    words: "refusal",
};

/// A summary of thoughts.
pub(super) static SUMMARY: Ladder = Ladder {
    part_added: "response.reasoning_summary_part.added",
    delta: "response.reasoning_summary_text.delta",
    done: "response.reasoning_summary_text.done",
    part_done: "response.reasoning_summary_part.done",
    index: "summary_index",
    part: "summary_text",
    words: "text",
};

/// Thoughts themselves.
pub(super) static THOUGHT: Ladder = Ladder {
    part_added: "response.content_part.added",
    delta: "response.reasoning_text.delta",
    done: "response.reasoning_text.done",
    part_done: "response.content_part.done",
    index: "content_index",
    part: "reasoning_text",
    words: "text",
};

impl Ladder {
    fn is_text(&self) -> bool {
        self.part == TEXT.part
    }
}

/// A part that grows.
#[derive(Debug)]
pub(super) struct Growing {
    ladder: &'static Ladder,
    /// `,"item_id":…,"output_index":…,"content_index":…`
    place: Vec<u8>,
    words: Vec<u8>,
    characters: u64,
}

impl Growing {
    /// Adds a part to an item.
    pub(super) fn begin(
        ladder: &'static Ladder,
        item_id: &str,
        output_index: usize,
        index: usize,
        frames: &mut Frames,
        out: &mut Vec<u8>,
    ) -> Self {
        let mut place = item_place(item_id, output_index);
        place.extend_from_slice(b",\"");
        place.extend_from_slice(ladder.index.as_bytes());
        place.extend_from_slice(b"\":");
        number(index as u64, &mut place);
        let growing = Self {
            ladder,
            place,
            words: Vec::new(),
            characters: 0,
        };
        frames.begin(ladder.part_added, out);
        out.extend_from_slice(&growing.place);
        out.extend_from_slice(b",\"part\":");
        growing.write_part(b"", b"", out);
        Frames::end(out);
        growing
    }

    /// More words.
    pub(super) fn delta(&mut self, text: &str, frames: &mut Frames, out: &mut Vec<u8>) {
        frames.begin(self.ladder.delta, out);
        out.extend_from_slice(&self.place);
        out.extend_from_slice(b",\"delta\":");
        let start = out.len();
        json::write_str(out, text);
        self.words.extend_from_slice(&out[start + 1..out.len() - 1]);
        self.characters += text.chars().count() as u64;
        if self.ladder.is_text() {
            out.extend_from_slice(b",\"logprobs\":[]");
        }
        Frames::end(out);
    }

    /// Ends the part, with its citations and log probabilities; gives it as it stands in its item.
    pub(super) fn finish(
        self,
        notes: &[Annotation],
        logprobs: &[Value],
        frames: &mut Frames,
        out: &mut Vec<u8>,
    ) -> Vec<u8> {
        let notes = self.write_notes(notes, frames, out);
        let mut entries = Vec::new();
        for entry in logprobs {
            if !entries.is_empty() {
                entries.push(b',');
            }
            json::write(&mut entries, entry);
        }
        frames.begin(self.ladder.done, out);
        out.extend_from_slice(&self.place);
        field(self.ladder.words, &self.words, out);
        if self.ladder.is_text() {
            out.extend_from_slice(b",\"logprobs\":[");
            out.extend_from_slice(&entries);
            out.push(b']');
        }
        Frames::end(out);
        let mut part = Vec::with_capacity(self.words.len() + 80);
        self.write_part(&notes, &entries, &mut part);
        frames.begin(self.ladder.part_done, out);
        out.extend_from_slice(&self.place);
        out.extend_from_slice(b",\"part\":");
        out.extend_from_slice(&part);
        Frames::end(out);
        part
    }

    /// Announces each citation that this dialect has a word for; gives them all.
    fn write_notes(&self, notes: &[Annotation], frames: &mut Frames, out: &mut Vec<u8>) -> Vec<u8> {
        let mut written = Vec::new();
        let known = notes
            .iter()
            .filter_map(|note| annotations::write(note, || self.characters));
        for (index, note) in (0..).zip(known) {
            frames.begin("response.output_text.annotation.added", out);
            out.extend_from_slice(&self.place);
            out.extend_from_slice(b",\"annotation_index\":");
            number(index, out);
            out.extend_from_slice(b",\"annotation\":");
            json::write(out, &note);
            Frames::end(out);
            if index > 0 {
                written.push(b',');
            }
            json::write(&mut written, &note);
        }
        written
    }

    fn write_part(&self, notes: &[u8], logprobs: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"type\":\"");
        out.extend_from_slice(self.ladder.part.as_bytes());
        out.push(b'"');
        field(self.ladder.words, &self.words, out);
        if self.ladder.is_text() {
            out.extend_from_slice(b",\"annotations\":[");
            out.extend_from_slice(notes);
            out.extend_from_slice(b"],\"logprobs\":[");
            out.extend_from_slice(logprobs);
            out.push(b']');
        }
        out.push(b'}');
    }
}

/// `,"item_id":…,"output_index":…`; ids are made of letters and digits.
pub(super) fn item_place(item_id: &str, output_index: usize) -> Vec<u8> {
    let mut place = Vec::with_capacity(96);
    field("item_id", item_id.as_bytes(), &mut place);
    place.extend_from_slice(b",\"output_index\":");
    number(output_index as u64, &mut place);
    place
}
