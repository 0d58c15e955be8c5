//! Tokens of a whole request: what is said, the tools, and what vendors add around both.

use std::io::{self, Write};

use dialects::canonical::{OutputFormat, Part, PartKind, Request, Tool, ToolKind};
use serde_json::Value;

use super::media::{self, Aim};
use super::text;

/// What vendors put around each message.
pub const MESSAGE: u64 = 4;
/// What vendors put before the answer.
pub const REPLY: u64 = 3;
/// What vendors put around each tool.
pub const TOOL: u64 = 12;
/// What vendors tell the model about tools, once, in a bound.
pub const TOOLS: u64 = 400;
/// What a hosted tool may put into the prompt by itself, in a bound: pages that it found.
const HOSTED_TOOL: u64 = 10_000;

/// The most tokens that a request's input is taken for. Costs no more than walking through it.
pub fn bound_request(request: &Request) -> u64 {
    let tools = if request.tools.is_empty() { 0 } else { TOOLS };
    let hosted = request.tools.iter().filter(|tool| is_hosted(tool)).count() as u64;
    tools + hosted * HOSTED_TOOL + Walk { aim: Aim::Bound }.request(request)
}

/// Counts a request's input; see [`text::count`] for when to leave the async threads.
pub fn count_request(request: &Request) -> u64 {
    Walk { aim: Aim::Count }.request(request)
}

fn is_hosted(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Hosted(_))
}

struct Walk {
    aim: Aim,
}

impl Walk {
    fn request(&self, request: &Request) -> u64 {
        let mut tokens = REPLY;
        if !request.system.is_empty() {
            tokens += MESSAGE + self.parts(&request.system);
        }
        for turn in &request.turns {
            tokens += MESSAGE + self.parts(&turn.parts);
            tokens += turn.name.as_deref().map_or(0, |name| self.text(name));
        }
        tokens += request
            .tools
            .iter()
            .map(|tool| self.tool(tool))
            .sum::<u64>();
        if let OutputFormat::JsonSchema { schema, .. } = &request.output {
            tokens += self.json(&schema.value);
        }
        tokens
    }

    fn parts(&self, parts: &[Part]) -> u64 {
        parts.iter().map(|part| self.part(part)).sum()
    }

    fn part(&self, part: &Part) -> u64 {
        match &part.kind {
            PartKind::Text { text, .. } | PartKind::Refusal(text) => self.text(text),
            PartKind::Thinking(thinking) => self.text(&thinking.text),
            PartKind::ToolCall(call) => {
                TOOL + self.text(&call.name) + self.text(call.arguments.text())
            }
            PartKind::ToolResult(result) => TOOL + self.parts(&result.parts),
            PartKind::Media(media) => self.media(media),
            PartKind::Hosted(hosted) => self.json(&hosted.raw),
        }
    }

    fn media(&self, media: &dialects::canonical::Media) -> u64 {
        use dialects::canonical::MediaSource;
        let words = [&media.title, &media.context];
        let words: u64 = words
            .into_iter()
            .flatten()
            .map(|text| self.text(text))
            .sum();
        let inside = match &media.source {
            MediaSource::Text(text) => self.text(text),
            MediaSource::Parts(parts) => self.parts(parts),
            _ => 0,
        };
        words + inside + media::estimate(media, self.aim)
    }

    fn tool(&self, tool: &Tool) -> u64 {
        let declared = match &tool.kind {
            ToolKind::Function { parameters, .. } => parameters
                .as_ref()
                .map_or(0, |schema| self.json(&schema.value)),
            ToolKind::Custom { format } => format.as_ref().map_or(0, |format| self.json(format)),
            ToolKind::Hosted(hosted) => self.json(&hosted.raw),
        };
        let description = tool.description.as_deref().unwrap_or_default();
        TOOL + self.text(&tool.name) + self.text(description) + declared
    }

    fn text(&self, text: &str) -> u64 {
        match self.aim {
            Aim::Bound => text::bound(text),
            Aim::Count => text::count(text),
        }
    }

    fn json(&self, value: &Value) -> u64 {
        match self.aim {
            Aim::Bound => json_bytes(value),
            Aim::Count => text::count(&value.to_string()),
        }
    }
}

/// How long a value is as text, without making the text.
fn json_bytes(value: &Value) -> u64 {
    struct Length(u64);
    impl Write for Length {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    serde_json::to_writer(&mut length, value).expect("a JSON value is written without failing");
    length.0
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
