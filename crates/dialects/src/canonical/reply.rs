//! A generation's answer.

use serde_json::Value;

use super::{Extra, Part, Usage};
use crate::DialectId;

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The dialect that this answer was read from; `extra` fields belong to it.
    pub source: DialectId,
    /// The vendor's id of the answer.
    pub id: String,
    /// The model's name as the upstream gave it.
    pub model: String,
    /// When it was made, unix seconds, where the vendor says it.
    pub created: Option<u64>,
    /// The alternatives, by index.
    pub choices: Vec<Choice>,
    /// What it used.
    pub usage: Option<Usage>,
    /// The tier that served it, in the source's words.
    pub tier: Option<String>,
    /// Fields that no other dialect knows.
    pub extra: Extra,
}

/// One alternative.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Its place.
    pub index: u32,
    /// What was generated.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub finish: Finish,
    /// Log probabilities in the words of chat completions: `{content: […], refusal: […]}`.
    pub logprobs: Option<Value>,
    /// Fields that only the source dialect knows.
    pub extra: Extra,
}

/// Why a generation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// The reason in our words.
    pub reason: FinishReason,
    /// The vendor's own word.
    pub raw: String,
    /// What the vendor says about it (a refusal's category and explanation …).
    pub detail: Option<Value>,
}

impl Finish {
    /// A finish for this reason, with the vendor's word for it.
    pub fn new(reason: FinishReason, raw: impl Into<String>) -> Self {
        Self {
            reason,
            raw: raw.into(),
            detail: None,
        }
    }

    /// Settles the reason against what was generated: vendors say "stop" after a tool call, and
    /// sometimes "tool calls" without one. Limits and filters stay what they are.
    pub fn settle(&mut self, has_tool_call: bool) {
        use FinishReason::{Other, Stop, StopSequence, ToolCalls};
        match (&self.reason, has_tool_call) {
            (Stop | StopSequence(_) | Other, true) => self.reason = ToolCalls,
            (ToolCalls, false) => self.reason = Stop,
            _ => {}
        }
    }
}

/// The reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// This stop sequence was met.
    StopSequence(String),
    /// The cap on output tokens.
    Length,
    /// The model's context is full.
    ContextFull,
    /// Tools are to be called.
    ToolCalls,
    /// The model refused.
    Refusal,
    /// A filter stepped in.
    Filter,
    /// A long hosted-tool turn was paused.
    Pause,
    /// The model produced something unusable.
    Malformed,
    /// Something else; the vendor's word is in `Finish::raw`.
    Other,
}
