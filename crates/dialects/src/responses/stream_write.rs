//! Writes a streamed answer: the full ladder of events, output items dense and in order, every
//! part announced before it grows, and the whole answer again at the end.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::shell::{Outcome, Shell, Stage};
use super::stream_ladder::{Frames, number};
use super::stream_tool::{Call, HeldCall};
use super::stream_words::{Message, OpenPart, WordsKind};
use crate::canonical::{
    At, Event, Failure, Finish, Hosted, Media, MediaClass, MediaSource, PartHead, Usage,
};
use crate::{Begun, DialectId, ReplyContext, Signature, StreamWriter, json};

/// An answer is repeated whole at its end, so it is kept; beyond this it fails.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Writes one streamed answer.
#[derive(Debug)]
pub(super) struct EventWriter {
    pub(super) context: ReplyContext,
    pub(super) shell: Option<Shell>,
    pub(super) frames: Frames,
    /// The output items that are done, by their index; an item that is not yet is empty.
    pub(super) output: Vec<Vec<u8>>,
    pub(super) message: Option<Message>,
    pub(super) part: Option<OpenPart>,
    pub(super) held: Option<HeldCall>,
    pub(super) calls: BTreeMap<At, Call>,
    /// A call whose arguments are whole; whether it was cut off is known with the next event.
    pub(super) closing: Option<Call>,
    pub(super) logprobs: Vec<Value>,
    pub(super) usage: Option<Usage>,
    pub(super) tier: Option<String>,
    pub(super) finish: Option<Finish>,
    /// Whether the model refused in words of their own kind.
    pub(super) refuses: bool,
    pub(super) kept: usize,
    pub(super) ended: bool,
}

impl StreamWriter for EventWriter {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        // This dialect has one choice.
        if self.ended || event.choice() > 0 {
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

    fn go_on(&mut self, begun: &Begun) {
        let shell = Shell::new(&begun.id, &begun.model, begun.created, &self.context);
        self.shell = Some(shell);
        self.frames = Frames::after(begun.frames);
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
            calls: BTreeMap::new(),
            closing: None,
            logprobs: Vec::new(),
            usage: None,
            tier: None,
            finish: None,
            refuses: false,
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
    pub(super) fn next_item(&mut self, prefix: &str) -> (String, usize) {
        let index = self.output.len();
        self.output.push(Vec::new());
        let id = self
            .shell
            .as_ref()
            .map(|shell| shell.item_id(prefix, index));
        (id.unwrap_or_default(), index)
    }

    pub(super) fn announce(&mut self, output_index: usize, item: &[u8], out: &mut Vec<u8>) {
        self.item_event("response.output_item.added", output_index, item, out);
    }

    pub(super) fn item_done(&mut self, output_index: usize, item: Vec<u8>, out: &mut Vec<u8>) {
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
        self.refuses |= kind == WordsKind::Refusal;
        self.part = Some(OpenPart {
            at,
            kind,
            growing: None,
            notes: Vec::new(),
            proof: None,
            item: None,
            is_whole: false,
        });
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
        } else if let Some(call) = self.calls.get_mut(&at) {
            call.late_proof = Some(signature.clone());
        }
    }

    fn on_part_end(&mut self, at: At, out: &mut Vec<u8>) {
        self.settle_calls("completed", out);
        if let Some(part) = self.part.as_mut().filter(|part| part.at == at) {
            part.is_whole = true;
            let is_thinking = matches!(part.kind, WordsKind::Thinking(_));
            let last = self.output.len().wrapping_sub(1);
            let message = self.message.as_ref();
            if message.is_some_and(|message| message.output_index != last) {
                // Another item has begun meanwhile.
                self.leave_message(out);
            } else if is_thinking {
                self.close_part(out);
            }
        } else if let Some(mut call) = self.calls.remove(&at) {
            call.arguments_done(&mut self.frames, out);
            self.closing = Some(call);
        }
    }

    /// A generated image; other media have no place here.
    fn on_media(&mut self, media: &Media, out: &mut Vec<u8>) {
        let MediaSource::Inline { mime, data } = &media.source else {
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
            let format = mime.trim_start_matches("image/");
            let item = json!({"id": id, "type": "image_generation_call", "status": status,
                "result": result, "output_format": format});
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
        self.close_all(Outcome::of(Some(finish), self.refuses).item_word(), out);
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
        for mut call in std::mem::take(&mut self.calls).into_values() {
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
        let outcome = Outcome::of(finish.as_ref(), self.refuses);
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
