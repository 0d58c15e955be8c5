//! Finish reasons, both ways.

use crate::canonical::{Finish, FinishReason};

/// Reads the vendor's word.
pub(super) fn read(word: &str) -> Finish {
    let reason = match word {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION"
        | "ESCALATION" => FinishReason::Filter,
        "MALFORMED_FUNCTION_CALL"
        | "UNEXPECTED_TOOL_CALL"
        | "TOO_MANY_TOOL_CALLS"
        | "MALFORMED_RESPONSE"
        | "MISSING_THOUGHT_SIGNATURE" => FinishReason::Malformed,
        _ => FinishReason::Other,
    };
    Finish::new(reason, word)
}

/// The word for a finish; a word of our own dialect comes back as it was.
pub(super) fn word(finish: &Finish, native: bool) -> &str {
    if native && !finish.raw.is_empty() {
        return &finish.raw;
    }
    match finish.reason {
        FinishReason::Stop
        | FinishReason::StopSequence(_)
        | FinishReason::ToolCalls
        | FinishReason::Pause => "STOP",
        FinishReason::Length | FinishReason::ContextFull => "MAX_TOKENS",
        FinishReason::Refusal | FinishReason::Filter => "SAFETY",
        FinishReason::Malformed => "MALFORMED_FUNCTION_CALL",
        FinishReason::Other => "OTHER",
    }
}
