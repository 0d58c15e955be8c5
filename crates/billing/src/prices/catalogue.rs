//! The shipped prices. They are data (`catalogue/*.json`) with their source and date.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use crate::pricing::PriceSheet;

/// Prices that come with the program.
#[derive(Debug)]
pub struct Catalogue {
    /// Where the facts come from.
    pub source: String,
    /// When they were taken, as `YYYY-MM-DD`.
    pub date: String,
    models: HashMap<String, Arc<PriceSheet>>,
}

#[derive(Deserialize)]
struct File {
    source: String,
    date: String,
    models: HashMap<String, Arc<PriceSheet>>,
}

static SHIPPED: LazyLock<Catalogue> = LazyLock::new(|| {
    let read = |text| -> File {
        serde_json::from_str(text).expect("the shipped files are read by this crate's tests")
    };
    let vendors = read(include_str!("../../catalogue/prices.json"));
    let demo = read(include_str!("../../catalogue/demo.json"));
    let mut models = vendors.models;
    models.extend(demo.models);
    Catalogue {
        source: vendors.source,
        date: vendors.date,
        models,
    }
});

impl Catalogue {
    /// The catalogue of this program; read at the first use.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// What a model costs.
    pub fn get(&self, model: &str) -> Option<&Arc<PriceSheet>> {
        self.models.get(model)
    }

    /// All models and what they cost, in no order.
    pub fn models(&self) -> impl Iterator<Item = (&str, &PriceSheet)> {
        let models = self.models.iter();
        models.map(|(model, sheet)| (model.as_str(), sheet.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pricing::{Bounds, Multiplier, OtherUnits, TokenKinds, worst_case};

    #[test]
    fn at_least_three_hundred_models_are_priced() {
        let shipped = Catalogue::shipped();
        assert!(shipped.models().count() >= 300);
        assert!(shipped.source.contains("LiteLLM"));
        assert_eq!(shipped.date.len(), "2026-01-01".len());
    }

    #[test]
    fn no_shipped_model_is_free() {
        let bounds = Bounds {
            input: 1_000,
            output: 1_000,
            kinds: TokenKinds::ALL,
            other: OtherUnits {
                images: vec![crate::pricing::Images {
                    size: Some("1024x1024".to_owned()),
                    quality: Some("standard".to_owned()),
                    count: 1,
                }],
                seconds: 60,
                characters: 1_000,
                search_units: 1,
                ..OtherUnits::default()
            },
        };
        for (model, sheet) in Catalogue::shipped().models() {
            let has_image_prices = !sheet.images.is_empty();
            let worst = worst_case(sheet, Multiplier::ONE, &bounds);
            assert!(has_image_prices || worst.unwrap() > 0, "{model}");
        }
    }

    #[test]
    fn well_known_models_cost_what_their_vendors_say() {
        let price = |model: &str| Catalogue::shipped().get(model).cloned().unwrap();
        let rate = |text: &str| crate::pricing::Rate::parse_per_million(text).ok();
        let sonnet = price("claude-sonnet-4-5");
        assert_eq!(sonnet.input, rate("3"));
        assert_eq!(sonnet.cache_write_1h, rate("6"));
        let gemini = price("gemini-2.5-pro");
        assert_eq!(gemini.tiers[0].above_tokens, 200_000);
        assert_eq!(gemini.tiers[0].output, rate("15"));
        assert_eq!(price("gpt-4o").cache_read, rate("1.25"));
        assert!(price("whisper-1").per_second.is_some());
        assert!(price("tts-1").per_character.is_some());
        assert!(price("rerank-v3.5").per_search_unit.is_some());
        assert!(price("demo-chat").output.is_some());
    }
}
