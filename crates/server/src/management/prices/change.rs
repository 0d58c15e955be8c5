//! Setting and ending prices. A change is a new row that counts from its time on.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::PriceSheet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::prices::{self, NewPrice, Price};
use store::shared::Change;
use store::{PriceId, StoreError, Transaction};

use super::view::StoredPriceView;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Moment, Nothing, Reply, changes_between,
};

const SOURCE: &str = "administrator";

/// A price to set.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewPriceInput {
    /// The model that clients ask for.
    model: String,
    /// Dollars per million tokens (`input`, `output`, …) or per unit (`per_call`, …).
    prices: Value,
    /// From when on it counts; absent: now.
    effective_from: Option<Moment>,
}

/// Sets a price.
pub(super) async fn set(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<NewPriceInput>,
) -> Result<Reply<StoredPriceView>, ApiError> {
    let model = input.model.trim().to_owned();
    model_name(&model)?;
    let sheet = PriceSheet::from_json(&input.prices)
        .map_err(|error| ApiError::bad_field("prices", &error.to_string()))?;
    if sheet == PriceSheet::default() {
        return Err(ApiError::bad_field(
            "prices",
            "must name at least one price",
        ));
    }
    let now = app.clock().now_ms();
    if input.effective_from.is_some_and(|from| from.0 < now) {
        let problem = "must not be in the past: what was charged stays explained";
        return Err(ApiError::bad_field("effective_from", problem));
    }
    let transaction = app.store().write().await?;
    let from = match input.effective_from {
        Some(from) => from.0,
        None => next_free(&transaction, &model, now).await?,
    };
    let sheet = serde_json::to_value(&sheet).map_err(|error| ApiError::internal(&error))?;
    let price = insert(&transaction, &actor, model, (from, sheet), now).await?;
    let view = StoredPriceView::of(price);
    let act = Act {
        action: "price.set",
        object_kind: "price",
        object_id: view.model.clone(),
        changes: changes_between(&(), &view),
    };
    act.note(&transaction, &actor, now).await?;
    finish(&app, transaction).await?;
    Ok(Reply::of(view))
}

/// Ends a price.
pub(super) async fn end(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let all = prices::all(&transaction).await?;
    let price = all.into_iter().find(|price| price.id == PriceId(id));
    let price = price.ok_or_else(|| ApiError::not_found("The price"))?;
    if price.source != SOURCE {
        let text = "Only prices that an administrator set are ended here.";
        return Err(ApiError::conflict(text).with_code("declared"));
    }
    let model = price.model.clone();
    if price.effective_from > now {
        prices::delete(&transaction, price.id).await?;
    } else {
        let from = next_free(&transaction, &model, now).await?;
        insert(
            &transaction,
            &actor,
            model.clone(),
            (from, Value::Null),
            now,
        )
        .await?;
    }
    let act = Act {
        action: "price.end",
        object_kind: "price",
        object_id: model,
        changes: json!({"prices": {"from": price.sheet.0}}),
    };
    act.note(&transaction, &actor, now).await?;
    finish(&app, transaction).await?;
    Ok(Reply::done())
}

/// Refuses what cannot be the name of a model.
pub(super) fn model_name(model: &str) -> Result<(), ApiError> {
    if model.is_empty() || model.len() > 256 || model.chars().any(char::is_control) {
        return Err(ApiError::bad_field("model", "must be a model's name"));
    }
    Ok(())
}

/// Now, or as soon after it as no other price of the model begins.
pub(super) async fn next_free(
    transaction: &Transaction,
    model: &str,
    now: i64,
) -> Result<i64, ApiError> {
    let rows = prices::history(transaction, model).await?;
    let mut taken: Vec<i64> = rows
        .iter()
        .filter(|row| row.source == SOURCE && row.effective_from >= now)
        .map(|row| row.effective_from)
        .collect();
    taken.sort_unstable();
    let mut free = now;
    for time in taken {
        if time == free {
            free += 1;
        }
    }
    Ok(free)
}

/// Writes a price; `null` ends the former one.
pub(super) async fn insert(
    transaction: &Transaction,
    actor: &Identity,
    model: String,
    (effective_from, sheet): (i64, Value),
    now: i64,
) -> Result<Price, ApiError> {
    let new = NewPrice {
        model,
        effective_from,
        sheet,
        source: SOURCE,
        created_by: Some(actor.id()),
        now,
    };
    prices::insert(transaction, new)
        .await
        .map_err(|error| match error {
            StoreError::Conflict(_) => {
                ApiError::conflict("Another price of this model begins at that very time.")
            }
            other => other.into(),
        })
}

/// Commits, and puts the prices into effect on every node.
pub(super) async fn finish(app: &App, transaction: Transaction) -> Result<(), ApiError> {
    transaction.commit().await?;
    let loaded = app.prices().reload(app.store()).await;
    // Whether they could be read here or not, they count: every node must hear of it.
    announce(app, Change::Prices).await;
    loaded.map_err(|error| ApiError::internal(&error))?;
    Ok(())
}
