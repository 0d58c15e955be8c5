//! Prices of the configuration file as price sheets: token prices are written per million tokens,
//! all others per unit.

use std::collections::BTreeMap;

use billing::pricing::{PriceSheet, Rate, Tier};

use crate::config::{Dollars, PriceDeclaration};

/// Every declared price by its model.
pub(super) fn sheets(declared: &[PriceDeclaration]) -> BTreeMap<String, PriceSheet> {
    let prices = declared.iter();
    prices
        .map(|price| (price.model.clone(), sheet(price)))
        .collect()
}

fn sheet(price: &PriceDeclaration) -> PriceSheet {
    PriceSheet {
        input: tokens(price.input),
        output: tokens(price.output),
        cache_read: tokens(price.cache_read),
        cache_write_5m: tokens(price.cache_write_5m),
        cache_write_1h: tokens(price.cache_write_1h),
        reasoning: tokens(price.reasoning),
        audio_input: tokens(price.audio_input),
        audio_output: tokens(price.audio_output),
        image_input: tokens(price.image_input),
        image_output: tokens(price.image_output),
        per_call: units(price.per_call),
        per_image: units(price.per_image),
        per_second: units(price.per_second),
        per_character: units(price.per_character),
        per_search_unit: units(price.per_search_unit),
        hosted_tools: price
            .hosted_tools
            .iter()
            .filter_map(|(name, price)| Some((name.clone(), units(Some(*price))?)))
            .collect(),
        tiers: price
            .tiers
            .iter()
            .map(|tier| Tier {
                above_tokens: tier.above_tokens,
                input: tokens(tier.input),
                output: tokens(tier.output),
                cache_read: tokens(tier.cache_read),
                cache_write_5m: tokens(tier.cache_write_5m),
                cache_write_1h: tokens(tier.cache_write_1h),
                ..Tier::default()
            })
            .collect(),
        ..PriceSheet::default()
    }
}

fn tokens(dollars: Option<Dollars>) -> Option<Rate> {
    dollars.and_then(|dollars| Rate::of_nanos_per_million(dollars.nanos()))
}

fn units(dollars: Option<Dollars>) -> Option<Rate> {
    dollars.and_then(|dollars| Rate::of_nanos_per_unit(dollars.nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn prices_of_hosted_tools_are_by_the_call() {
        let text = "[[prices]]\nmodel = \"m\"\nhosted_tools = { web_search_requests = \"0.01\" }";
        let config = Config::from_text(text).unwrap();
        let sheets = sheets(&config.prices);
        let price = sheets["m"].hosted_tools["web_search_requests"];
        assert_eq!(price.nanos_per_million(), 10_000_000 * 1_000_000);
    }
}
