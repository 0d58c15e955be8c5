//! Tokens of a whole request: what is said, the tools, and what vendors add around both.

use dialects::canonical::{
    Media, MediaSource, OutputFormat, Part, PartKind, Request, Tool, ToolKind,
};
use serde_json::Value;

use super::media::estimate;
use super::sample::Sample;
use super::text;

/// What vendors put around each message.
const MESSAGE: u64 = 4;
/// What vendors put before the answer.
pub(super) const REPLY: u64 = 3;
/// What vendors put around each tool.
const TOOL: u64 = 12;

/// Counts a text, or keeps it to be counted later.
type Count<'a> = &'a mut dyn FnMut(&str) -> u64;

/// Counts a request's input; see [`text::count`] for when to leave the async threads.
pub fn count_request(request: &Request) -> u64 {
    of_request(request, &mut text::count)
}

/// The input of a request, to be counted if nobody else tells it.
#[derive(Debug, Clone, Default)]
pub struct InputSample {
    /// The tokens of everything but texts.
    others: u64,
    texts: Sample,
}

impl InputSample {
    /// Returns the sample of a request.
    pub fn of(request: &Request) -> Self {
        let mut texts = Sample::default();
        let others = of_request(request, &mut |text| {
            texts.push(text);
            0
        });
        Self { others, texts }
    }

    /// Counts the input: texts with the tokenizer, media by their rules. The time that it takes is bounded.
    pub fn count(&self) -> u64 {
        self.others.saturating_add(self.texts.count())
    }
}

/// Returns about how many tokens the input of a request is, without counting its texts. `body` is the length of
/// its body.
pub fn approximate_request(request: &Request, body: usize) -> u64 {
    let (mut data, mut tokens) = (0, 0);
    let turns = request.turns.iter().map(|turn| &turn.parts);
    for parts in turns.chain([&request.system]) {
        add_media(parts, &mut data, &mut tokens);
    }
    let texts = body.saturating_sub(data) as u64;
    text::approximate(texts).saturating_add(tokens)
}

fn add_media(parts: &[Part], data: &mut usize, tokens: &mut u64) {
    for part in parts {
        match &part.kind {
            PartKind::Media(media) => {
                if let MediaSource::Inline { data: inline, .. } = &media.source {
                    *data += inline.len();
                }
                *tokens += estimate(media);
            }
            PartKind::ToolResult(result) => add_media(&result.parts, data, tokens),
            _ => {}
        }
    }
}

fn of_request(request: &Request, count: Count<'_>) -> u64 {
    let mut tokens = REPLY;
    if !request.system.is_empty() {
        tokens += MESSAGE + of_parts(&request.system, count);
    }
    for turn in &request.turns {
        tokens += MESSAGE + of_parts(&turn.parts, count);
        tokens += turn.name.as_deref().map_or(0, &mut *count);
    }
    for tool in &request.tools {
        tokens += of_tool(tool, count);
    }
    if let OutputFormat::JsonSchema { schema, .. } = &request.output {
        tokens += of_json(&schema.value, count);
    }
    tokens
}

fn of_parts(parts: &[Part], count: Count<'_>) -> u64 {
    parts.iter().map(|part| of_part(part, count)).sum()
}

fn of_part(part: &Part, count: Count<'_>) -> u64 {
    match &part.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => count(text),
        PartKind::Thinking(thinking) => count(&thinking.text),
        PartKind::ToolCall(call) => TOOL + count(&call.name) + count(call.arguments.text()),
        PartKind::ToolResult(result) => TOOL + of_parts(&result.parts, count),
        PartKind::Media(media) => of_media(media, count),
        PartKind::Hosted(hosted) => of_json(&hosted.raw, count),
    }
}

fn of_media(media: &Media, count: Count<'_>) -> u64 {
    let words = [&media.title, &media.context].into_iter().flatten();
    let words: u64 = words.map(|text| count(text)).sum();
    let inside = match &media.source {
        MediaSource::Text(text) => count(text),
        MediaSource::Parts(parts) => of_parts(parts, count),
        _ => 0,
    };
    words + inside + estimate(media)
}

fn of_tool(tool: &Tool, count: Count<'_>) -> u64 {
    let declared = match &tool.kind {
        ToolKind::Function { parameters, .. } => {
            let schema = parameters.as_ref();
            schema.map_or(0, |schema| of_json(&schema.value, count))
        }
        ToolKind::Custom { format } => format.as_ref().map_or(0, |format| of_json(format, count)),
        ToolKind::Hosted(hosted) => of_json(&hosted.raw, count),
    };
    let description = tool.description.as_deref().unwrap_or_default();
    TOOL + count(&tool.name) + count(description) + declared
}

fn of_json(value: &Value, count: Count<'_>) -> u64 {
    count(&value.to_string())
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
