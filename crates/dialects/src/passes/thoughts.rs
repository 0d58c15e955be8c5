//! The model's earlier reasoning on its way back. Only its own vendor takes a thought, and only with
//! the signature that proves it; everybody else gets the conversation without it.

use super::Target;
use crate::canonical::{Part, PartKind, Request, Role, Thinking, ThinkingForm, Turn};
use crate::{DialectId, Signature};

/// What generation 3 accepts on a call that some other model made.
const FOREIGN_CALL: &str = "skip_thought_signature_validator";

/// Keeps what the target's own vendor made, and drops the rest.
pub(super) fn place(request: &mut Request, target: &Target) {
    for turn in &mut request.turns {
        match target.dialect {
            // These carry signatures on thoughts themselves, and take no thought without one.
            DialectId::Messages | DialectId::Responses => {
                bring_thoughts_back(turn, target.dialect);
            }
            // Here a signature belongs to a call or a text, and thoughts are not sent back.
            DialectId::GenerateContent => {
                hand_signatures_on(turn);
                drop_thoughts(turn);
            }
            DialectId::ChatCompletions | DialectId::TextCompletions => drop_thoughts(turn),
        }
        for part in &mut turn.parts {
            let native = |s: &Signature| s.for_upstream(target.dialect).is_some();
            part.signature = part.signature.take().filter(native);
        }
    }
}

fn drop_thoughts(turn: &mut Turn) {
    let is_thought = |part: &Part| matches!(part.kind, PartKind::Thinking(_));
    turn.parts.retain(|part| !is_thought(part));
}

/// Clients of other dialects hold a call's signature in the thought before it: it goes back to the
/// part that it came from.
fn hand_signatures_on(turn: &mut Turn) {
    let mut carried: Option<Signature> = None;
    for part in &mut turn.parts {
        if let PartKind::Thinking(_) = part.kind {
            let native = |s: &&Signature| s.for_upstream(DialectId::GenerateContent).is_some();
            carried = part.signature.as_ref().filter(native).cloned().or(carried);
        } else if part.signature.is_none() {
            part.signature = carried.take();
        }
    }
}

/// Clients that send back only calls and texts hold a thought's signature there: it returns to its
/// thought, or becomes one of its own right before that part.
fn bring_thoughts_back(turn: &mut Turn, target: DialectId) {
    let mut parts: Vec<Part> = Vec::with_capacity(turn.parts.len());
    let mut is_led_by_text = true;
    // Words of a thought that still waits for its signature, and their place.
    let mut waiting: Option<(usize, String)> = None;
    for mut part in turn.parts.drain(..) {
        let native = |s: &mut Signature| s.for_upstream(target).is_some();
        let signature = part.signature.take_if(native);
        let is_text = part.as_text().is_some();
        match (part.kind, signature) {
            (PartKind::Thinking(thought), None) => {
                let place = parts.len();
                let (_, text) = waiting.get_or_insert_with(|| (place, String::new()));
                text.push_str(&thought.text);
                continue;
            }
            (kind @ PartKind::Thinking(_), signature) => {
                waiting = None;
                parts.push(Part {
                    kind,
                    signature,
                    ..part
                });
            }
            (kind, Some(signature)) => {
                // Without words of its own a thought belongs before its part, and before the text that
                // led to that part, because an answer begins with its thought.
                let unsaid = if is_led_by_text { 0 } else { parts.len() };
                let (place, text) = waiting.take().unwrap_or((unsaid, String::new()));
                parts.insert(place, signed_thought(text, signature, target));
                parts.push(Part { kind, ..part });
                is_led_by_text = false;
            }
            (kind, None) => parts.push(Part { kind, ..part }),
        }
        is_led_by_text &= is_text;
    }
    turn.parts = parts;
}

fn signed_thought(text: String, signature: Signature, target: DialectId) -> Part {
    let form = match target {
        DialectId::Responses if text.is_empty() => ThinkingForm::Redacted,
        DialectId::Responses => ThinkingForm::Summary,
        _ => ThinkingForm::Raw,
    };
    Part {
        signature: Some(signature),
        ..Part::new(PartKind::Thinking(Thinking { text, form }))
    }
}

/// Generation 3 demands a signature on the first call of each model turn.
pub(super) fn mark_calls(request: &mut Request, target: &Target) {
    if target.dialect != DialectId::GenerateContent || !target.can.call_signatures {
        return;
    }
    for turn in request
        .turns
        .iter_mut()
        .filter(|turn| turn.role == Role::Assistant)
    {
        let is_call = |part: &&mut Part| matches!(part.kind, PartKind::ToolCall(_));
        if let Some(call) = turn.parts.iter_mut().find(is_call) {
            call.signature
                .get_or_insert_with(|| Signature::native(target.dialect, FOREIGN_CALL));
        }
    }
}

#[cfg(test)]
#[path = "thoughts_tests.rs"]
mod tests;
