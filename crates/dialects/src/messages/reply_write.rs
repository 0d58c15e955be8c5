//! A whole answer, written for a client. Written as text, not as a tree, so that a call's
//! arguments reach the client in the model's own spelling.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::arguments::object_text;
use super::blocks_write::citation;
use super::{ID, extra, finish, usage};
use crate::canonical::{
    Annotation, Choice, Extra, Finish, FinishReason, Part, PartKind, Reply, Thinking, ThinkingForm,
    ToolCall, Usage,
};
use crate::dialect::name_once;
use crate::{DialectId, ReplyContext, Signature, Written, ids, json};

/// Writes the body, and says what could not be said in it.
pub(super) fn write(reply: &Reply, context: &ReplyContext) -> Written {
    let same = reply.source == ID;
    let nothing;
    let choice = if let Some(choice) = reply.choices.first() {
        choice
    } else {
        nothing = no_choice();
        &nothing
    };
    let mut body = Body {
        out: Vec::with_capacity(2048),
        dropped: Vec::new(),
        same,
        show_reasoning: same || context.show_reasoning,
        is_first: true,
        id: context.id_or(&reply.id),
        calls: 0,
    };
    body.out.extend_from_slice(br#"{"id":"#);
    json::write_str(&mut body.out, body.id);
    let head = br#","type":"message","role":"assistant","model":"#;
    body.out.extend_from_slice(head);
    json::write_str(&mut body.out, context.model_or(&reply.model));
    body.out.extend_from_slice(br#","content":["#);
    for part in &choice.parts {
        body.part(part);
    }
    body.out.extend_from_slice(b"],");
    write_finish(&choice.finish, body.calls > 0, same, &mut body.out);
    body.out.extend_from_slice(br#","usage":"#);
    write_counts(reply, context, same, &mut body.out);
    if same {
        write_extra(&reply.extra, &["usage"], &mut body.out);
    }
    body.out.push(b'}');
    if reply.choices.len() > 1 {
        body.drop("choices");
    }
    if choice.logprobs.is_some() {
        body.drop("logprobs");
    }
    Written {
        body: body.out,
        dropped: body.dropped,
    }
}

/// What stands for the choice that an answer has not.
fn no_choice() -> Choice {
    Choice {
        index: 0,
        parts: Vec::new(),
        finish: Finish::new(FinishReason::Other, ""),
        logprobs: None,
        extra: Extra::new(),
    }
}

/// The finish's members, the first without a comma before it.
pub(super) fn write_finish(finish: &Finish, called: bool, same: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(br#""stop_reason":"#);
    json::write_str(out, finish::word(finish, called, same));
    out.extend_from_slice(br#","stop_sequence":"#);
    match finish::finish_sequence(finish) {
        Some(text) => json::write_str(out, text),
        None => out.extend_from_slice(b"null"),
    }
    if let Some(details) = finish::details(finish) {
        out.extend_from_slice(br#","stop_details":"#);
        json::write(out, details);
    }
}

fn write_counts(reply: &Reply, context: &ReplyContext, same: bool, out: &mut Vec<u8>) {
    let start = out.len();
    let tier = reply.tier.as_deref();
    let tier = tier.and_then(|tier| usage::tier(tier, same));
    let estimate = || Usage {
        input: Some(context.estimated_input),
        ..Usage::default()
    };
    let counted = reply.usage.as_ref().map(Cow::Borrowed);
    let counted = counted.unwrap_or_else(|| Cow::Owned(estimate()));
    usage::write(&counted, tier, out);
    if let (true, Some(Value::Object(kept))) = (same, reply.extra.get("usage")) {
        let written = serde_json::from_slice(&out[start..]);
        let mut counts: Map<String, Value> = written.expect("an object was written");
        extra::restore(&mut counts, kept);
        out.truncate(start);
        json::write(out, &counts);
    }
}

fn write_extra(extra: &Extra, known: &[&str], out: &mut Vec<u8>) {
    for (key, value) in extra {
        if known.contains(&key.as_str()) {
            continue;
        }
        out.push(b',');
        json::write_str(out, key);
        out.push(b':');
        json::write(out, value);
    }
}

/// The content as it grows.
struct Body<'a> {
    out: Vec<u8>,
    dropped: Vec<String>,
    same: bool,
    show_reasoning: bool,
    is_first: bool,
    id: &'a str,
    calls: u32,
}

impl Body<'_> {
    fn drop(&mut self, name: &str) {
        name_once(&mut self.dropped, name);
    }

    fn begin(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
    }

    fn end(&mut self, part: &Part) {
        if self.same {
            write_extra(&part.extra, &[], &mut self.out);
        }
        self.out.push(b'}');
    }

    fn part(&mut self, part: &Part) {
        match &part.kind {
            PartKind::Text { text, annotations } => self.text(part, text, annotations),
            PartKind::Refusal(text) => self.text(part, text, &[]),
            PartKind::Thinking(thinking) => self.thinking(part, thinking),
            PartKind::ToolCall(call) => self.call(part, call),
            PartKind::Hosted(hosted) if hosted.dialect == ID => {
                self.begin();
                json::write(&mut self.out, &hosted.raw);
            }
            PartKind::Hosted(_) => self.drop("hosted_tool"),
            PartKind::Media(media) => self.drop(media.class.name()),
            PartKind::ToolResult(_) => {}
        }
    }

    fn text(&mut self, part: &Part, text: &str, annotations: &[Annotation]) {
        let citations: Vec<&Value> = annotations.iter().filter_map(citation).collect();
        if citations.len() < annotations.len() {
            self.drop("citations");
        }
        if !text.is_empty() || self.same {
            self.begin();
            write_text_head(&mut self.out, text);
            if !citations.is_empty() {
                self.out.extend_from_slice(br#","citations":"#);
                json::write(&mut self.out, &citations);
            }
            self.end(part);
        }
        if let Some(signature) = carried(part.signature.as_ref()) {
            self.begin();
            write_redacted(&mut self.out, &signature.for_client(ID));
            self.out.push(b'}');
        }
    }

    fn thinking(&mut self, part: &Part, thinking: &Thinking) {
        let Some(shown) = shown_thinking(thinking.form, part.signature.as_ref()) else {
            return;
        };
        let hidden = !self.show_reasoning;
        match shown {
            Shown::Redacted(data) => {
                self.begin();
                write_redacted(&mut self.out, &data);
                self.end(part);
            }
            Shown::Thinking if hidden && !survives_hiding(part.signature.as_ref()) => {}
            Shown::Thinking => {
                let text = if hidden { "" } else { thinking.text.as_str() };
                if text.is_empty() && part.signature.is_none() {
                    return;
                }
                self.begin();
                write_thinking(
                    &mut self.out,
                    text,
                    &client_signature(part.signature.as_ref()),
                );
                self.end(part);
            }
        }
    }

    fn call(&mut self, part: &Part, call: &ToolCall) {
        if let Some(signature) = carried(part.signature.as_ref()) {
            self.begin();
            write_thinking(&mut self.out, "", &signature.for_client(ID));
            self.out.push(b'}');
        }
        self.begin();
        let made_up = || ids::call_id(self.id, 0, self.calls);
        let id = if call.id.is_empty() {
            made_up()
        } else {
            call.id.clone()
        };
        self.calls += 1;
        write_call_head(&mut self.out, &id, &call.name);
        let input = object_text(&call.arguments);
        self.out.extend_from_slice(input.as_bytes());
        self.end(part);
    }
}

/// How a thinking part is shown.
pub(super) enum Shown {
    /// As a block of opaque data.
    Redacted(String),
    /// As thoughts with a signature.
    Thinking,
}

/// How to show thinking of this form; not at all where it is redacted and nothing holds it.
pub(super) fn shown_thinking(form: ThinkingForm, signature: Option<&Signature>) -> Option<Shown> {
    if form != ThinkingForm::Redacted {
        return Some(Shown::Thinking);
    }
    let signature = signature.filter(|signature| !signature.data.is_empty())?;
    Some(Shown::Redacted(signature.for_client(ID).into_owned()))
}

/// Whether a thinking block that the client does not want to read must still be there for its
/// signature. One of generate content would be taken for the signature of the part after it.
pub(super) fn survives_hiding(signature: Option<&Signature>) -> bool {
    signature.is_some_and(|signature| {
        !signature.data.is_empty() && signature.origin != Some(DialectId::GenerateContent)
    })
}

/// The signature of a part that has no place for one here: it needs a block of its own.
pub(super) fn carried(signature: Option<&Signature>) -> Option<&Signature> {
    signature.filter(|signature| {
        !signature.data.is_empty() && signature.origin == Some(DialectId::GenerateContent)
    })
}

/// The signature that the client sees; an empty envelope stands in for one that was never made, so
/// that we know the block again when it comes back.
pub(super) fn client_signature(signature: Option<&Signature>) -> String {
    match signature {
        Some(signature) => signature.for_client(ID).into_owned(),
        None => Signature::none().for_client(ID).into_owned(),
    }
}

/// A text block up to its text.
fn write_text_head(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(br#"{"type":"text","text":"#);
    json::write_str(out, text);
}

/// A thinking block without its closing brace.
pub(super) fn write_thinking(out: &mut Vec<u8>, text: &str, signature: &str) {
    out.extend_from_slice(br#"{"type":"thinking","thinking":"#);
    json::write_str(out, text);
    out.extend_from_slice(br#","signature":"#);
    json::write_str(out, signature);
}

/// A redacted block without its closing brace.
pub(super) fn write_redacted(out: &mut Vec<u8>, data: &str) {
    out.extend_from_slice(br#"{"type":"redacted_thinking","data":"#);
    json::write_str(out, data);
}

/// A call's block up to its input. The id is one that this dialect's clients take.
pub(super) fn write_call_head(out: &mut Vec<u8>, id: &str, name: &str) {
    out.extend_from_slice(br#"{"type":"tool_use","id":"#);
    json::write_str(out, &ids::legal_call_id(id, usize::MAX));
    out.extend_from_slice(br#","name":"#);
    json::write_str(out, name);
    out.extend_from_slice(br#","input":"#);
}
