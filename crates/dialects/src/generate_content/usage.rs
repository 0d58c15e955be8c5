//! Usage, both ways. The vendor's prompt count leaves tool prompts out and its candidates count
//! leaves thoughts out; ours include both.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::canonical::Usage;
use crate::frame_wire::{Few, Text};

/// `usageMetadata`, as far as it is counted.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct UsageMetadata<'a> {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
    total_token_count: Option<u64>,
    #[serde(borrow)]
    prompt_tokens_details: Option<Few<Detail<'a>>>,
    #[serde(borrow)]
    candidates_tokens_details: Option<Few<Detail<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Detail<'a> {
    #[serde(borrow)]
    modality: Option<Text<'a>>,
    token_count: Option<u64>,
}

impl UsageMetadata<'_> {
    /// The same counts in our arithmetic.
    pub(super) fn read(&self) -> Usage {
        let prompt = self.prompt_token_count.unwrap_or(0);
        let tools = self.tool_use_prompt_token_count.unwrap_or(0);
        let candidates = self.candidates_token_count.unwrap_or(0);
        let thoughts = self.thoughts_token_count.unwrap_or(0);
        // Some endpoints count thoughts among the candidates; the total tells.
        let inclusive =
            thoughts > 0 && self.total_token_count == Some(sum(&[prompt, candidates, tools]));
        let output = if inclusive {
            candidates
        } else {
            sum(&[candidates, thoughts])
        };
        Usage {
            input: self.prompt_token_count.map(|prompt| sum(&[prompt, tools])),
            cache_read: self.cached_content_token_count,
            input_audio: of(self.prompt_tokens_details.as_ref(), "AUDIO"),
            input_image: of(self.prompt_tokens_details.as_ref(), "IMAGE"),
            tool_prompt: self.tool_use_prompt_token_count,
            output: (self.candidates_token_count.is_some() || self.thoughts_token_count.is_some())
                .then_some(output)
                .or(self
                    .total_token_count
                    .map(|total| total.saturating_sub(sum(&[prompt, tools])))),
            reasoning: self.thoughts_token_count,
            output_audio: of(self.candidates_tokens_details.as_ref(), "AUDIO"),
            output_image: of(self.candidates_tokens_details.as_ref(), "IMAGE"),
            ..Usage::default()
        }
    }
}

/// Counts come from outside: nonsense must not overflow.
fn sum(counts: &[u64]) -> u64 {
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

fn of(details: Option<&Few<Detail<'_>>>, modality: &str) -> Option<u64> {
    let mut details = details?.iter();
    let found = details.find(|detail| {
        let named = detail.modality.as_ref();
        named.is_some_and(|named| named.0 == modality)
    });
    found.and_then(|detail| detail.token_count)
}

/// `usageMetadata` for a client.
pub(super) fn write(usage: &Usage) -> Value {
    let tools = usage.tool_prompt.unwrap_or(0);
    let thoughts = usage.reasoning.unwrap_or(0);
    let prompt = usage.input.unwrap_or(0).saturating_sub(tools);
    let candidates = usage.output.unwrap_or(0).saturating_sub(thoughts);
    let mut out = Map::new();
    let mut set = |key: &str, count: u64| out.insert(key.to_owned(), json!(count));
    set("promptTokenCount", prompt);
    if let Some(read) = usage.cache_read.filter(|count| *count > 0) {
        set("cachedContentTokenCount", read);
    }
    set("candidatesTokenCount", candidates);
    if thoughts > 0 {
        set("thoughtsTokenCount", thoughts);
    }
    if tools > 0 {
        set("toolUsePromptTokenCount", tools);
    }
    set(
        "totalTokenCount",
        sum(&[prompt, tools, candidates, thoughts]),
    );
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> Usage {
        serde_json::from_str::<UsageMetadata<'_>>(&value.to_string())
            .unwrap()
            .read()
    }

    #[test]
    fn thoughts_and_tool_prompts_are_added() {
        let usage = read(&json!({"promptTokenCount": 10, "candidatesTokenCount": 2,
            "thoughtsTokenCount": 30, "toolUsePromptTokenCount": 5, "totalTokenCount": 47}));
        assert_eq!(
            (usage.input, usage.output, usage.reasoning),
            (Some(15), Some(32), Some(30))
        );
    }

    #[test]
    fn an_inclusive_count_is_told_by_its_total() {
        let usage = read(&json!({"promptTokenCount": 10, "candidatesTokenCount": 32,
            "thoughtsTokenCount": 30, "totalTokenCount": 42}));
        assert_eq!(usage.output, Some(32));
    }

    #[test]
    fn counts_survive_the_round_trip() {
        let value = json!({"promptTokenCount": 10, "cachedContentTokenCount": 4,
            "candidatesTokenCount": 2, "thoughtsTokenCount": 30, "totalTokenCount": 42});
        assert_eq!(write(&read(&value)), value);
    }
}
