//! The frames of content blocks: start, deltas, stop. Each is whole when it is written.

use serde_json::Value;

use super::reply_write::{write_call_head, write_redacted, write_thinking};
use crate::json;

/// What the open block takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeltaKind {
    Text,
    Thinking,
    Input,
}

/// Writes blocks, one after the other, and numbers them.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The number of the next block.
    next: u32,
    /// The frame of the open block's deltas up to the text.
    delta: Vec<u8>,
}

impl Blocks {
    /// Opens a text block.
    pub(super) fn open_text(&mut self, out: &mut Vec<u8>) {
        self.start(out, |out| {
            out.extend_from_slice(br#"{"type":"text","text":""}"#);
        });
        self.prepare(DeltaKind::Text);
    }

    /// Opens a thinking block.
    pub(super) fn open_thinking(&mut self, out: &mut Vec<u8>) {
        self.start(out, |out| {
            write_thinking(out, "", "");
            out.push(b'}');
        });
        self.prepare(DeltaKind::Thinking);
    }

    /// Opens a call's block.
    pub(super) fn open_call(&mut self, id: &str, name: &str, out: &mut Vec<u8>) {
        self.start(out, |out| {
            write_call_head(out, id, name);
            out.extend_from_slice(b"{}}");
        });
        self.prepare(DeltaKind::Input);
    }

    /// Writes a redacted block, whole.
    pub(super) fn redacted(&mut self, data: &str, out: &mut Vec<u8>) {
        self.start(out, |out| {
            write_redacted(out, data);
            out.push(b'}');
        });
        self.stop(out);
    }

    /// Writes a thinking block that has only a signature.
    pub(super) fn signature_only(&mut self, signature: &str, out: &mut Vec<u8>) {
        self.open_thinking(out);
        self.signature(signature, out);
        self.stop(out);
    }

    /// Writes a block of this dialect's own, whole; an input goes out as a piece, as the vendor
    /// does it.
    pub(super) fn hosted(&mut self, raw: &Value, out: &mut Vec<u8>) {
        let input = raw.get("input").and_then(Value::as_object);
        let Some(input) = input.filter(|input| !input.is_empty()) else {
            self.start(out, |out| json::write(out, raw));
            return self.stop(out);
        };
        let mut head = raw.clone();
        head["input"] = Value::Object(serde_json::Map::new());
        self.start(out, |out| json::write(out, &head));
        self.prepare(DeltaKind::Input);
        self.piece(&json::text(&Value::Object(input.clone())), out);
        self.stop(out);
    }

    /// Writes a piece of what the open block takes.
    pub(super) fn piece(&self, text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.delta);
        json::write_str(out, text);
        out.extend_from_slice(b"}}\n\n");
    }

    /// Writes the open thinking block's signature.
    pub(super) fn signature(&self, signature: &str, out: &mut Vec<u8>) {
        self.delta_head(out);
        out.extend_from_slice(br#"{"type":"signature_delta","signature":"#);
        json::write_str(out, signature);
        out.extend_from_slice(b"}}\n\n");
    }

    /// Writes a citation of the open text block.
    pub(super) fn citation(&self, citation: &Value, out: &mut Vec<u8>) {
        self.delta_head(out);
        out.extend_from_slice(br#"{"type":"citations_delta","citation":"#);
        json::write(out, citation);
        out.extend_from_slice(b"}}\n\n");
    }

    /// Closes the open block.
    pub(super) fn stop(&mut self, out: &mut Vec<u8>) {
        let head = b"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":";
        out.extend_from_slice(head);
        json::write(out, &self.open_index());
        out.extend_from_slice(b"}\n\n");
    }

    fn open_index(&self) -> u32 {
        self.next.saturating_sub(1)
    }

    fn start(&mut self, out: &mut Vec<u8>, block: impl FnOnce(&mut Vec<u8>)) {
        let head =
            b"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":";
        out.extend_from_slice(head);
        json::write(out, &self.next);
        out.extend_from_slice(br#","content_block":"#);
        block(out);
        out.extend_from_slice(b"}\n\n");
        self.next += 1;
    }

    fn delta_head(&self, out: &mut Vec<u8>) {
        let head =
            b"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":";
        out.extend_from_slice(head);
        json::write(out, &self.open_index());
        out.extend_from_slice(br#","delta":"#);
    }

    /// Prepares the frame of the open block's deltas, so that a piece of text costs one copy.
    fn prepare(&mut self, kind: DeltaKind) {
        let mut delta = std::mem::take(&mut self.delta);
        delta.clear();
        self.delta_head(&mut delta);
        delta.extend_from_slice(match kind {
            DeltaKind::Text => br#"{"type":"text_delta","text":"#,
            DeltaKind::Thinking => br#"{"type":"thinking_delta","thinking":"#,
            DeltaKind::Input => br#"{"type":"input_json_delta","partial_json":"#,
        });
        self.delta = delta;
    }
}
