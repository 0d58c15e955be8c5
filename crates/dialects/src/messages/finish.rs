//! Why a generation ended: `stop_reason`, `stop_sequence`, `stop_details`.

use serde_json::Value;

use crate::canonical::{Finish, FinishReason};

/// Reads a stop reason, not yet settled against what was generated.
pub(super) fn read(word: &str, sequence: Option<&str>, details: Option<Value>) -> Finish {
    Finish {
        reason: reason(word, sequence.unwrap_or_default()),
        raw: word.to_owned(),
        detail: details,
    }
}

fn reason(word: &str, sequence: &str) -> FinishReason {
    match word {
        "end_turn" => FinishReason::Stop,
        "stop_sequence" => FinishReason::StopSequence(sequence.to_owned()),
        "max_tokens" | "compaction" => FinishReason::Length,
        "model_context_window_exceeded" => FinishReason::ContextFull,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::Refusal,
        "pause_turn" => FinishReason::Pause,
        _ => FinishReason::Other,
    }
}

/// The stop reason's word: the vendor's own where it means the same here. `same` says that the
/// vendor speaks this dialect, so that also its contradictions and new words are its own.
pub(super) fn word(finish: &Finish, called: bool, same: bool) -> &str {
    let sequence = finish_sequence(finish).unwrap_or_default();
    let mut read = Finish::new(reason(&finish.raw, sequence), "");
    if read.reason != FinishReason::Other && read.reason == finish.reason {
        return &finish.raw;
    }
    read.settle(called);
    if same && !finish.raw.is_empty() && read.reason == finish.reason {
        return &finish.raw;
    }
    match &finish.reason {
        FinishReason::Stop | FinishReason::Malformed | FinishReason::Other => "end_turn",
        FinishReason::StopSequence(_) => "stop_sequence",
        FinishReason::Length => "max_tokens",
        FinishReason::ContextFull => "model_context_window_exceeded",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::Refusal | FinishReason::Filter => "refusal",
        FinishReason::Pause => "pause_turn",
    }
}

/// The stop sequence that was met.
pub(super) fn finish_sequence(finish: &Finish) -> Option<&str> {
    match &finish.reason {
        FinishReason::StopSequence(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// What the vendor says about the end, if it was this dialect's vendor.
pub(super) fn details(finish: &Finish) -> Option<&Value> {
    let details = finish.detail.as_ref()?;
    details.get("type")?.as_str()?;
    (reason(&finish.raw, "") != FinishReason::Other).then_some(details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_comes_back() {
        for word in [
            "end_turn",
            "stop_sequence",
            "max_tokens",
            "compaction",
            "model_context_window_exceeded",
            "refusal",
            "pause_turn",
            "something_new",
        ] {
            let mut finish = read(word, Some("END"), None);
            finish.settle(false);
            assert_eq!(super::word(&finish, false, true), word);
        }
    }

    #[test]
    fn a_call_is_told_whatever_the_vendor_said() {
        let mut finish = read("stop", None, None);
        finish.settle(true);
        assert_eq!(super::word(&finish, true, false), "tool_use");
        let mut finish = read("end_turn", None, None);
        finish.settle(true);
        assert_eq!(super::word(&finish, true, false), "tool_use");
        assert_eq!(super::word(&finish, true, true), "end_turn");
    }

    #[test]
    fn another_vendors_reason_gets_the_nearest_word() {
        for (reason, word) in [
            (FinishReason::Filter, "refusal"),
            (FinishReason::Other, "end_turn"),
            (FinishReason::Malformed, "end_turn"),
            (FinishReason::ContextFull, "model_context_window_exceeded"),
            (FinishReason::ToolCalls, "tool_use"),
        ] {
            assert_eq!(super::word(&Finish::new(reason, "XYZ"), false, false), word);
        }
    }
}
