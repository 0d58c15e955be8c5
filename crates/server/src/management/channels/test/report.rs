//! What a test says: one report a step, and one at the end.

use std::time::Duration;

use serde::Serialize;

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Well.
    Ok,
    /// Well, but calls will not.
    Warning,
    /// Not; what depends on it was not tried.
    Failed,
    /// There was nothing to do.
    Skipped,
}

/// A step of a test.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `resolve`, `connect`, `tls`, `authenticate`, `list_models`, `reply`, `stream` or `cost`.
    pub step: &'static str,
    /// How it went.
    pub outcome: Outcome,
    /// How long it took.
    pub took_ms: u64,
    /// What there is to say about it.
    pub detail: String,
}

impl Report {
    /// A step that was taken.
    pub fn new(
        step: &'static str,
        outcome: Outcome,
        took: Duration,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            step,
            outcome,
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            detail: detail.into(),
        }
    }

    /// A step without anything to do.
    pub fn skipped(step: &'static str, why: impl Into<String>) -> Self {
        Self::new(step, Outcome::Skipped, Duration::ZERO, why)
    }
}

/// The end of a test.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// Whether no step failed.
    pub success: bool,
    /// The step that failed first.
    pub failed_step: Option<&'static str>,
    /// The model that was asked.
    pub model: Option<String>,
    /// What the reply cost at list price, in dollars.
    pub cost_usd: Option<String>,
}
