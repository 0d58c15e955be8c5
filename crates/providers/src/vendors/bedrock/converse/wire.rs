//! What answers are made of, as they come: whole messages and the frames of streams.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::usage::Counts;

/// A whole answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer<'a> {
    #[serde(borrow)]
    pub(super) output: Output<'a>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Cow<'a, str>,
    #[serde(default)]
    pub(super) usage: Option<Counts>,
    #[serde(borrow, default)]
    pub(super) service_tier: Option<Tier<'a>>,
    #[serde(default)]
    pub(super) additional_model_response_fields: Option<Additional>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Output<'a> {
    #[serde(borrow)]
    pub(super) message: Message<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) content: Vec<Block<'a>>,
}

/// A content block: one of its members is there.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Block<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) tool_use: Option<ToolUse<'a>>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Option<ReasoningBlock<'a>>,
    #[serde(borrow, default)]
    pub(super) citations_content: Option<CitationsBlock<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolUse<'a> {
    #[serde(borrow, default, rename = "toolUseId")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    /// The whole input, or in a stream the next piece of its text.
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    /// `server_tool_use` for tools that Amazon runs itself.
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Cow<'a, str>,
}

impl ToolUse<'_> {
    /// Whether Amazon runs the tool: the client has nothing to answer.
    pub(super) fn is_hosted(&self) -> bool {
        self.kind == "server_tool_use"
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReasoningBlock<'a> {
    #[serde(borrow, default)]
    pub(super) reasoning_text: Option<ReasoningText<'a>>,
    #[serde(borrow, default)]
    pub(super) redacted_content: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ReasoningText<'a> {
    #[serde(borrow, default)]
    pub(super) text: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) signature: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CitationsBlock<'a> {
    #[serde(borrow, default)]
    pub(super) content: Vec<Block<'a>>,
    #[serde(borrow, default)]
    pub(super) citations: Vec<Citation<'a>>,
}

/// Where words come from.
#[derive(Debug, Deserialize)]
pub(super) struct Citation<'a> {
    #[serde(borrow, default)]
    pub(super) title: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) location: Option<Location<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Location<'a> {
    #[serde(borrow, default)]
    pub(super) web: Option<Web<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Web<'a> {
    #[serde(borrow, default)]
    pub(super) url: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tier<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Cow<'a, str>,
}

/// What the model's maker says beside Converse.
#[derive(Debug, Deserialize)]
pub(super) struct Additional {
    #[serde(default)]
    pub(super) stop_sequence: Option<String>,
}

/// A frame of a stream; the event's name tells which members count.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamEvent<'a> {
    #[serde(default)]
    pub(super) content_block_index: u32,
    #[serde(borrow, default)]
    pub(super) start: Option<BlockStart<'a>>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Cow<'a, str>,
    #[serde(default)]
    pub(super) usage: Option<Counts>,
    #[serde(borrow, default)]
    pub(super) service_tier: Option<Tier<'a>>,
    #[serde(default)]
    pub(super) additional_model_response_fields: Option<Additional>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BlockStart<'a> {
    #[serde(borrow, default)]
    pub(super) tool_use: Option<ToolUse<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) tool_use: Option<ToolUseDelta<'a>>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Option<ReasoningDelta<'a>>,
    #[serde(borrow, default)]
    pub(super) citation: Option<Citation<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolUseDelta<'a> {
    #[serde(borrow, default)]
    pub(super) input: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReasoningDelta<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) signature: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) redacted_content: Option<Cow<'a, str>>,
}
