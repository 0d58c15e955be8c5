//! Finish reasons.

use serde_json::{Value, json};

use crate::canonical::{Failure, Finish, FinishReason};
use crate::{error_body, json};

/// Reads the vendor's word, which may be one that we do not know.
pub fn read(word: &str) -> Finish {
    Finish::new(reason(word), word)
}

/// The reason that it stands for.
pub fn reason(word: &str) -> FinishReason {
    match word {
        "stop" | "eos" | "end_turn" => FinishReason::Stop,
        "length" | "max_tokens" => FinishReason::Length,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "content_filter" => FinishReason::Filter,
        _ => FinishReason::Other,
    }
}

/// Whether the word says that the answer failed.
pub fn is_failure(word: &str) -> bool {
    word == "error"
}

/// Returns the failure of a choice that failed, from its `error` if it has one.
pub fn failure(error: Option<&Value>) -> Failure {
    match error {
        Some(error) => {
            let body = json::text(&json!({ "error": error }));
            error_body::for_client(error_body::read_error(200, body.as_bytes()))
        }
        None => Failure::upstream("The upstream failed before its answer was complete."),
    }
}

/// Settles a finish against what was said: this dialect's vendors say "stop" after a refusal, which
/// other dialects have a word for.
pub fn settle(finish: &mut Finish, has_call: bool, refuses: bool) {
    finish.settle(has_call);
    if refuses && finish.reason == FinishReason::Stop {
        finish.reason = FinishReason::Refusal;
    }
}

/// The word for a reason.
pub fn word(reason: &FinishReason) -> &'static str {
    match reason {
        FinishReason::Length | FinishReason::ContextFull => "length",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::Refusal | FinishReason::Filter => "content_filter",
        FinishReason::Stop
        | FinishReason::StopSequence(_)
        | FinishReason::Pause
        | FinishReason::Malformed
        | FinishReason::Other => "stop",
    }
}

/// Whether this is a refusal that an upstream of this dialect has called a stop, as its own clients
/// expect.
pub fn is_plain_refusal(finish: &Finish) -> bool {
    finish.reason == FinishReason::Refusal && reason(&finish.raw) == FinishReason::Stop
}

/// What a refusal says of itself, where the model said nothing.
pub fn explanation(finish: &Finish) -> Option<&str> {
    if finish.reason != FinishReason::Refusal {
        return None;
    }
    finish.detail.as_ref()?.get("explanation")?.as_str()
}
