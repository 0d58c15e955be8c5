//! Tool calls of a streamed answer: their items and the ladder of their arguments. Calls may
//! overlap.

use super::stream_ladder::{Frames, field, item_place};
use super::stream_write::EventWriter;
use crate::canonical::At;
use crate::{Signature, json};

/// A call as its part's head gave it.
#[derive(Debug)]
pub(super) struct Call {
    /// Which part it is.
    pub at: At,
    id: String,
    name: String,
    namespace: Option<String>,
    is_free: bool,
    item_id: String,
    /// Its place among the output items, once it is announced.
    pub output_index: usize,
    /// `,"item_id":…,"output_index":…`
    place: Vec<u8>,
    /// Escaped, as they went out.
    arguments: Vec<u8>,
    /// A proof that came too late to be told before the call.
    pub late_proof: Option<Signature>,
}

/// A call that is not announced yet: a proof that belongs before it may follow its head and its
/// first piece.
#[derive(Debug)]
pub(super) struct HeldCall {
    pub call: Call,
    pub first_piece: Option<String>,
}

impl Call {
    /// A call that is not announced yet.
    pub(super) fn new(
        at: At,
        id: &str,
        name: &str,
        namespace: Option<&str>,
        is_free: bool,
    ) -> Self {
        Self {
            at,
            id: id.to_owned(),
            name: name.to_owned(),
            namespace: namespace.map(str::to_owned),
            is_free,
            item_id: String::new(),
            output_index: 0,
            place: Vec::new(),
            arguments: Vec::new(),
            late_proof: None,
        }
    }

    /// What the ids of such items begin with.
    pub(super) fn id_prefix(&self) -> &'static str {
        if self.is_free { "ctc" } else { "fc" }
    }

    /// Gives the call its place; its item can then be announced.
    pub(super) fn place(&mut self, item_id: String, output_index: usize) {
        self.place = item_place(&item_id, output_index);
        self.item_id = item_id;
        self.output_index = output_index;
    }

    /// Writes the item.
    pub(super) fn write_item(&self, status: &str, out: &mut Vec<u8>) {
        let (kind, words) = if self.is_free {
            ("custom_tool_call", "input")
        } else {
            ("function_call", "arguments")
        };
        out.extend_from_slice(b"{\"id\":");
        json::write_str(out, &self.item_id);
        field("type", kind.as_bytes(), out);
        field("status", status.as_bytes(), out);
        out.extend_from_slice(b",\"call_id\":");
        json::write_str(out, &self.id);
        out.extend_from_slice(b",\"name\":");
        json::write_str(out, &self.name);
        if let Some(namespace) = &self.namespace {
            out.extend_from_slice(b",\"namespace\":");
            json::write_str(out, namespace);
        }
        field(words, &self.arguments, out);
        out.push(b'}');
    }

    /// More arguments.
    pub(super) fn delta(&mut self, text: &str, frames: &mut Frames, out: &mut Vec<u8>) {
        let kind = if self.is_free {
            "response.custom_tool_call_input.delta"
        } else {
            "response.function_call_arguments.delta"
        };
        frames.begin(kind, out);
        out.extend_from_slice(&self.place);
        out.extend_from_slice(b",\"delta\":");
        let start = out.len();
        json::write_str(out, text);
        self.arguments
            .extend_from_slice(&out[start + 1..out.len() - 1]);
        Frames::end(out);
    }

    /// The arguments are whole. A function that takes none is called with an empty object.
    pub(super) fn arguments_done(&mut self, frames: &mut Frames, out: &mut Vec<u8>) {
        if self.is_free {
            frames.begin("response.custom_tool_call_input.done", out);
            out.extend_from_slice(&self.place);
            field("input", &self.arguments, out);
        } else {
            if self.arguments.is_empty() {
                self.delta("{}", frames, out);
            }
            frames.begin("response.function_call_arguments.done", out);
            out.extend_from_slice(&self.place);
            out.extend_from_slice(b",\"name\":");
            json::write_str(out, &self.name);
            field("arguments", &self.arguments, out);
        }
        Frames::end(out);
    }
}

impl EventWriter {
    pub(super) fn on_arguments(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        self.kept += text.len();
        match &mut self.held {
            Some(held) if held.call.at == at && held.first_piece.is_none() => {
                held.first_piece = Some(text.to_owned());
                return;
            }
            _ => self.settle_calls("completed", out),
        }
        if let Some(call) = self.calls.get_mut(&at)
            && !text.is_empty()
        {
            call.delta(text, &mut self.frames, out);
        }
    }

    /// Announces the call that was held back.
    pub(super) fn announce_call(&mut self, out: &mut Vec<u8>) {
        let Some(HeldCall {
            mut call,
            first_piece,
        }) = self.held.take()
        else {
            return;
        };
        self.leave_message(out);
        let (id, output_index) = self.next_item(call.id_prefix());
        call.place(id, output_index);
        let mut item = Vec::with_capacity(160);
        call.write_item("in_progress", &mut item);
        self.announce(output_index, &item, out);
        if let Some(piece) = first_piece.filter(|piece| !piece.is_empty()) {
            call.delta(&piece, &mut self.frames, out);
        }
        self.calls.insert(call.at, call);
    }

    /// Announces what was held back and ends what is whole.
    pub(super) fn settle_calls(&mut self, status: &str, out: &mut Vec<u8>) {
        self.announce_call(out);
        if let Some(mut call) = self.closing.take() {
            let mut item = Vec::with_capacity(160);
            call.write_item(status, &mut item);
            self.item_done(call.output_index, item, out);
            if let Some(proof) = call.late_proof.take() {
                self.write_proof(&proof, out);
            }
        }
    }
}
