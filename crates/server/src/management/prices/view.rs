//! Prices as the interface shows them.

use billing::prices::{Priced, Source};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::prices::Price;

use crate::management::frame::Moment;

/// What a model costs now.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Price")]
pub struct PriceView {
    /// The model that clients ask for.
    pub model: String,
    /// `administrator`, `declared` or `catalogue`; `null` where it has no price.
    pub source: Option<&'static str>,
    /// The stored price, where there is one.
    pub id: Option<i64>,
    /// From when on it counts; `null` for the shipped catalogue.
    pub effective_from: Option<Moment>,
    /// The name under which it was found, where that is the upstream's.
    pub found_as: Option<String>,
    /// Dollars per million tokens or per unit, as decimal text.
    pub prices: Option<Value>,
    /// Whether some channel serves the model.
    pub is_served: bool,
}

impl PriceView {
    /// A model and the price that was found for it.
    pub fn of(model: &str, found: Option<Priced>, is_served: bool) -> Self {
        let Some(found) = found else {
            return Self {
                model: model.to_owned(),
                source: None,
                id: None,
                effective_from: None,
                found_as: None,
                prices: None,
                is_served,
            };
        };
        Self {
            model: model.to_owned(),
            source: Some(source_name(found.source)),
            id: found.id.map(|id| id.0),
            effective_from: found.effective_from.map(Moment),
            found_as: (found.model != model).then_some(found.model),
            prices: serde_json::to_value(&*found.sheet).ok(),
            is_served,
        }
    }
}

/// A stored price.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoredPrice")]
pub struct StoredPriceView {
    /// Its id.
    pub id: i64,
    /// The model.
    pub model: String,
    /// `administrator`, `declared` or `catalogue`.
    pub source: String,
    /// From when on it counts.
    pub effective_from: Moment,
    /// The prices; `null` ends the former ones.
    pub prices: Option<Value>,
    /// Who set it.
    pub created_by: Option<i64>,
    /// When it was set.
    pub created_at: Moment,
}

impl StoredPriceView {
    /// What may be shown of it, which is all.
    pub fn of(price: Price) -> Self {
        Self {
            id: price.id.0,
            model: price.model,
            source: price.source,
            effective_from: Moment(price.effective_from),
            prices: Some(price.sheet.0).filter(|sheet| !sheet.is_null()),
            created_by: price.created_by.map(|id| id.0),
            created_at: Moment(price.created_at),
        }
    }
}

/// A source's name on the interface.
pub fn source_name(source: Source) -> &'static str {
    match source {
        Source::Administrator => "administrator",
        Source::Declared => "declared",
        Source::Catalogue => "catalogue",
    }
}
