//! Finish reasons.

use crate::canonical::{Finish, FinishReason};

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

/// What a refusal says of itself, where the model said nothing.
pub fn explanation(finish: &Finish) -> Option<&str> {
    if finish.reason != FinishReason::Refusal {
        return None;
    }
    finish.detail.as_ref()?.get("explanation")?.as_str()
}
