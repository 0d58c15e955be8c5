//! Prices of the configuration file become dated rows.

use std::collections::BTreeMap;

use billing::prices::{PriceBook, Source, record_declared};
use billing::pricing::{PriceSheet, Rate};
use store::Store;

use crate::support::Place;

on_both_engines!(a_changed_configuration_leaves_the_past_explained);

async fn declare(store: &Store, prices: &[(&str, &str)], now: i64) -> usize {
    let sheets: BTreeMap<_, _> = prices
        .iter()
        .map(|(model, input)| {
            let input = Rate::parse_per_million(input).ok();
            let sheet = PriceSheet {
                input,
                ..PriceSheet::default()
            };
            ((*model).to_owned(), sheet)
        })
        .collect();
    let transaction = store.write().await.unwrap();
    let changed = record_declared(&transaction, &sheets, now).await.unwrap();
    transaction.commit().await.unwrap();
    changed
}

async fn a_changed_configuration_leaves_the_past_explained(place: Place) {
    let store = place.open().await;
    let both = [("llama-4", "0.1"), ("gpt-4o", "2")];
    assert_eq!(declare(&store, &both, 100).await, 2);
    assert_eq!(declare(&store, &both, 150).await, 0);
    assert_eq!(declare(&store, &[("llama-4", "0.2")], 200).await, 2);
    assert_eq!(declare(&store, &[("llama-4", "0.2")], 250).await, 0);

    let book = PriceBook::load(store.read()).await.unwrap();
    let input = |model: &str, at: i64| {
        let priced = book.find(model, None, at).unwrap();
        (
            priced.source,
            priced.sheet.input.unwrap().dollars_per_million(),
        )
    };
    assert_eq!(book.find("llama-4", None, 99), None);
    assert_eq!(input("llama-4", 150), (Source::Declared, "0.1".to_owned()));
    assert_eq!(input("llama-4", 200), (Source::Declared, "0.2".to_owned()));
    assert_eq!(input("gpt-4o", 150), (Source::Declared, "2".to_owned()));
    assert_eq!(input("gpt-4o", 200), (Source::Catalogue, "2.5".to_owned()));
    store.close().await.unwrap();
}
