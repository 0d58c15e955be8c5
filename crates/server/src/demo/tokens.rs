//! The demo models' tokenizer: four bytes are a token. Crude, exact and the same every time.

use dialects::canonical::{Part, PartKind, Request, ToolKind};

const BYTES_A_TOKEN: usize = 4;

/// How many tokens a text is.
pub(super) fn count(text: &str) -> u64 {
    text.len().div_ceil(BYTES_A_TOKEN) as u64
}

/// The longest beginning of a text that is at most so many tokens.
pub(super) fn cut(text: &str, tokens: u64) -> &str {
    let most = usize::try_from(tokens)
        .unwrap_or(usize::MAX)
        .saturating_mul(BYTES_A_TOKEN);
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A text, token by token; a character is never cut in two.
pub(super) fn each(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut token = cut(rest, 1);
        if token.is_empty() {
            token = &rest[..rest.chars().next()?.len_utf8()];
        }
        rest = &rest[token.len()..];
        Some(token)
    })
}

/// How many tokens a request's input is: everything that is said, and the tools.
pub fn count_input(request: &Request) -> u64 {
    let said = request.turns.iter().flat_map(|turn| &turn.parts);
    let said: u64 = request.system.iter().chain(said).map(count_part).sum();
    let tools: u64 = request
        .tools
        .iter()
        .map(|tool| {
            let schema = match &tool.kind {
                ToolKind::Function {
                    parameters: Some(schema),
                    ..
                } => schema.value.to_string(),
                _ => String::new(),
            };
            count(&tool.name) + count(tool.description.as_deref().unwrap_or("")) + count(&schema)
        })
        .sum();
    (said + tools).max(1)
}

fn count_part(part: &Part) -> u64 {
    match &part.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => count(text),
        PartKind::Thinking(thinking) => count(&thinking.text),
        PartKind::ToolCall(call) => count(&call.name) + count(call.arguments.text()),
        PartKind::ToolResult(result) => result.parts.iter().map(count_part).sum(),
        // Pictures and the like cost the same whatever they show.
        PartKind::Media(_) => 100,
        PartKind::Hosted(_) => 0,
    }
}
