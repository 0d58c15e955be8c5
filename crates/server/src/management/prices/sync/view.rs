//! A comparison of prices as the interface shows it.

use billing::prices::{Difference, DifferenceKind, LeftOut, Priced};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::management::prices::view::source_name;

/// What kind of difference a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PriceLineKind {
    /// Offered, and not there.
    New,
    /// Another price.
    Changed,
    /// There, and not offered.
    Removed,
}

impl From<DifferenceKind> for PriceLineKind {
    fn from(kind: DifferenceKind) -> Self {
        match kind {
            DifferenceKind::New => Self::New,
            DifferenceKind::Changed => Self::Changed,
            DifferenceKind::Removed => Self::Removed,
        }
    }
}

/// One price that differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PriceDifference {
    /// The model that clients ask for.
    pub model: String,
    /// Which of its prices: `input`, `output`, `tiers/200000/input`, `images/1024x1024/high`, …
    pub component: String,
    /// What counts now, in dollars per million tokens or per unit; `null` where nothing does.
    pub present: Option<String>,
    /// What is offered; `null` where the source has no such price of a model that it names.
    pub offered: Option<String>,
    /// By how many percent it changes, with two decimals; `null` where it appears or goes.
    pub change_percent: Option<String>,
    /// What kind of difference.
    pub kind: PriceLineKind,
    /// Who set what counts now: `administrator`, `declared` or `catalogue`.
    pub present_source: Option<&'static str>,
    /// Whether some channel serves the model.
    pub is_served: bool,
}

impl PriceDifference {
    /// A difference between what counts for a model and what is offered.
    pub fn of(model: &str, found: Option<&Priced>, is_served: bool, one: Difference) -> Self {
        Self {
            model: model.to_owned(),
            change_percent: one.change_percent(),
            kind: one.kind().into(),
            component: one.component,
            present: one.present,
            offered: one.offered,
            present_source: found.map(|found| source_name(found.source)),
            is_served,
        }
    }
}

/// An entry of an uploaded list that cannot be used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PriceLeftOut {
    /// Its name.
    model: String,
    /// What is wrong with it.
    reason: String,
}

impl From<LeftOut> for PriceLeftOut {
    fn from(one: LeftOut) -> Self {
        Self {
            model: one.name,
            reason: one.reason,
        }
    }
}

/// How what counts differs from what a source offers.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct PriceComparison {
    /// When the catalogue was taken, as `YYYY-MM-DD`; `null` for an uploaded list.
    pub catalogue_date: Option<String>,
    /// The differences, models that channels serve first; at most 1,000.
    pub lines: Vec<PriceDifference>,
    /// How many there are, those beyond the first 1,000 included.
    pub total: usize,
    /// How many of them are prices that are not there.
    pub new: usize,
    /// How many are other prices.
    pub changed: usize,
    /// How many are prices that the source no longer has.
    pub removed: usize,
    /// How many prices are the same.
    pub same: usize,
    /// How many models were compared.
    pub models: usize,
    /// How many models that are served, or have a price of their own, the source does not name.
    pub unnamed: usize,
    /// Entries of the list that cannot be used; at most 100.
    pub left_out: Vec<PriceLeftOut>,
    /// How many there are.
    pub left_out_total: usize,
}

/// What was taken over.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PricesAccepted {
    /// How many models cost something else now.
    pub models: usize,
    /// How many prices were taken over.
    pub lines: usize,
}
