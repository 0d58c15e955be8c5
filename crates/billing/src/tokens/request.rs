//! Tokens of a whole request: what is said, the tools, and what vendors add around both.

use dialects::canonical::{
    Media, MediaSource, OutputFormat, Part, PartKind, Request, Tool, ToolKind,
};
use serde_json::Value;

use super::media::estimate;
use super::text;

/// What vendors put around each message.
const MESSAGE: u64 = 4;
/// What vendors put before the answer.
pub(super) const REPLY: u64 = 3;
/// What vendors put around each tool.
const TOOL: u64 = 12;

/// Counts a request's input; see [`text::count`] for when to leave the async threads.
pub fn count_request(request: &Request) -> u64 {
    let mut tokens = REPLY;
    if !request.system.is_empty() {
        tokens += MESSAGE + of_parts(&request.system);
    }
    for turn in &request.turns {
        tokens += MESSAGE + of_parts(&turn.parts);
        tokens += turn.name.as_deref().map_or(0, text::count);
    }
    tokens += request.tools.iter().map(of_tool).sum::<u64>();
    if let OutputFormat::JsonSchema { schema, .. } = &request.output {
        tokens += of_json(&schema.value);
    }
    tokens
}

fn of_parts(parts: &[Part]) -> u64 {
    parts.iter().map(of_part).sum()
}

fn of_part(part: &Part) -> u64 {
    match &part.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => text::count(text),
        PartKind::Thinking(thinking) => text::count(&thinking.text),
        PartKind::ToolCall(call) => {
            TOOL + text::count(&call.name) + text::count(call.arguments.text())
        }
        PartKind::ToolResult(result) => TOOL + of_parts(&result.parts),
        PartKind::Media(media) => of_media(media),
        PartKind::Hosted(hosted) => of_json(&hosted.raw),
    }
}

fn of_media(media: &Media) -> u64 {
    let words = [&media.title, &media.context].into_iter().flatten();
    let words: u64 = words.map(|text| text::count(text)).sum();
    let inside = match &media.source {
        MediaSource::Text(text) => text::count(text),
        MediaSource::Parts(parts) => of_parts(parts),
        _ => 0,
    };
    words + inside + estimate(media)
}

fn of_tool(tool: &Tool) -> u64 {
    let declared = match &tool.kind {
        ToolKind::Function { parameters, .. } => {
            let schema = parameters.as_ref();
            schema.map_or(0, |schema| of_json(&schema.value))
        }
        ToolKind::Custom { format } => format.as_ref().map_or(0, of_json),
        ToolKind::Hosted(hosted) => of_json(&hosted.raw),
    };
    let description = tool.description.as_deref().unwrap_or_default();
    TOOL + text::count(&tool.name) + text::count(description) + declared
}

fn of_json(value: &Value) -> u64 {
    text::count(&value.to_string())
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
