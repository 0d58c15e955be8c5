//! What a test says: one report a step, and one at the end.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::note::StepNote;

/// The steps, in their order.
const STEPS: [&str; 8] = [
    "resolve",
    "connect",
    "tls",
    "authenticate",
    "list_models",
    "reply",
    "stream",
    "cost",
];

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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

/// A step of a test: the data of an event `step`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TestStep")]
pub struct Report {
    /// Which.
    #[schemars(extend("enum" = STEPS))]
    pub step: &'static str,
    /// How it went.
    pub outcome: Outcome,
    /// How long it took.
    pub took_ms: u64,
    /// What there is to say about it: the upstream's words, or the gateway's in English.
    pub detail: String,
    /// The gateway's words for clients that say them in another language.
    pub note: Option<StepNote>,
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
            note: None,
        }
    }

    /// A step of which the gateway says something.
    pub fn noted(step: &'static str, outcome: Outcome, took: Duration, note: StepNote) -> Self {
        let detail = note.to_string();
        Self {
            note: Some(note),
            ..Self::new(step, outcome, took, detail)
        }
    }

    /// A step without anything to do.
    pub fn skipped(step: &'static str, why: StepNote) -> Self {
        Self::noted(step, Outcome::Skipped, Duration::ZERO, why)
    }
}

/// The end of a test: the data of the event `done`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TestVerdict")]
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
