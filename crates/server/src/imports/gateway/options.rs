//! Settings: what a unit of quota is worth, the ratios of groups, and the prices of models. All other
//! settings are named in the report; their values may be secrets and are not.

use std::collections::{BTreeMap, BTreeSet};

use billing::pricing::{PriceSheet, Rate};
use serde_json::{Map, Value};

use super::ratio::{self, Unit};
use crate::imports::plan::WantedPrice;
use crate::imports::report::{Effect, Findings};
use crate::imports::table::Tables;

const PRICES: &str = "prices";
const SETTINGS: &str = "settings";

/// The settings that matter here.
#[derive(Debug)]
pub(super) struct Options {
    /// What a dollar is.
    pub(super) unit: Unit,
    /// The ratio of each group.
    pub(super) group_ratios: Map<String, Value>,
    /// Groups that users may choose for their tokens, with what is said of each.
    pub(super) usable_groups: Map<String, Value>,
    model_ratios: Map<String, Value>,
    completion_ratios: Map<String, Value>,
    cache_ratios: Map<String, Value>,
    model_prices: Map<String, Value>,
}

impl Options {
    /// Reads the settings.
    pub(super) fn read(tables: &Tables, findings: &mut Findings) -> Self {
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for row in tables.rows("options") {
            if let (Some(key), Some(value)) = (row.text("key"), row.text("value")) {
                all.insert(key.to_owned(), value.to_owned());
            }
        }
        let mut unit = Unit::USUAL;
        if let Some(text) = all.remove("QuotaPerUnit") {
            unit = Unit::parse(&text).unwrap_or_else(|| {
                let reason = "what a dollar is cannot be read: 500000 units are taken";
                let notes = &mut findings.notes;
                notes.add(SETTINGS, Effect::Attention, "QuotaPerUnit", reason);
                Unit::USUAL
            });
        }
        let mut object = |name: &str| {
            let Some(text) = all.remove(name) else {
                return Map::new();
            };
            if let Ok(Value::Object(object)) = serde_json::from_str(&text) {
                return object;
            }
            let reason = "its value is no JSON object and is not carried over";
            let notes = &mut findings.notes;
            notes.add(SETTINGS, Effect::LeftOut, name, reason);
            Map::new()
        };
        let options = Self {
            unit,
            group_ratios: object("GroupRatio"),
            usable_groups: object("UserUsableGroups"),
            model_ratios: object("ModelRatio"),
            completion_ratios: object("CompletionRatio"),
            cache_ratios: object("CacheRatio"),
            model_prices: object("ModelPrice"),
        };
        for name in all.keys() {
            let reason = "this setting is not carried over; see the settings page";
            findings.notes.add(SETTINGS, Effect::LeftOut, name, reason);
        }
        options
    }

    /// Prices of the models that a channel serves. A ratio without one for output says only half of
    /// the price, since the source fills that in by itself.
    pub(super) fn prices(
        &self,
        served: &BTreeSet<&str>,
        findings: &mut Findings,
    ) -> Vec<WantedPrice> {
        let models: BTreeSet<&String> = self
            .model_ratios
            .keys()
            .chain(self.model_prices.keys())
            .collect();
        let mut prices = Vec::new();
        for model in models {
            findings.count(PRICES).found += 1;
            if !served.contains(model.as_str()) {
                let reason = "no channel of the source serves this model";
                findings.leave_out(PRICES, model, reason);
                continue;
            }
            match self.sheet(model) {
                Ok(sheet) => prices.push(WantedPrice {
                    model: model.clone(),
                    sheet,
                }),
                Err(reason) => findings.leave_out(PRICES, model, reason),
            }
        }
        prices
    }

    fn sheet(&self, model: &str) -> Result<PriceSheet, &'static str> {
        const UNREADABLE: &str = "its price is no number at or above zero";
        if self.model_prices.contains_key(model) {
            let price = ratio::of(&self.model_prices, model);
            let nanos = price.and_then(ratio::Ratio::dollars_in_nanos);
            let dollars = nanos.map(billing::pricing::format_dollars);
            let rate = dollars.and_then(|text| Rate::parse_per_unit(&text).ok());
            return Ok(PriceSheet {
                per_call: Some(rate.ok_or(UNREADABLE)?),
                ..PriceSheet::default()
            });
        }
        let input = ratio::of(&self.model_ratios, model).ok_or(UNREADABLE)?;
        if !self.completion_ratios.contains_key(model) {
            return Err(
                "the source's settings do not say what its output costs; set a price, or \
                        leave it to the catalogue",
            );
        }
        let output = ratio::of(&self.completion_ratios, model).ok_or(UNREADABLE)?;
        let rate = |ratios: &[ratio::Ratio]| {
            let nanos = self.unit.price(ratios)?;
            Rate::of_nanos_per_million(nanos)
        };
        let cached = ratio::of(&self.cache_ratios, model);
        Ok(PriceSheet {
            input: Some(rate(&[input]).ok_or(UNREADABLE)?),
            output: Some(rate(&[input, output]).ok_or(UNREADABLE)?),
            cache_read: cached.and_then(|cached| rate(&[input, cached])),
            ..PriceSheet::default()
        })
    }
}
