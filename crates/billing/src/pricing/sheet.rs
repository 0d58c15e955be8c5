//! Price sheets: what a model costs. Written as JSON with decimal text, in the words of the
//! configuration's `[[prices]]`.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::decimal::DecimalError;
use super::rate::Rate;
use super::units::{Images, TokenKind};

/// What a model costs. A price that is absent falls back to the next wider one (reasoning to
/// output, caches to input, …); a price of zero is free.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriceSheet {
    /// A million input tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub input: Option<Rate>,
    /// A million output tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub output: Option<Rate>,
    /// A million input tokens read from the cache.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Rate>,
    /// A million input tokens written to the cache for five minutes.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub cache_write_5m: Option<Rate>,
    /// A million input tokens written to the cache for an hour.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<Rate>,
    /// A million reasoning tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Rate>,
    /// A million audio input tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub audio_input: Option<Rate>,
    /// A million audio output tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub audio_output: Option<Rate>,
    /// A million image input tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub image_input: Option<Rate>,
    /// A million image output tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub image_output: Option<Rate>,
    /// Each call.
    #[serde(with = "per_unit", skip_serializing_if = "Option::is_none")]
    pub per_call: Option<Rate>,
    /// Each generated image that `images` does not name.
    #[serde(with = "per_unit", skip_serializing_if = "Option::is_none")]
    pub per_image: Option<Rate>,
    /// Each second of audio.
    #[serde(with = "per_unit", skip_serializing_if = "Option::is_none")]
    pub per_second: Option<Rate>,
    /// Each character of text to speak.
    #[serde(with = "per_unit", skip_serializing_if = "Option::is_none")]
    pub per_character: Option<Rate>,
    /// Each search unit of a rerank.
    #[serde(with = "per_unit", skip_serializing_if = "Option::is_none")]
    pub per_search_unit: Option<Rate>,
    /// Generated images by size and quality.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImagePrice>,
    /// Each call of a hosted tool, by its name in the usage; a tool that is not named costs no
    /// more than its tokens.
    #[serde(with = "tools", skip_serializing_if = "BTreeMap::is_empty")]
    pub hosted_tools: BTreeMap<String, Rate>,
    /// Other prices for long contexts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
}

/// The price of an image of one size, one quality, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImagePrice {
    /// For example `1024x1024`; none: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// For example `high`; none: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<String>,
    /// Each image.
    #[serde(with = "per_unit")]
    pub price: Option<Rate>,
}

/// Prices of calls whose prompt is longer than a bound; what it leaves out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tier {
    /// Holds for more input tokens than this.
    pub above_tokens: u64,
    /// A million input tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub input: Option<Rate>,
    /// A million output tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub output: Option<Rate>,
    /// A million input tokens read from the cache.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Rate>,
    /// A million input tokens written to the cache for five minutes.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub cache_write_5m: Option<Rate>,
    /// A million input tokens written to the cache for an hour.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<Rate>,
    /// A million audio input tokens.
    #[serde(with = "per_million", skip_serializing_if = "Option::is_none")]
    pub audio_input: Option<Rate>,
}

/// The token prices that hold for one length of context.
#[derive(Clone, Copy, Debug)]
pub struct TokenRates<'a> {
    sheet: &'a PriceSheet,
    tier: Option<&'a Tier>,
}

impl PriceSheet {
    /// Reads a sheet from the JSON that the records keep.
    pub fn from_json(sheet: &serde_json::Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(sheet)
    }

    /// The prices for a prompt of this length: those of the highest bound below it.
    pub fn rates_for(&self, input_tokens: u64) -> TokenRates<'_> {
        let tier = self
            .tiers
            .iter()
            .filter(|tier| tier.above_tokens < input_tokens)
            .max_by_key(|tier| tier.above_tokens);
        TokenRates { sheet: self, tier }
    }

    /// All prices that may hold for a prompt of at most this length.
    pub(super) fn rates_up_to(&self, input_tokens: u64) -> impl Iterator<Item = TokenRates<'_>> {
        let without = std::iter::once(None);
        let reached = self
            .tiers
            .iter()
            .filter(move |tier| tier.above_tokens < input_tokens);
        without
            .chain(reached.map(Some))
            .map(|tier| TokenRates { sheet: self, tier })
    }

    /// The price of such an image: the one that names most about it.
    pub(super) fn image_rate(&self, images: &Images) -> Option<Rate> {
        let named = self.images.iter().filter_map(|one| {
            let size = matches(one.size.as_ref(), images.size.as_ref())?;
            let quality = matches(one.quality.as_ref(), images.quality.as_ref())?;
            Some((size + quality, one.price?))
        });
        named.max().map(|(_, price)| price).or(self.per_image)
    }

    /// The highest price that such an image may turn out to have: a size or quality that is not said may be any.
    pub(super) fn dearest_image_rate(&self, images: &Images) -> Option<Rate> {
        let [size, quality] = [&images.size, &images.quality].map(|said| {
            let said = said.as_ref();
            said.filter(|said| *said != "auto")
        });
        if size.is_some() && quality.is_some() {
            return self.image_rate(images);
        }
        let may_be = |priced: &Option<String>, said: Option<&String>| {
            said.is_none() || priced.is_none() || priced.as_ref() == said
        };
        let named = self
            .images
            .iter()
            .filter(|one| may_be(&one.size, size) && may_be(&one.quality, quality));
        let named = named.filter_map(|one| one.price);
        named.chain(self.per_image).max()
    }
}

/// None: does not fit; otherwise how much it says.
fn matches(priced: Option<&String>, used: Option<&String>) -> Option<u8> {
    match (priced, used) {
        (None, _) => Some(0),
        (Some(priced), Some(used)) if priced == used => Some(1),
        _ => None,
    }
}

impl TokenRates<'_> {
    /// The price that a kind has of its own.
    fn own(self, kind: TokenKind) -> Option<Rate> {
        let sheet = self.sheet;
        let (tiered, plain) = match kind {
            TokenKind::Input => (self.tier.and_then(|tier| tier.input), sheet.input),
            TokenKind::Output => (self.tier.and_then(|tier| tier.output), sheet.output),
            TokenKind::CacheRead => (self.tier.and_then(|tier| tier.cache_read), sheet.cache_read),
            TokenKind::CacheWrite5m => (
                self.tier.and_then(|tier| tier.cache_write_5m),
                sheet.cache_write_5m,
            ),
            TokenKind::CacheWrite1h => (
                self.tier.and_then(|tier| tier.cache_write_1h),
                sheet.cache_write_1h,
            ),
            TokenKind::AudioInput => (
                self.tier.and_then(|tier| tier.audio_input),
                sheet.audio_input,
            ),
            TokenKind::ImageInput => (None, sheet.image_input),
            TokenKind::Reasoning => (None, sheet.reasoning),
            TokenKind::AudioOutput => (None, sheet.audio_output),
            TokenKind::ImageOutput => (None, sheet.image_output),
        };
        tiered.or(plain)
    }

    /// The kind whose price holds for a kind, and that price; none where nothing is priced.
    pub fn of(self, kind: TokenKind) -> Option<(TokenKind, Rate)> {
        let wider = match kind {
            TokenKind::Input | TokenKind::Output => None,
            TokenKind::CacheWrite1h => Some(TokenKind::CacheWrite5m),
            TokenKind::CacheRead
            | TokenKind::CacheWrite5m
            | TokenKind::AudioInput
            | TokenKind::ImageInput => Some(TokenKind::Input),
            TokenKind::Reasoning | TokenKind::AudioOutput | TokenKind::ImageOutput => {
                Some(TokenKind::Output)
            }
        };
        match (self.own(kind), wider) {
            (Some(rate), _) => Some((kind, rate)),
            (None, Some(wider)) => self.of(wider),
            (None, None) => self.dearest_sibling(kind).map(|rate| (kind, rate)),
        }
    }

    /// For sheets that price only a special kind, as image models do: tokens whose kind an
    /// upstream does not say must not be free.
    fn dearest_sibling(self, kind: TokenKind) -> Option<Rate> {
        let siblings: &[TokenKind] = match kind {
            TokenKind::Output => TokenKind::OUTPUT,
            _ => TokenKind::INPUT,
        };
        siblings.iter().filter_map(|one| self.own(*one)).max()
    }
}

/// The decimal text of a JSON string or number, without going through floating point.
fn decimal_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Null => Ok(None),
        serde_json::Value::String(text) => Ok(Some(text)),
        serde_json::Value::Number(number) => Ok(Some(number.to_string())),
        _ => Err(D::Error::custom("a price is decimal text")),
    }
}

fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
    parse: fn(&str) -> Result<Rate, DecimalError>,
) -> Result<Option<Rate>, D::Error> {
    let Some(text) = decimal_text(deserializer)? else {
        return Ok(None);
    };
    parse(&text)
        .map(Some)
        .map_err(|error| D::Error::custom(format!("the price {text:?} {error}")))
}

mod per_million {
    use super::{Deserializer, Rate, Serialize, Serializer, read};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Rate>, D::Error> {
        read(deserializer, Rate::parse_per_million)
    }

    #[expect(clippy::ref_option, reason = "serde passes fields by reference")]
    pub(super) fn serialize<S: Serializer>(
        rate: &Option<Rate>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        rate.map(Rate::dollars_per_million).serialize(serializer)
    }
}

mod per_unit {
    use super::{Deserializer, Rate, Serialize, Serializer, read};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Rate>, D::Error> {
        read(deserializer, Rate::parse_per_unit)
    }

    #[expect(clippy::ref_option, reason = "serde passes fields by reference")]
    pub(super) fn serialize<S: Serializer>(
        rate: &Option<Rate>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        rate.map(Rate::dollars_per_unit).serialize(serializer)
    }
}

mod tools {
    use super::{BTreeMap, Deserialize, Deserializer, Rate, Serializer, per_unit};

    struct Price(Option<Rate>);

    impl<'de> Deserialize<'de> for Price {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            per_unit::deserialize(deserializer).map(Self)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, Rate>, D::Error> {
        let tools = BTreeMap::<String, Price>::deserialize(deserializer)?;
        Ok(tools
            .into_iter()
            .filter_map(|(name, price)| price.0.map(|rate| (name, rate)))
            .collect())
    }

    pub(super) fn serialize<S: Serializer>(
        prices: &BTreeMap<String, Rate>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            prices
                .iter()
                .map(|(name, rate)| (name, rate.dollars_per_unit())),
        )
    }
}
