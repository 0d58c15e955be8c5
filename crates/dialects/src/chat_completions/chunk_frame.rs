//! The frame around each piece of a streamed answer: made once, written again and again.

use std::io::Write as _;

use serde_json::Value;

use crate::json;

/// What all chunks of an answer share.
#[derive(Debug, Default)]
pub struct ChunkFrame {
    object: &'static str,
    id: String,
    model: String,
    created: u64,
    tier: Option<String>,
    /// Whether each chunk has a `usage` member.
    has_usage: bool,
    /// `data: {…,"choices":[`
    head: Vec<u8>,
}

impl ChunkFrame {
    /// A frame for answers of this kind.
    pub fn new(object: &'static str, has_usage: bool) -> Self {
        Self {
            object,
            has_usage,
            ..Self::default()
        }
    }

    /// Names the answer.
    pub fn start(&mut self, id: String, model: &str, created: u64) {
        self.id = id;
        model.clone_into(&mut self.model);
        self.created = created;
        self.prepare();
    }

    /// Names the tier that serves it.
    pub fn set_tier(&mut self, tier: String) {
        self.tier = Some(tier);
        self.prepare();
    }

    fn prepare(&mut self) {
        let mut head = Vec::with_capacity(160);
        head.extend_from_slice(b"data: {\"id\":");
        json::write_str(&mut head, &self.id);
        head.extend_from_slice(b",\"object\":");
        json::write_str(&mut head, self.object);
        head.extend_from_slice(b",\"created\":");
        write_number(&mut head, self.created);
        head.extend_from_slice(b",\"model\":");
        json::write_str(&mut head, &self.model);
        if let Some(tier) = &self.tier {
            head.extend_from_slice(b",\"service_tier\":");
            json::write_str(&mut head, tier);
        }
        head.extend_from_slice(b",\"choices\":[");
        self.head = head;
    }

    /// Begins a chunk; its choices follow.
    pub fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head);
    }

    /// Ends a chunk after its choices.
    pub fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.has_usage {
            b"],\"usage\":null}\n\n"
        } else {
            b"]}\n\n"
        });
    }

    /// The last chunk, which has no choices, where the client asked for it.
    pub fn usage(&self, usage: &Value, out: &mut Vec<u8>) {
        if self.has_usage {
            self.begin(out);
            out.extend_from_slice(b"],\"usage\":");
            json::write(out, usage);
            out.extend_from_slice(b"}\n\n");
        }
    }
}

/// Writes a number.
pub fn write_number(out: &mut Vec<u8>, number: u64) {
    if let Ok(digit @ 0..=9) = u8::try_from(number) {
        out.push(b'0' + digit);
    } else {
        write!(out, "{number}").expect("writing to memory cannot fail");
    }
}
