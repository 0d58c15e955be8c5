//! Writes a streamed answer for a client. The official clients add strings up key by key, so that
//! roles, ids and names are sent exactly once, and lists without an index in one chunk only.

use serde_json::{Value, json};

use super::chunk_frame::{ChunkFrame, write_number};
use super::stream_state::{ChoiceOut, HeldCall};
use super::{finish, reply_write};
use crate::canonical::{At, Event, Finish, Media, PartHead};
use crate::json::{write, write_str};
use crate::{ReplyContext, StreamWriter};

/// Writes one streamed answer.
pub struct Writer {
    context: ReplyContext,
    frame: ChunkFrame,
    choices: Vec<ChoiceOut>,
}

impl Writer {
    /// A writer for one answer.
    pub fn new(context: &ReplyContext) -> Self {
        Self {
            context: context.clone(),
            frame: ChunkFrame::new("chat.completion.chunk", "chatcmpl-", context),
            choices: Vec::new(),
        }
    }
}

impl StreamWriter for Writer {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        if self.frame.has_ended() {
            return;
        }
        match event {
            Event::Start { id, model, created } => self.on_start(id, model, created, out),
            Event::PartStart { at, head } => self.on_part_start(at, &head, out),
            Event::Text { at, text } => self.on_text(at, text, out),
            Event::Arguments { at, text } => self.on_arguments(at, text, out),
            Event::Signature { at, signature } => {
                self.choice(at.choice, out).on_signature(at.part, signature);
            }
            Event::Note { at, annotation } => {
                self.choice(at.choice, out).on_note(at.part, annotation);
            }
            Event::Logprobs { choice, entries } => self.on_logprobs(choice, entries, out),
            Event::PartEnd { at } => self.on_part_end(at, out),
            Event::Finish { choice, finish } => self.on_finish(choice, finish, out),
            Event::Usage(usage) => self.frame.merge_usage(usage),
            Event::Tier(tier) => {
                if let Some(tier) = reply_write::tier_word(tier, false) {
                    self.frame.set_tier(tier);
                }
            }
            Event::End => self.frame.finish(out),
            Event::Error(failure) => self.frame.fail(failure, out),
            Event::Ping => out.extend_from_slice(b": ping\n\n"),
        }
    }
}

impl Writer {
    fn on_start(&mut self, id: &str, model: &str, created: Option<u64>, out: &mut Vec<u8>) {
        if !self.frame.start(id, model, created) {
            return;
        }
        // Choice 0 must be the first that a client hears of.
        self.choice(0, out);
    }

    /// The state of a choice; one that begins here tells its role.
    fn choice(&mut self, index: u32, out: &mut Vec<u8>) -> &mut ChoiceOut {
        if let Some(at) = self.choices.iter().position(|choice| choice.index == index) {
            return &mut self.choices[at];
        }
        self.begin(index, out);
        out.extend_from_slice(b"\"role\":\"assistant\",\"content\":\"\"");
        self.end(out);
        self.choices.push(ChoiceOut::new(index));
        let last = self.choices.len() - 1;
        &mut self.choices[last]
    }

    /// Begins a chunk with one choice; the members of its delta follow.
    fn begin(&self, choice: u32, out: &mut Vec<u8>) {
        self.frame.begin(out);
        out.extend_from_slice(b"{\"index\":");
        write_number(out, choice.into());
        out.extend_from_slice(b",\"delta\":{");
    }

    /// Ends a chunk after the members of its delta.
    fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"},\"finish_reason\":null}");
        self.frame.end(out);
    }

    fn string_delta(&self, choice: u32, key: &str, pieces: [&str; 2], out: &mut Vec<u8>) {
        self.begin(choice, out);
        write_str(out, key);
        out.push(b':');
        match pieces {
            ["", text] => write_str(out, text),
            [before, text] => write_str(out, &[before, text].concat()),
        }
        self.end(out);
    }

    fn value_delta(&self, choice: u32, key: &str, value: &Value, out: &mut Vec<u8>) {
        self.begin(choice, out);
        write_str(out, key);
        out.push(b':');
        write(out, value);
        self.end(out);
    }

    fn on_part_start(&mut self, at: At, head: &PartHead<'_>, out: &mut Vec<u8>) {
        self.release(at.choice, None, out);
        match head {
            PartHead::Text => self.choice(at.choice, out).begin_text(at.part),
            PartHead::Refusal => self.choice(at.choice, out).begin_refusal(at.part),
            PartHead::Thinking(form) => {
                self.choice(at.choice, out).begin_thinking(at.part, *form);
            }
            PartHead::ToolCall {
                id, name, is_free, ..
            } => {
                self.choice(at.choice, out).held = Some(HeldCall {
                    part: at.part,
                    id: (*id).to_owned(),
                    name: (*name).to_owned(),
                    is_free: *is_free,
                    signature: None,
                    arguments: String::new(),
                });
            }
            PartHead::Media(media) => self.on_media(at.choice, media, out),
            // Only its own dialect understands it.
            PartHead::Hosted(_) => {}
        }
    }

    fn on_text(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.release(at.choice, None, out);
        let show_reasoning = self.context.show_reasoning;
        let choice = self.choice(at.choice, out);
        if choice.is_refusal(at.part) {
            choice.has_refusal = true;
            self.string_delta(at.choice, "refusal", ["", text], out);
        } else if choice.is_thinking(at.part) {
            let gap = choice.thinking_gap(text);
            if show_reasoning {
                self.string_delta(at.choice, "reasoning_content", [gap, text], out);
            }
        } else {
            choice.on_text(text);
            self.string_delta(at.choice, "content", ["", text], out);
        }
    }

    /// Arguments of a call. The first delta of a call has its id, on which a signature may ride that
    /// comes after whole arguments: such a call waits for its end, or for whatever comes next.
    fn on_arguments(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let choice = self.choice(at.choice, out);
        if let Some(call) = choice.held.as_mut().filter(|call| call.part == at.part) {
            if call.may_be_whole(text) {
                call.arguments.push_str(text);
                return;
            }
            self.release(at.choice, None, out);
        }
        if let Some((ordinal, is_free)) = self.choice(at.choice, out).begun_call(at.part) {
            self.arguments_delta(at.choice, ordinal, is_free, text, out);
        }
    }

    fn arguments_delta(
        &self,
        choice: u32,
        ordinal: u64,
        is_free: bool,
        text: &str,
        out: &mut Vec<u8>,
    ) {
        if self.context.old_functions {
            if ordinal == 0 {
                let piece = json!({"arguments":text});
                self.value_delta(choice, "function_call", &piece, out);
            }
            return;
        }
        self.begin(choice, out);
        out.extend_from_slice(b"\"tool_calls\":[{\"index\":");
        write_number(out, ordinal);
        out.extend_from_slice(if is_free {
            b",\"custom\":{\"input\":"
        } else {
            b",\"function\":{\"arguments\":"
        });
        write_str(out, text);
        out.extend_from_slice(b"}}]");
        self.end(out);
    }

    /// Sends the call that is held back, if any (or only if it is this part).
    fn release(&mut self, choice: u32, part: Option<u32>, out: &mut Vec<u8>) {
        let state = self.choice(choice, out);
        let Some(call) = state.take_held(part) else {
            return;
        };
        let ordinal = state.begin_call(call.part, call.is_free);
        let id = reply_write::shown_id(&call.id, call.signature.as_ref());
        let (kind, words) = if call.is_free {
            ("custom", "input")
        } else {
            ("function", "arguments")
        };
        if !self.context.old_functions {
            let entry =
                json!([{"index":ordinal,"id":id,"type":kind,kind:{"name":call.name,words:""}}]);
            self.value_delta(choice, "tool_calls", &entry, out);
        } else if ordinal == 0 {
            let entry = json!({"name":call.name,"arguments":""});
            self.value_delta(choice, "function_call", &entry, out);
        }
        if !call.arguments.is_empty() {
            self.choice(choice, out).saw_arguments(call.part);
            self.arguments_delta(choice, ordinal, call.is_free, &call.arguments, out);
        }
    }

    fn on_part_end(&mut self, at: At, out: &mut Vec<u8>) {
        self.release(at.choice, Some(at.part), out);
        let choice = self.choice(at.choice, out);
        if let Some(ordinal) = choice.end_part(at.part) {
            self.arguments_delta(at.choice, ordinal, false, "{}", out);
        }
    }

    fn on_media(&mut self, choice: u32, media: &Media, out: &mut Vec<u8>) {
        let state = self.choice(choice, out);
        match reply_write::media_value(media) {
            Some(reply_write::MediaValue::Image(mut image)) => {
                image["index"] = state.next_image().into();
                self.value_delta(choice, "images", &json!([image]), out);
            }
            Some(reply_write::MediaValue::Audio(mut audio)) if !state.has_audio => {
                state.has_audio = true;
                let expires_at = reply_write::expires_at(&self.context);
                audio.insert("expires_at".to_owned(), expires_at.into());
                self.value_delta(choice, "audio", &Value::Object(audio), out);
            }
            _ => {}
        }
    }

    fn on_logprobs(&mut self, choice: u32, entries: &Value, out: &mut Vec<u8>) {
        self.choice(choice, out);
        self.begin(choice, out);
        out.extend_from_slice(b"},\"logprobs\":");
        write(out, entries);
        out.extend_from_slice(b",\"finish_reason\":null}");
        self.frame.end(out);
    }

    fn on_finish(&mut self, choice: u32, reason: &Finish, out: &mut Vec<u8>) {
        self.release(choice, None, out);
        let state = self.choice(choice, out);
        if std::mem::replace(&mut state.is_finished, true) {
            return;
        }
        let annotations = state.annotations();
        let has_refusal = state.has_refusal;
        if let (false, Some(words)) = (has_refusal, finish::explanation(reason)) {
            self.string_delta(choice, "refusal", ["", words], out);
        }
        self.begin(choice, out);
        if !annotations.is_empty() {
            out.extend_from_slice(b"\"annotations\":");
            write(out, &annotations);
        }
        out.extend_from_slice(b"},\"finish_reason\":");
        write_str(out, reply_write::finish_word(reason, &self.context));
        out.push(b'}');
        self.frame.end(out);
    }
}
