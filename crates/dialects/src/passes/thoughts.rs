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
        if target.dialect == DialectId::GenerateContent {
            hand_signatures_on(turn);
        }
        turn.parts.retain(|part| keeps(part, target.dialect));
        if matches!(target.dialect, DialectId::Messages | DialectId::Responses) {
            bring_thoughts_back(turn, target.dialect);
        }
        for part in &mut turn.parts {
            let native = |s: &Signature| s.for_upstream(target.dialect).is_some();
            part.signature = part.signature.take().filter(native);
        }
    }
}

fn keeps(part: &Part, target: DialectId) -> bool {
    let PartKind::Thinking(_) = part.kind else {
        return true;
    };
    match target {
        // These carry signatures on thoughts themselves.
        DialectId::Messages | DialectId::Responses => part
            .signature
            .as_ref()
            .is_some_and(|s| s.for_upstream(target).is_some()),
        // Here a signature belongs to a call or a text, and thoughts are not sent back.
        DialectId::GenerateContent | DialectId::ChatCompletions | DialectId::TextCompletions => {
            false
        }
    }
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

/// Clients that send back only calls and texts hold a thought's signature there: it becomes a thought
/// of its own again, right before that part.
fn bring_thoughts_back(turn: &mut Turn, target: DialectId) {
    let mut parts = Vec::with_capacity(turn.parts.len());
    for mut part in turn.parts.drain(..) {
        let is_thought = matches!(part.kind, PartKind::Thinking(_));
        let native = |s: &mut Signature| !is_thought && s.for_upstream(target).is_some();
        if let Some(signature) = part.signature.take_if(native) {
            let form = match target {
                DialectId::Responses => ThinkingForm::Redacted,
                _ => ThinkingForm::Raw,
            };
            let thinking = Thinking {
                text: String::new(),
                form,
            };
            let thought = Part::new(PartKind::Thinking(thinking));
            parts.push(Part {
                signature: Some(signature),
                ..thought
            });
        }
        parts.push(part);
    }
    turn.parts = parts;
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
