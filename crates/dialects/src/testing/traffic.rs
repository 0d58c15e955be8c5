//! Recorded vendor traffic for tests beside the code, where it is at hand.

use serde_json::Value;
use testkit::RecordedTraffic;

/// Every recorded body of this format (`chat-completions`, `anthropic`, `google`, `responses`) and
/// kind (`request`, `response`, `response-streaming`), follow-ups included, with its name.
pub(crate) fn bodies(format: &str, kind: &str) -> Vec<(String, Value)> {
    let followup = format!("followup-{kind}");
    RecordedTraffic::open()
        .map(|traffic| traffic.bodies(format, &[kind, &followup]))
        .unwrap_or_default()
}
