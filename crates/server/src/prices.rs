//! Which price sheet counts for a model: a declared one, by the name that the client asks for or by
//! the upstream's, else the demo channel's own.

use billing::pricing::{PriceSheet, Rate, Tier};

use crate::channels::Place;
use crate::config::{Config, Dollars, PriceDeclaration};
use crate::demo;

/// The price sheet of a model on this channel; none where it has no price.
pub fn sheet(config: &Config, model: &str, place: &Place) -> Option<PriceSheet> {
    let declared = |name: &str| config.prices.iter().find(|price| price.model == name);
    let declared = declared(model).or_else(|| declared(&place.upstream_model));
    match declared {
        Some(price) => Some(of_declaration(price)),
        None if *place.channel.provider == *demo::PROVIDER => demo::price(&place.upstream_model),
        None => None,
    }
}

/// Token prices are written per million tokens, all others per unit.
fn of_declaration(price: &PriceDeclaration) -> PriceSheet {
    let tokens =
        |dollars: Option<Dollars>| dollars.and_then(|d| Rate::of_nanos_per_million(d.nanos()));
    let units = |dollars: Option<Dollars>| {
        dollars.and_then(|d| Rate::of_nanos_per_million(d.nanos().saturating_mul(1_000_000)))
    };
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
