//! Token counts of one generation, in one arithmetic.

use std::collections::BTreeMap;

/// What searches of a vendor's own tool are called where they are counted and priced.
pub const SEARCHES: &str = "web_search_requests";
/// The name of the sources that a search has read, where a vendor charges for these.
pub const SOURCES: &str = "search_sources";

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

    /// Everything that went in and came out.
    pub fn total(&self) -> u64 {
        let input = self.input.unwrap_or(0);
        input.saturating_add(self.output.unwrap_or(0))
    }

    /// Takes over what a later report says: streamed usages are cumulative, so a later count
    /// replaces an earlier one and an absent count changes nothing.
    pub fn merge(&mut self, later: &Self) {
        self.each_count(later, |mine, theirs| *mine = theirs);
        for (name, count) in &later.hosted_tools {
            self.hosted_tools.insert(name.clone(), *count);
        }
    }

    /// Notes how often a vendor's own tool has searched, if it has.
    pub fn tell_searches(&mut self, count: u64) {
        if count > 0 {
            self.hosted_tools.insert(SEARCHES.to_owned(), count);
        }
    }

    /// Adds the counts of another generation.
    pub fn add(&mut self, other: &Self) {
        self.each_count(other, |mine, theirs| *mine = mine.saturating_add(theirs));
        for (name, count) in &other.hosted_tools {
            let mine = self.hosted_tools.entry(name.clone()).or_default();
            *mine = mine.saturating_add(*count);
        }
    }

    /// Changes each count that `other` reports; one that was absent here starts from nothing.
    fn each_count(&mut self, other: &Self, change: impl Fn(&mut u64, u64)) {
        for (mine, theirs) in [
            (&mut self.input, other.input),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write_5m, other.cache_write_5m),
            (&mut self.cache_write_1h, other.cache_write_1h),
            (&mut self.cache_write_other, other.cache_write_other),
            (&mut self.input_audio, other.input_audio),
            (&mut self.input_image, other.input_image),
            (&mut self.tool_prompt, other.tool_prompt),
            (&mut self.output, other.output),
            (&mut self.reasoning, other.reasoning),
            (&mut self.output_audio, other.output_audio),
            (&mut self.output_image, other.output_image),
            (&mut self.prediction_accepted, other.prediction_accepted),
            (&mut self.prediction_rejected, other.prediction_rejected),
        ] {
            if let Some(theirs) = theirs {
                change(mine.get_or_insert(0), theirs);
            }
        }
    }
}
