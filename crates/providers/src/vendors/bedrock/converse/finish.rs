//! Why a generation ended.

use dialects::canonical::{Finish, FinishReason};

/// Reads a stop reason, settled against what was generated.
pub(super) fn read(word: &str, sequence: Option<&str>, has_call: bool) -> Finish {
    let reason = match word {
        "end_turn" => FinishReason::Stop,
        "stop_sequence" => FinishReason::StopSequence(sequence.unwrap_or_default().to_owned()),
        "max_tokens" => FinishReason::Length,
        "model_context_window_exceeded" => FinishReason::ContextFull,
        "tool_use" => FinishReason::ToolCalls,
        "guardrail_intervened" | "content_filtered" => FinishReason::Filter,
        "malformed_model_output" | "malformed_tool_use" => FinishReason::Malformed,
        _ => FinishReason::Other,
    };
    let mut finish = Finish::new(reason, word);
    finish.settle(has_call);
    finish
}
