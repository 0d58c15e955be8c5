//! Watching over the service: incidents and alerts, metrics, traces, log lines.

mod actions;
mod alerts;
mod collector;
mod incidents;
mod log_lines;
mod metrics;
mod protobuf;
mod scrape;
mod site;
mod traces;

/// Bytes as two lower-case digits each.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text takes all");
        text
    })
}
