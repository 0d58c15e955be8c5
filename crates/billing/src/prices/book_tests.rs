//! Which of several prices counts.

use serde_json::{Value, json};
use store::Document;

use super::*;

fn row(id: i64, model: &str, source: &str, effective_from: i64, sheet: Value) -> Price {
    Price {
        id: PriceId(id),
        model: model.to_owned(),
        effective_from,
        sheet: Document(sheet),
        source: source.to_owned(),
        created_by: None,
        created_at: 0,
    }
}

fn found(book: &PriceBook, asked: &str, upstream: Option<&str>, at: i64) -> Option<(i64, Source)> {
    let priced = book.find(asked, upstream, at);
    let sheet = priced.as_ref().map(|priced| Arc::clone(&priced.sheet));
    assert_eq!(book.find_sheet(asked, upstream, at), sheet);
    let priced = priced?;
    Some((priced.id.map_or(0, |id| id.0), priced.source))
}

#[test]
fn an_administrator_wins_over_the_configuration_and_that_over_the_catalogue() {
    let book = PriceBook::of(vec![
        row(1, "gpt-4o", "declared", 100, json!({"input": "1"})),
        row(2, "gpt-4o", "administrator", 200, json!({"input": "2"})),
    ])
    .unwrap();
    assert_eq!(
        found(&book, "gpt-4o", None, 50),
        Some((0, Source::Catalogue))
    );
    assert_eq!(
        found(&book, "gpt-4o", None, 150),
        Some((1, Source::Declared))
    );
    assert_eq!(
        found(&book, "gpt-4o", None, 200),
        Some((2, Source::Administrator))
    );
}

#[test]
fn a_price_counts_from_its_time_on_until_a_later_one() {
    let book = PriceBook::of(vec![
        row(1, "m", "administrator", 100, json!({"input": "1"})),
        row(3, "m", "administrator", 300, json!({"input": "3"})),
        row(2, "m", "administrator", 200, json!({"input": "2"})),
    ])
    .unwrap();
    let ids = [99, 100, 199, 200, 299, 300, 9_000].map(|at| found(&book, "m", None, at));
    let expected = [None, Some(1), Some(1), Some(2), Some(2), Some(3), Some(3)];
    assert_eq!(
        ids,
        expected.map(|id| id.map(|id| (id, Source::Administrator)))
    );
}

#[test]
fn the_model_asked_for_comes_before_the_name_of_the_upstream() {
    let book = PriceBook::of(vec![
        row(1, "fast", "declared", 0, json!({"input": "1"})),
        row(2, "llama-4-mini", "administrator", 0, json!({"input": "2"})),
    ])
    .unwrap();
    let asked = found(&book, "fast", Some("llama-4-mini"), 1);
    assert_eq!(asked, Some((1, Source::Declared)));
    let upstream = found(&book, "quick", Some("llama-4-mini"), 1);
    assert_eq!(upstream, Some((2, Source::Administrator)));
    assert_eq!(found(&book, "quick", Some("unknown"), 1), None);
}

#[test]
fn an_ended_price_gives_way_to_the_next_source() {
    let book = PriceBook::of(vec![
        row(1, "gpt-4o", "declared", 100, json!({"input": "1"})),
        row(2, "gpt-4o", "declared", 200, Value::Null),
    ])
    .unwrap();
    assert_eq!(
        found(&book, "gpt-4o", None, 150),
        Some((1, Source::Declared))
    );
    assert_eq!(
        found(&book, "gpt-4o", None, 250),
        Some((0, Source::Catalogue))
    );
}

#[test]
fn a_price_that_cannot_be_read_is_an_error() {
    let rows = vec![row(7, "m", "administrator", 0, json!({"input": "much"}))];
    let error = PriceBook::of(rows).unwrap_err().to_string();
    assert!(error.contains("price 7 of m"), "{error}");
}
