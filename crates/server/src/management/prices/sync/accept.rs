//! Taking over prices that somebody chose, all or none. A line says what counted when it was seen: what
//! changed since is refused, so that nobody accepts something else than they saw. The same lines with
//! both sides exchanged take it back.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use billing::prices::{PriceBook, Source, components_of, with_components};
use billing::pricing::PriceSheet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::Transaction;

use super::view::PricesAccepted;
use crate::app::App;
use crate::management::frame::{Act, ApiError, Identity, Input, Reply};
use crate::management::prices::change::{finish, insert, model_name, next_free};

const MOST_LINES: usize = 1_000;

/// Prices to take over.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AcceptedLines {
    /// 1 to 1,000 lines of a comparison.
    lines: Vec<AcceptedLine>,
}

/// A price to take over.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AcceptedLine {
    /// The model.
    model: String,
    /// Which of its prices.
    component: String,
    /// What counts now; `null` where nothing does.
    present: Option<String>,
    /// What shall count; `null` takes the price out.
    offered: Option<String>,
}

type Lines<'a> = BTreeMap<&'a str, AcceptedLineOf<'a>>;
type AcceptedLineOf<'a> = BTreeMap<&'a str, &'a AcceptedLine>;

/// Takes over prices.
pub(in crate::management::prices) async fn accept(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<AcceptedLines>,
) -> Result<Reply<PricesAccepted>, ApiError> {
    let models = by_model(&input.lines)?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let book = PriceBook::load(&transaction).await;
    let book = book.map_err(|error| ApiError::internal(&error))?;
    let mut accepted = PricesAccepted {
        models: 0,
        lines: 0,
    };
    for (model, lines) in models {
        let Some(sheet) = decide(&book, model, &lines, now)? else {
            continue;
        };
        let from = next_free(&transaction, model, now).await?;
        insert(&transaction, &actor, model.to_owned(), (from, sheet), now).await?;
        note(&transaction, &actor, model, &lines, now).await?;
        accepted.models += 1;
        accepted.lines += lines.len();
    }
    finish(&app, transaction).await?;
    Ok(Reply::of(accepted))
}

fn by_model(lines: &[AcceptedLine]) -> Result<Lines<'_>, ApiError> {
    if lines.is_empty() || lines.len() > MOST_LINES {
        return Err(ApiError::bad_field("lines", "must be 1 to 1000 lines"));
    }
    let mut models = Lines::new();
    for line in lines {
        model_name(&line.model)?;
        let known = models.entry(&line.model).or_default();
        if known.insert(&line.component, line).is_some() {
            let problem = format!("name {} of {} twice", line.component, line.model);
            return Err(ApiError::bad_field("lines", &problem));
        }
    }
    Ok(models)
}

/// What to write for a model: a sheet, or `null` where without a price of its own it costs exactly
/// that; none where it costs that already.
fn decide(
    book: &PriceBook,
    model: &str,
    lines: &AcceptedLineOf<'_>,
    now: i64,
) -> Result<Option<Value>, ApiError> {
    let found = book.find(model, None, now);
    let empty = PriceSheet::default();
    let present = found.as_ref().map_or(&empty, |found| &found.sheet);
    must_be_as_seen(model, present, lines)?;
    let changes = lines.values();
    let changes = changes.map(|line| (line.component.as_str(), line.offered.as_deref()));
    let wanted = with_components(present, changes)
        .map_err(|error| ApiError::bad_field("lines", &format!("{model}: {error}")))?;
    if wanted == *present {
        return Ok(None);
    }
    let beneath = book.beneath_administrators(model, now);
    let is_own = found.is_some_and(|found| found.source == Source::Administrator);
    if is_own && wanted == *beneath.map_or(&empty, AsRef::as_ref) {
        return Ok(Some(Value::Null));
    }
    if wanted == empty {
        let problem = format!("{model} must keep at least one price");
        return Err(ApiError::bad_field("lines", &problem));
    }
    let sheet = serde_json::to_value(&wanted).map_err(|error| ApiError::internal(&error))?;
    Ok(Some(sheet))
}

fn must_be_as_seen(
    model: &str,
    present: &PriceSheet,
    lines: &AcceptedLineOf<'_>,
) -> Result<(), ApiError> {
    let components = components_of(present);
    for line in lines.values() {
        let counts = components.iter().find(|one| one.name == line.component);
        let counts = counts.map(|one| one.dollars.as_str());
        if counts != line.present.as_deref() {
            let component = &line.component;
            let text = format!("{component} of {model} was changed meanwhile; compare again.");
            return Err(ApiError::conflict(text));
        }
    }
    Ok(())
}

async fn note(
    transaction: &Transaction,
    actor: &Identity,
    model: &str,
    lines: &AcceptedLineOf<'_>,
    now: i64,
) -> Result<(), ApiError> {
    let changes: Map<String, Value> = lines
        .values()
        .map(|line| {
            let change = json!({"from": line.present, "to": line.offered});
            (line.component.clone(), change)
        })
        .collect();
    let act = Act {
        action: "price.sync",
        object_kind: "price",
        object_id: model.to_owned(),
        changes: Value::Object(changes),
    };
    Ok(act.note(transaction, actor, now).await?)
}
