//! Writes a streamed answer: the full ladder of events, output items dense and in order, every
//! part announced before it grows, and the whole answer again at the end.

use serde_json::{Value, json};

use super::shell::{Outcome, Shell, Stage};
use super::stream_ladder::{Frames, Growing, REFUSAL, SUMMARY, TEXT, THOUGHT, field, number};
use super::stream_tool::{Call, HeldCall};
use crate::canonical::{
    Annotation, At, Event, Failure, Finish, Hosted, Media, MediaClass, MediaSource, PartHead,
    ThinkingForm, Usage,
};
use crate::{DialectId, ReplyContext, Signature, StreamWriter, json};

/// An answer is repeated whole at its end, so it is kept; beyond this it fails.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Writes one streamed answer.
#[derive(Debug)]
pub(super) struct EventWriter {
    context: ReplyContext,
    shell: Option<Shell>,
    frames: Frames,
    /// The output items that are done, by their index; an item that is not yet is empty.
    output: Vec<Vec<u8>>,
    message: Option<Message>,
    part: Option<OpenPart>,
    held: Option<HeldCall>,
    calls: Vec<Call>,
    /// A call whose arguments are whole; whether it was cut off is known with the next event.
    closing: Option<Call>,
    logprobs: Vec<Value>,
    usage: Option<Usage>,
    tier: Option<String>,
    finish: Option<Finish>,
    kept: usize,
    ended: bool,
}

/// A message item that more text may join.
#[derive(Debug)]
struct Message {
    id: String,
    output_index: usize,
    content: Vec<u8>,
    count: usize,
}

/// The text or thinking part that is open. It is announced with its first words.
#[derive(Debug)]
struct OpenPart {
    at: At,
    kind: WordsKind,
    growing: Option<Growing>,
    notes: Vec<Annotation>,
    proof: Option<Signature>,
    /// A thinking part's item, once it is announced.
    item: Option<(String, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordsKind {
    Text,
    Refusal,
    Thinking(ThinkingForm),
}

impl StreamWriter for EventWriter {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        if self.ended || choice_of(&event) > 0 {
            return;
        }
        match event {
            Event::Start { id, model, created } => self.on_start(id, model, created, out),
            Event::PartStart { at, head } => self.on_part_start(at, &head, out),
            Event::Text { at, text } => self.on_text(at, text, out),
            Event::Arguments { at, text } => self.on_arguments(at, text, out),
            Event::Signature { at, signature } => self.on_signature(at, signature, out),
            Event::Note { at, annotation } => self.on_note(at, annotation),
            Event::Logprobs { entries, .. } => self.on_logprobs(entries),
            Event::PartEnd { at } => self.on_part_end(at, out),
            Event::Finish { finish, .. } => self.on_finish(finish, out),
            Event::Usage(usage) => self.usage.get_or_insert_default().merge(usage),
            Event::Tier(tier) => self.tier = Some(tier.to_owned()),
            Event::End => self.on_end(out),
            Event::Error(failure) => self.fail(failure, out),
            Event::Ping => self.on_ping(out),
        }
        if self.kept > MAX_KEPT_BYTES && !self.ended {
            let failure = Failure::upstream("The upstream's answer is too long.");
            self.fail(&failure, out);
        }
    }
}

/// The choice that an event belongs to; this dialect has only the first.
fn choice_of(event: &Event<'_>) -> u32 {
    match event {
        Event::PartStart { at, .. }
        | Event::Text { at, .. }
        | Event::Arguments { at, .. }
        | Event::Signature { at, .. }
        | Event::Note { at, .. }
        | Event::PartEnd { at } => at.choice,
        Event::Logprobs { choice, .. } | Event::Finish { choice, .. } => *choice,
        _ => 0,
    }
}

impl EventWriter {
    /// A writer for one answer.
    pub(super) fn new(context: &ReplyContext) -> Self {
        Self {
            context: context.clone(),
            shell: None,
            frames: Frames::default(),
            output: Vec::new(),
            message: None,
            part: None,
            held: None,
            calls: Vec::new(),
            closing: None,
            logprobs: Vec::new(),
            usage: None,
            tier: None,
            finish: None,
            kept: 0,
            ended: false,
        }
    }

    fn on_start(&mut self, id: &str, model: &str, created: Option<u64>, out: &mut Vec<u8>) {
        if self.shell.is_some() {
            return;
        }
        self.shell = Some(Shell::new(id, model, created, &self.context));
        self.stage("response.created", Outcome::InProgress, out);
        self.stage("response.in_progress", Outcome::InProgress, out);
    }

    /// Clients take nothing before the first event of an answer.
    fn ensure_started(&mut self, out: &mut Vec<u8>) {
        self.on_start("", "", None, out);
    }

    /// Writes an event that carries the whole response.
    fn stage(&mut self, kind: &str, outcome: Outcome<'_>, out: &mut Vec<u8>) {
        let Some(shell) = &self.shell else { return };
        let done = self.output.iter().filter(|item| !item.is_empty());
        let mut output = Vec::with_capacity(done.clone().map(|item| item.len() + 1).sum());
        for item in done {
            if !output.is_empty() {
                output.push(b',');
            }
            output.extend_from_slice(item);
        }
        self.frames.begin(kind, out);
        out.extend_from_slice(b",\"response\":");
        let stage = Stage {
            outcome,
            output: &output,
            usage: self
                .usage
                .as_ref()
                .filter(|_| !matches!(outcome, Outcome::InProgress)),
            tier: self.tier.as_deref(),
        };
        shell.write(&stage, out);
        Frames::end(out);
    }

    /// Reserves the next output index, with an id for the item there.
    fn next_item(&mut self, prefix: &str) -> (String, usize) {
        let index = self.output.len();
        self.output.push(Vec::new());
        let id = self
            .shell
            .as_ref()
            .map(|shell| shell.item_id(prefix, index));
        (id.unwrap_or_default(), index)
    }

    fn announce(&mut self, output_index: usize, item: &[u8], out: &mut Vec<u8>) {
        self.item_event("response.output_item.added", output_index, item, out);
    }

    fn item_done(&mut self, output_index: usize, item: Vec<u8>, out: &mut Vec<u8>) {
        self.item_event("response.output_item.done", output_index, &item, out);
        if let Some(place) = self.output.get_mut(output_index) {
            *place = item;
        }
    }

    fn item_event(&mut self, kind: &str, output_index: usize, item: &[u8], out: &mut Vec<u8>) {
        self.frames.begin(kind, out);
        out.extend_from_slice(b",\"output_index\":");
        number(output_index as u64, out);
        out.extend_from_slice(b",\"item\":");
        out.extend_from_slice(item);
        Frames::end(out);
    }

    fn on_part_start(&mut self, at: At, head: &PartHead<'_>, out: &mut Vec<u8>) {
        self.ensure_started(out);
        self.settle_calls("completed", out);
        let kind = match head {
            PartHead::Text => WordsKind::Text,
            PartHead::Refusal => WordsKind::Refusal,
            PartHead::Thinking(form) => WordsKind::Thinking(*form),
            PartHead::ToolCall {
                id,
                name,
                namespace,
                is_free,
            } => {
                let call = Call::new(at, id, name, *namespace, *is_free);
                self.held = Some(HeldCall {
                    call,
                    first_piece: None,
                });
                return;
            }
            PartHead::Media(media) => return self.on_media(media, out),
            PartHead::Hosted(hosted) => return self.on_hosted(hosted, out),
        };
        self.close_part(out);
        self.part = Some(OpenPart {
            at,
            kind,
            growing: None,
            notes: Vec::new(),
            proof: None,
            item: None,
        });
    }

    fn on_text(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
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
    fn announce_words(&mut self, part: &mut OpenPart, out: &mut Vec<u8>) {
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
    fn message_place(&mut self, out: &mut Vec<u8>) -> (String, usize, usize) {
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

    fn close_message(&mut self, status: &str, out: &mut Vec<u8>) {
        if let Some(message) = self.message.take() {
            self.item_done(message.output_index, message.item(status), out);
        }
    }

    /// Announces a reasoning item; what comes after it is no longer the same message.
    fn announce_reasoning(&mut self, out: &mut Vec<u8>) -> (String, usize) {
        self.close_message("completed", out);
        let (id, output_index) = self.next_item("rs");
        self.announce(output_index, &reasoning_item(&id, None, None), out);
        (id, output_index)
    }

    /// Ends the open text or thinking part.
    fn close_part(&mut self, out: &mut Vec<u8>) {
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

    fn close_thinking(&mut self, mut part: OpenPart, form: ThinkingForm, out: &mut Vec<u8>) {
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
    fn write_proof(&mut self, proof: &Signature, out: &mut Vec<u8>) {
        self.kept += proof.data.len();
        let (id, output_index) = self.announce_reasoning(out);
        let item = reasoning_item(&id, None, Some(proof));
        self.item_done(output_index, item, out);
    }

    fn on_arguments(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        self.kept += text.len();
        match &mut self.held {
            Some(held) if held.call.at == at && held.first_piece.is_none() => {
                held.first_piece = Some(text.to_owned());
                return;
            }
            _ => self.settle_calls("completed", out),
        }
        if let Some(call) = self.calls.iter_mut().find(|call| call.at == at)
            && !text.is_empty()
        {
            call.delta(text, &mut self.frames, out);
        }
    }

    fn on_signature(&mut self, at: At, signature: &Signature, out: &mut Vec<u8>) {
        if let Some(part) = self.part.as_mut().filter(|part| part.at == at) {
            // A text's proof has no place here; its vendor does not insist on it.
            if matches!(part.kind, WordsKind::Thinking(_)) {
                self.kept += signature.data.len();
                part.proof = Some(signature.clone());
            }
        } else if self.held.as_ref().is_some_and(|held| held.call.at == at) {
            self.write_proof(signature, out);
            self.announce_call(out);
        } else if let Some(call) = self.calls.iter_mut().find(|call| call.at == at) {
            call.late_proof = Some(signature.clone());
        }
    }

    /// Announces the call that was held back.
    fn announce_call(&mut self, out: &mut Vec<u8>) {
        let Some(HeldCall {
            mut call,
            first_piece,
        }) = self.held.take()
        else {
            return;
        };
        if self.part.is_none() {
            self.close_message("completed", out);
        }
        let (id, output_index) = self.next_item(call.id_prefix());
        call.place(id, output_index);
        let mut item = Vec::with_capacity(160);
        call.write_item("in_progress", &mut item);
        self.announce(output_index, &item, out);
        if let Some(piece) = first_piece.filter(|piece| !piece.is_empty()) {
            call.delta(&piece, &mut self.frames, out);
        }
        self.calls.push(call);
    }

    /// Announces what was held back and ends what is whole.
    fn settle_calls(&mut self, status: &str, out: &mut Vec<u8>) {
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

    fn on_note(&mut self, at: At, annotation: &Annotation) {
        if let Some(part) = self.part.as_mut().filter(|part| part.at == at) {
            self.kept += std::mem::size_of::<Annotation>() + note_bytes(annotation);
            part.notes.push(annotation.clone());
        }
    }

    fn on_logprobs(&mut self, entries: &Value) {
        if let Some(Value::Array(entries)) = entries.get("content") {
            self.kept += entries.len() * 256;
            self.logprobs.extend(entries.iter().cloned());
        }
    }

    fn on_part_end(&mut self, at: At, out: &mut Vec<u8>) {
        self.settle_calls("completed", out);
        if self.part.as_ref().is_some_and(|part| part.at == at) {
            self.close_part(out);
            let last = self.output.len().wrapping_sub(1);
            if self
                .message
                .as_ref()
                .is_some_and(|message| message.output_index != last)
            {
                self.close_message("completed", out);
            }
        } else if let Some(index) = self.calls.iter().position(|call| call.at == at) {
            let mut call = self.calls.remove(index);
            call.arguments_done(&mut self.frames, out);
            self.closing = Some(call);
        }
    }

    /// A generated image; other media have no place here.
    fn on_media(&mut self, media: &Media, out: &mut Vec<u8>) {
        let MediaSource::Inline { data, .. } = &media.source else {
            return;
        };
        if media.class != MediaClass::Image {
            return;
        }
        self.kept += data.len();
        self.close_part(out);
        self.close_message("completed", out);
        let (id, output_index) = self.next_item("ig");
        let item = |status: &str, result: Option<&str>| {
            let item = json!({"id": id, "type": "image_generation_call", "status": status,
                "result": result});
            json::text(&item).into_bytes()
        };
        self.announce(output_index, &item("in_progress", None), out);
        self.item_done(output_index, item("completed", Some(data)), out);
    }

    fn on_hosted(&mut self, hosted: &Hosted, out: &mut Vec<u8>) {
        if hosted.dialect != DialectId::Responses {
            return;
        }
        let item = json::text(&hosted.raw).into_bytes();
        self.kept += item.len();
        self.close_part(out);
        self.close_message("completed", out);
        let output_index = self.output.len();
        self.output.push(Vec::new());
        self.announce(output_index, &item, out);
        self.item_done(output_index, item, out);
    }

    fn on_ping(&mut self, out: &mut Vec<u8>) {
        self.announce_call(out);
        out.extend_from_slice(b": ping\n\n");
    }

    fn on_finish(&mut self, finish: &Finish, out: &mut Vec<u8>) {
        self.finish = Some(finish.clone());
        self.close_all(Outcome::of(Some(finish)).item_word(), out);
    }

    /// Ends everything that is open. Only the last item can have been cut off.
    fn close_all(&mut self, status: &str, out: &mut Vec<u8>) {
        self.announce_call(out);
        self.close_part(out);
        let last = self.output.len().wrapping_sub(1);
        let status_of = |index: usize| if index == last { status } else { "completed" };
        let closing = self
            .closing
            .as_ref()
            .map(|call| status_of(call.output_index));
        self.settle_calls(closing.unwrap_or("completed"), out);
        for mut call in std::mem::take(&mut self.calls) {
            call.arguments_done(&mut self.frames, out);
            let mut item = Vec::new();
            call.write_item(status_of(call.output_index), &mut item);
            self.item_done(call.output_index, item, out);
        }
        let message = self.message.as_ref().map(|message| message.output_index);
        self.close_message(message.map_or("completed", status_of), out);
    }

    fn on_end(&mut self, out: &mut Vec<u8>) {
        self.ensure_started(out);
        let finish = self.finish.take();
        let outcome = Outcome::of(finish.as_ref());
        self.close_all(outcome.item_word(), out);
        let kind = format!("response.{}", outcome.word());
        self.stage(&kind, outcome, out);
        self.ended = true;
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        self.ensure_started(out);
        self.stage("response.failed", Outcome::Failed(failure), out);
        self.ended = true;
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
