//! The price book: every price that a node knows, found without a database.

use std::sync::Arc;

use foldhash::HashMap;
use store::prices::Price;
use store::{ConnectionTrait, PriceId};

use super::catalogue::Catalogue;
use crate::pricing::PriceSheet;

/// Who set a price; earlier ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// An administrator, in the management interface.
    Administrator,
    /// The configuration file.
    Declared,
    /// The program.
    Catalogue,
}

/// A price that was found, and why it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priced {
    /// The prices.
    pub sheet: Arc<PriceSheet>,
    /// Who set them.
    pub source: Source,
    /// The name they were found under: the model asked for, or the upstream's.
    pub model: String,
    /// The stored row, where there is one.
    pub id: Option<PriceId>,
    /// From when on they count, in unix milliseconds; the catalogue's count always.
    pub effective_from: Option<i64>,
}

/// One price from a time on; none ends the former one.
#[derive(Clone, Debug)]
struct Dated {
    id: PriceId,
    effective_from: i64,
    sheet: Option<Arc<PriceSheet>>,
}

/// All stored prices and the catalogue behind them. Made anew when a price changes.
#[derive(Clone, Debug, Default)]
pub struct PriceBook {
    stored: HashMap<String, Vec<(Source, Dated)>>,
}

/// A stored price that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the price {id} of {model} cannot be read: {reason}")]
pub struct UnreadablePrice {
    id: PriceId,
    model: String,
    reason: serde_json::Error,
}

impl PriceBook {
    /// Reads all stored prices. One that cannot be read is an error: skipping it would charge
    /// another price.
    pub async fn load(connection: &impl ConnectionTrait) -> Result<Self, crate::Error> {
        Ok(Self::of(store::prices::all(connection).await?)?)
    }

    /// A book of these rows.
    pub fn of(rows: Vec<Price>) -> Result<Self, UnreadablePrice> {
        let mut stored: HashMap<String, Vec<(Source, Dated)>> = HashMap::default();
        for row in rows {
            let source = match row.source.as_str() {
                "administrator" => Source::Administrator,
                "declared" => Source::Declared,
                _ => Source::Catalogue,
            };
            let sheet = match &row.sheet.0 {
                serde_json::Value::Null => None,
                sheet => Some(PriceSheet::from_json(sheet)),
            };
            let sheet = sheet.transpose().map_err(|reason| UnreadablePrice {
                id: row.id,
                model: row.model.clone(),
                reason,
            })?;
            let dated = Dated {
                id: row.id,
                effective_from: row.effective_from,
                sheet: sheet.map(Arc::new),
            };
            stored.entry(row.model).or_default().push((source, dated));
        }
        for prices in stored.values_mut() {
            prices.sort_by_key(|(source, dated)| (*source, -dated.effective_from));
        }
        Ok(Self { stored })
    }

    /// The price at a time: of the model asked for, else of the upstream's name for it.
    pub fn find(&self, asked: &str, upstream: Option<&str>, at: i64) -> Option<Priced> {
        self.find_one(asked, at)
            .or_else(|| self.find_one(upstream?, at))
    }

    fn find_one(&self, model: &str, at: i64) -> Option<Priced> {
        self.find_stored(model, at).or_else(|| find_shipped(model))
    }

    /// The sheet of the same price, for whoever does not ask where it came from.
    pub fn find_sheet(
        &self,
        asked: &str,
        upstream: Option<&str>,
        at: i64,
    ) -> Option<Arc<PriceSheet>> {
        let find_one = |model: &str| {
            let stored = self.stored_at(model, at).map(|(_, _, sheet)| sheet);
            stored.or_else(|| Catalogue::shipped().get(model)).cloned()
        };
        find_one(asked).or_else(|| find_one(upstream?))
    }

    fn find_stored(&self, model: &str, at: i64) -> Option<Priced> {
        let (source, dated, sheet) = self.stored_at(model, at)?;
        Some(Priced {
            sheet: Arc::clone(sheet),
            source,
            model: model.to_owned(),
            id: Some(dated.id),
            effective_from: Some(dated.effective_from),
        })
    }

    /// The stored price of a model that counts at a time, with its sheet.
    fn stored_at(&self, model: &str, at: i64) -> Option<(Source, &Dated, &Arc<PriceSheet>)> {
        let prices = self.stored.get(model)?;
        let sources = [Source::Administrator, Source::Declared, Source::Catalogue];
        sources.into_iter().find_map(|source| {
            let (_, dated) = prices
                .iter()
                .find(|(from, dated)| *from == source && dated.effective_from <= at)?;
            Some((source, dated, dated.sheet.as_ref()?))
        })
    }

    /// The price that would count without an administrator's: the configuration's, else the shipped
    /// catalogue's.
    pub fn beneath_administrators(&self, model: &str, at: i64) -> Option<&Arc<PriceSheet>> {
        let declared = self.declared(model, at);
        declared.or_else(|| Catalogue::shipped().get(model))
    }

    /// Models that have a stored price, in no order.
    pub fn stored_models(&self) -> impl Iterator<Item = &str> {
        self.stored.keys().map(String::as_str)
    }

    /// Models that have a price at a time, stored or shipped, in no order.
    pub fn models(&self, at: i64) -> impl Iterator<Item = &str> {
        let stored = self.stored_models();
        let stored = stored.filter(move |model| self.stored_at(model, at).is_some());
        let shipped = Catalogue::shipped().models().map(|(model, _)| model);
        let only_shipped = shipped.filter(move |model| self.stored_at(model, at).is_none());
        stored.chain(only_shipped)
    }

    /// The declared price of a model that counts at a time.
    pub(super) fn declared(&self, model: &str, at: i64) -> Option<&Arc<PriceSheet>> {
        let prices = self.stored.get(model)?.iter();
        let (_, dated) = prices
            .filter(|(source, dated)| *source == Source::Declared && dated.effective_from <= at)
            .max_by_key(|(_, dated)| dated.effective_from)?;
        dated.sheet.as_ref()
    }
}

fn find_shipped(model: &str) -> Option<Priced> {
    Some(Priced {
        sheet: Arc::clone(Catalogue::shipped().get(model)?),
        source: Source::Catalogue,
        model: model.to_owned(),
        id: None,
        effective_from: None,
    })
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
