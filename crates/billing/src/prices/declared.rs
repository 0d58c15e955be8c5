//! Prices of the configuration file, kept as dated rows: a file is edited without a trace, and a
//! past charge must still be explained.

use std::collections::BTreeMap;

use store::Transaction;
use store::prices::NewPrice;

use super::book::PriceBook;
use crate::pricing::PriceSheet;

/// Writes down what the configuration declares from now on: a row for each price that changed,
/// and an end for each that is gone. Says how many rows that took.
pub async fn record_declared(
    transaction: &Transaction,
    declared: &BTreeMap<String, PriceSheet>,
    now: i64,
) -> Result<usize, crate::Error> {
    let book = PriceBook::load(transaction).await?;
    let mut changes = Vec::new();
    for (model, sheet) in declared {
        let known = book.declared(model, now).map(AsRef::as_ref);
        if known != Some(sheet) {
            let sheet = serde_json::to_value(sheet).map_err(store::StoreError::from)?;
            changes.push((model.clone(), sheet));
        }
    }
    for model in book.stored_models() {
        if book.declared(model, now).is_some() && !declared.contains_key(model) {
            changes.push((model.to_owned(), serde_json::Value::Null));
        }
    }
    let count = changes.len();
    for (model, sheet) in changes {
        let price = NewPrice {
            model,
            effective_from: now,
            sheet,
            source: "declared",
            created_by: None,
            now,
        };
        store::prices::insert(transaction, price).await?;
    }
    Ok(count)
}
