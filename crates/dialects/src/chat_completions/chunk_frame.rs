//! What the chunks of a streamed answer have in common, in this dialect and in the legacy one: a
//! head that is prepared once, a beginning, an end with the usage, a failure.

use std::io::Write as _;

use super::{reply_write, usage};
use crate::canonical::{Failure, Usage};
use crate::{ReplyContext, error_body, json};

/// The frame of one streamed answer.
#[derive(Debug)]
pub struct ChunkFrame {
    object: &'static str,
    prefix: &'static str,
    id: String,
    model: String,
    created: u64,
    tier: Option<String>,
    /// Whether each chunk has a `usage` member.
    has_usage: bool,
    usage: Option<Usage>,
    started: bool,
    ended: bool,
    /// `data: {…,"choices":[`
    head: Vec<u8>,
}

impl ChunkFrame {
    /// A frame for an answer of this kind, whose id has this prefix.
    pub fn new(object: &'static str, prefix: &'static str, context: &ReplyContext) -> Self {
        Self {
            object,
            prefix,
            id: context.id.clone(),
            model: context.model.clone(),
            created: context.created,
            tier: None,
            has_usage: context.include_usage,
            usage: None,
            started: false,
            ended: false,
            head: Vec::new(),
        }
    }

    /// Names the answer as the upstream does; says whether it begins only now.
    pub fn start(&mut self, id: &str, model: &str, created: Option<u64>) -> bool {
        if std::mem::replace(&mut self.started, true) {
            return false;
        }
        let id = if id.is_empty() { &self.id } else { id };
        self.id = reply_write::prefixed_id(self.prefix, id);
        if !model.is_empty() {
            model.clone_into(&mut self.model);
        }
        self.created = created.unwrap_or(self.created);
        self.prepare();
        true
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

    /// Notes what was used so far.
    pub fn merge_usage(&mut self, usage: &Usage) {
        self.usage.get_or_insert_default().merge(usage);
    }

    /// Ends the answer: a last chunk with the usage and no choices, where the client asked for it,
    /// and the mark.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.ended = true;
        if let Some(counts) = self.usage.as_ref().filter(|_| self.has_usage) {
            self.begin(out);
            out.extend_from_slice(b"],\"usage\":");
            json::write(out, &usage::write(counts, false));
            out.extend_from_slice(b"}\n\n");
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    /// Ends the answer with a failure.
    pub fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        self.ended = true;
        error_body::write_frame(failure, out);
    }

    /// Whether nothing may be written any more.
    pub fn has_ended(&self) -> bool {
        self.ended
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
