//! A request without proofs of earlier reasoning, for a vendor that has refused one of them. What it does not take without
//! its proof goes too.

use super::{Dropped, Target, reasoning, thoughts};
use crate::canonical::{Failure, Part, PartKind, Reasoning, ReasoningMode, Request};
use crate::{DialectId, Signature};

/// What the client is told was left out.
const NAME: &str = "signature";

/// Whether a request carries any proof.
pub fn has_signatures(request: &Request) -> bool {
    let mut parts = request.turns.iter().flat_map(|turn| &turn.parts);
    parts.any(|part| part.signature.is_some())
}

/// Takes out the proofs of the target's own vendor; the passes after this one drop what has none.
pub(super) fn leave_out(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    if !target.without_signatures {
        return Ok(());
    }
    for part in request.turns.iter_mut().flat_map(|turn| &mut turn.parts) {
        take(part, target.dialect);
    }
    dropped.note(NAME)
}

/// The same for a vendor that speaks the client's own dialect, where no pass follows. Says what was left out.
pub fn leave_own_signatures_out(request: &mut Request, target: &Target) -> Vec<String> {
    if !target.without_signatures {
        return Vec::new();
    }
    let mut dropped = vec![NAME.to_owned()];
    if target.dialect == DialectId::Responses {
        disown_thoughts(request);
        return dropped;
    }
    request.turns.retain_mut(|turn| {
        let was_empty = turn.parts.is_empty();
        turn.parts
            .retain_mut(|part| !take(part, target.dialect) || says_something(part));
        was_empty || !turn.parts.is_empty()
    });
    thoughts::mark_calls(request, target);
    if target.dialect == DialectId::Messages
        && request.reasoning.mode == ReasoningMode::On
        && reasoning::lost_thought(request)
    {
        request.reasoning = Reasoning {
            effort: request.reasoning.effort.take(),
            ..Reasoning::default()
        };
        dropped.push("reasoning".to_owned());
    }
    dropped
}

/// Its writer leaves out what another vendor has made, and the ids of what belongs to it.
fn disown_thoughts(request: &mut Request) {
    for part in request.turns.iter_mut().flat_map(|turn| &mut turn.parts) {
        if take(part, DialectId::Responses) {
            part.signature = Some(Signature::none());
        }
    }
}

/// Takes the proof off a part, where this dialect's vendor is said to have made it.
fn take(part: &mut Part, dialect: DialectId) -> bool {
    let native = |signature: &mut Signature| signature.for_upstream(dialect).is_some();
    part.signature.take_if(native).is_some()
}

/// Whether a part is anything without its proof.
fn says_something(part: &Part) -> bool {
    match &part.kind {
        PartKind::Thinking(_) => false,
        PartKind::Text { text, .. } => !text.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::convert::{convert_request, dialect};
    use crate::{PathHints, ReplyContext};

    /// A client's body as the vendor gets it, and what was left out.
    fn sent(from: DialectId, to: DialectId, body: &Value) -> (Value, Vec<String>) {
        let text = body.to_string();
        let request = dialect(from).read_request(text.as_bytes(), &PathHints::default());
        let request = request.expect("it reads");
        assert!(has_signatures(&request));
        let target = Target {
            without_signatures: true,
            ..Target::new(to, "unheard-of")
        };
        let written = convert_request(request, &target, &mut ReplyContext::default());
        let written = written.expect("it can be said");
        let body = serde_json::from_slice(&written.body).expect("it is JSON");
        (body, written.dropped)
    }

    fn messages(thinking: &Value) -> Value {
        json!({"model": "m", "max_tokens": 9000, "thinking": thinking, "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "bad"},
                {"type": "redacted_thinking", "data": "bad"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "1"}]}],
            "tools": [{"name": "f", "input_schema": {"type": "object"}}]})
    }

    #[test]
    fn messages_lose_thoughts_and_stop_thinking_where_that_needs_them() {
        let own = DialectId::Messages;
        let enabled = json!({"type": "enabled", "budget_tokens": 2000});
        let (body, dropped) = sent(own, own, &messages(&enabled));
        let kinds = |body: &Value| body["messages"][1]["content"].as_array().map(Vec::len);
        assert_eq!(kinds(&body), Some(1), "{body}");
        assert_eq!(body["messages"][1]["content"][0]["type"], "tool_use");
        assert_eq!(body.get("thinking"), None);
        assert_eq!(dropped, ["signature", "reasoning"]);
        let adaptive = json!({"type": "adaptive"});
        let (body, dropped) = sent(own, own, &messages(&adaptive));
        assert_eq!(
            (kinds(&body), &body["thinking"]),
            (Some(1), &adaptive),
            "{body}"
        );
        assert_eq!(dropped, ["signature"]);
        let mut only_thought = messages(&adaptive);
        let turns = only_thought["messages"].as_array_mut().expect("a list");
        turns.truncate(2);
        turns[1]["content"].as_array_mut().expect("a list").pop();
        turns.push(json!({"role": "user", "content": "and?"}));
        let (body, _) = sent(own, own, &only_thought);
        assert_eq!(body["messages"].as_array().map(Vec::len), Some(2), "{body}");
    }

    #[test]
    fn responses_lose_reasoning_and_the_ids_of_what_belongs_to_it() {
        let own = DialectId::Responses;
        let body = json!({"model": "m", "input": [
            {"role": "user", "content": "q"},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "bad"},
            {"type": "function_call", "id": "fc_1", "call_id": "t", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "t", "output": "1"}]});
        let (body, dropped) = sent(own, own, &body);
        let call = json!({"type": "function_call", "call_id": "t", "name": "f", "arguments": "{}"});
        assert_eq!(body["input"][1], call, "{body}");
        assert_eq!(dropped, ["signature"]);
    }

    #[test]
    fn generate_content_marks_calls_as_those_of_another() {
        let own = DialectId::GenerateContent;
        let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}, "thoughtSignature": "YmFk"});
        let body = json!({"contents": [
            {"role": "user", "parts": [{"text": "q"}]},
            {"role": "model", "parts": [call("f"), {"text": "", "thoughtSignature": "YmFk"}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "1"}}}]}]});
        let (body, dropped) = sent(own, own, &body);
        let parts = &body["contents"][1]["parts"];
        let mark = "skip_thought_signature_validator";
        assert_eq!(parts[0]["thoughtSignature"], mark, "{parts}");
        assert_eq!(parts.as_array().map(Vec::len), Some(1));
        assert_eq!(dropped, ["signature"]);
    }

    #[test]
    fn a_foreign_client_loses_what_the_vendor_has_refused() {
        let signature = Signature::native(DialectId::Messages, "bad");
        let call = json!({"id": signature.ride_on("t"), "type": "function",
            "function": {"name": "f", "arguments": "{}"}});
        let body = json!({"model": "m", "reasoning_effort": "high", "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": signature.ride_on("t"), "content": "1"}]});
        let (body, dropped) = sent(DialectId::ChatCompletions, DialectId::Messages, &body);
        assert!(!body.to_string().contains("bad"), "{body}");
        assert_eq!(dropped, ["signature", "reasoning"]);
    }
}
