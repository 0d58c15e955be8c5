//! `[[prices]]`: prices declared in the file. Token prices are dollars per million tokens, the
//! others dollars per unit; all are decimal text.

use std::collections::BTreeMap;

use billing::pricing::Rate;
use serde::Deserialize;

use super::dollars::Dollars;
use super::loader::Declaration;

/// One `[[prices]]` entry.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceDeclaration {
    /// The model that the client asks for; the upstream's name is the fallback.
    pub model: String,
    /// Input tokens.
    #[serde(default)]
    pub input: Option<Dollars>,
    /// Output tokens.
    #[serde(default)]
    pub output: Option<Dollars>,
    /// Input tokens read from the prompt cache.
    #[serde(default)]
    pub cache_read: Option<Dollars>,
    /// Input tokens written to the prompt cache for five minutes.
    #[serde(default)]
    pub cache_write_5m: Option<Dollars>,
    /// Input tokens written to the prompt cache for an hour.
    #[serde(default)]
    pub cache_write_1h: Option<Dollars>,
    /// Reasoning tokens; absent: the output price.
    #[serde(default)]
    pub reasoning: Option<Dollars>,
    /// Audio input tokens.
    #[serde(default)]
    pub audio_input: Option<Dollars>,
    /// Audio output tokens.
    #[serde(default)]
    pub audio_output: Option<Dollars>,
    /// Image input tokens.
    #[serde(default)]
    pub image_input: Option<Dollars>,
    /// Image output tokens.
    #[serde(default)]
    pub image_output: Option<Dollars>,
    /// Each call.
    #[serde(default)]
    pub per_call: Option<Dollars>,
    /// Each generated image.
    #[serde(default)]
    pub per_image: Option<Dollars>,
    /// Each second of audio.
    #[serde(default)]
    pub per_second: Option<Dollars>,
    /// Each character of text to speak.
    #[serde(default)]
    pub per_character: Option<Dollars>,
    /// Each search unit of a rerank.
    #[serde(default)]
    pub per_search_unit: Option<Dollars>,
    /// Each call of a hosted tool, by its name in the usage.
    #[serde(default)]
    pub hosted_tools: BTreeMap<String, Dollars>,
    /// Other prices for long contexts.
    #[serde(default)]
    pub tiers: Vec<PriceTier>,
}

/// Prices of calls whose context is longer than a bound; what it leaves out stays as above.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceTier {
    /// The tier holds for more input tokens than this.
    pub above_tokens: u64,
    /// Input tokens.
    #[serde(default)]
    pub input: Option<Dollars>,
    /// Output tokens.
    #[serde(default)]
    pub output: Option<Dollars>,
    /// Input tokens read from the prompt cache.
    #[serde(default)]
    pub cache_read: Option<Dollars>,
    /// Input tokens written to the prompt cache for five minutes.
    #[serde(default)]
    pub cache_write_5m: Option<Dollars>,
    /// Input tokens written to the prompt cache for an hour.
    #[serde(default)]
    pub cache_write_1h: Option<Dollars>,
}

impl PriceDeclaration {
    fn has_a_price(&self) -> bool {
        let prices = [
            self.input,
            self.output,
            self.cache_read,
            self.cache_write_5m,
            self.cache_write_1h,
            self.reasoning,
            self.audio_input,
            self.audio_output,
            self.image_input,
            self.image_output,
            self.per_call,
            self.per_image,
            self.per_second,
            self.per_character,
            self.per_search_unit,
        ];
        prices.iter().any(Option::is_some) || !self.hosted_tools.is_empty()
    }

    /// Prices of single units, with the names of their keys.
    fn unit_prices(&self) -> impl Iterator<Item = (&'static str, Dollars)> {
        let single = [
            ("per_call", self.per_call),
            ("per_image", self.per_image),
            ("per_second", self.per_second),
            ("per_character", self.per_character),
            ("per_search_unit", self.per_search_unit),
        ];
        let single = single.into_iter();
        let single = single.filter_map(|(key, price)| Some((key, price?)));
        let tools = self.hosted_tools.values();
        single.chain(tools.map(|price| ("hosted_tools", *price)))
    }
}

impl Declaration for PriceDeclaration {
    const LIST: &'static str = "prices";

    fn resolve(
        &mut self,
        _: &BTreeMap<String, String>,
        refuse: &mut dyn FnMut(&'static str, String),
    ) {
        if self.model.trim().is_empty() {
            refuse("model", "must not be empty".to_owned());
        }
        if !self.has_a_price() {
            refuse(
                "model",
                "has no price; write input = \"0\" for a free model".to_owned(),
            );
        }
        for (key, price) in self.unit_prices() {
            if Rate::of_nanos_per_unit(price.nanos()).is_none() {
                refuse(key, "must be below 9223 dollars".to_owned());
            }
        }
        if !self
            .tiers
            .is_sorted_by(|left, right| left.above_tokens < right.above_tokens)
        {
            refuse(
                "tiers",
                "must be in growing order of above_tokens".to_owned(),
            );
        }
    }

    fn identity(&self) -> (&'static str, &str) {
        ("model", &self.model)
    }
}
