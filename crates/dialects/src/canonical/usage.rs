//! Token counts of one generation, in one arithmetic.

use std::collections::BTreeMap;

/// What a generation used. `input` counts the whole prompt, caches and tool prompts included;
/// `output` counts everything generated, reasoning included. An absent count was not reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The whole prompt.
    pub input: Option<u64>,
    /// Of it: read from the cache.
    pub cache_read: Option<u64>,
    /// Of it: written to the cache for five minutes.
    pub cache_write_5m: Option<u64>,
    /// Of it: written to the cache for an hour.
    pub cache_write_1h: Option<u64>,
    /// Of it: written to the cache, no time said.
    pub cache_write_other: Option<u64>,
    /// Of it: audio.
    pub input_audio: Option<u64>,
    /// Of it: images.
    pub input_image: Option<u64>,
    /// Of it: prompts that hosted tools added.
    pub tool_prompt: Option<u64>,
    /// Everything generated.
    pub output: Option<u64>,
    /// Of it: reasoning.
    pub reasoning: Option<u64>,
    /// Of it: audio.
    pub output_audio: Option<u64>,
    /// Of it: images.
    pub output_image: Option<u64>,
    /// Of it: predicted tokens that were right.
    pub prediction_accepted: Option<u64>,
    /// Of it: predicted tokens that were wrong.
    pub prediction_rejected: Option<u64>,
    /// Calls of hosted tools by name (`web_search_requests`, …).
    pub hosted_tools: BTreeMap<String, u64>,
}

impl Usage {
    /// All tokens written to a cache.
    pub fn cache_write(&self) -> u64 {
        [
            self.cache_write_5m,
            self.cache_write_1h,
            self.cache_write_other,
        ]
        .into_iter()
        .flatten()
        .fold(0, u64::saturating_add)
    }

    /// Takes over what a later report says: streamed usages are cumulative, so a later count
    /// replaces an earlier one and an absent count changes nothing.
    pub fn merge(&mut self, later: &Self) {
        for (mine, theirs) in [
            (&mut self.input, later.input),
            (&mut self.cache_read, later.cache_read),
            (&mut self.cache_write_5m, later.cache_write_5m),
            (&mut self.cache_write_1h, later.cache_write_1h),
            (&mut self.cache_write_other, later.cache_write_other),
            (&mut self.input_audio, later.input_audio),
            (&mut self.input_image, later.input_image),
            (&mut self.tool_prompt, later.tool_prompt),
            (&mut self.output, later.output),
            (&mut self.reasoning, later.reasoning),
            (&mut self.output_audio, later.output_audio),
            (&mut self.output_image, later.output_image),
            (&mut self.prediction_accepted, later.prediction_accepted),
            (&mut self.prediction_rejected, later.prediction_rejected),
        ] {
            if theirs.is_some() {
                *mine = theirs;
            }
        }
        for (name, count) in &later.hosted_tools {
            self.hosted_tools.insert(name.clone(), *count);
        }
    }
}
