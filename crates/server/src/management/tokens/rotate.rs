//! A new secret for a token. The former one dies at once, or after an overlap in which both work.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::shared::Change;
use store::tokens;

use super::ownership::own;
use super::view::TokenView;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{Act, ApiError, At, Identity, Input, Reply};
use crate::tokens::issue;

/// Thirty days: who needs longer makes a second token.
const LONGEST_OVERLAP_S: i64 = 30 * 86_400;

/// How a secret gives way to the next.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Rotation {
    /// How many seconds the former secret still works.
    #[serde(default)]
    #[schemars(range(min = 0, max = 2_592_000))]
    overlap_s: i64,
}

/// Gives a token a new secret.
pub(super) async fn rotate(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
    Input(rotation): Input<Rotation>,
) -> Result<Reply<TokenView>, ApiError> {
    let overlap = rotation.overlap_s;
    if !(0..=LONGEST_OVERLAP_S).contains(&overlap) {
        let problem = "must be between 0 and 2592000 seconds";
        return Err(ApiError::bad_field("overlap_s", problem));
    }
    let issued = issue(app.keys(), app.randomness());
    let now = app.clock().now_ms();
    let until = (overlap > 0).then(|| now + overlap * 1_000);
    let transaction = app.store().write().await?;
    let token = own(&transaction, &actor, id).await?.id;
    tokens::rotate(&transaction, token, &issued.prefix, &issued.hash, until).await?;
    let rotated = tokens::get(&transaction, token).await?;
    let rotated = rotated.ok_or_else(|| ApiError::not_found("The token"))?;
    let act = Act {
        action: "token.rotate",
        object_kind: "token",
        object_id: id.to_string(),
        changes: json!({"prefix": {"to": issued.prefix}, "overlap_s": {"to": overlap}}),
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::Token(token)).await;
    Ok(Reply::of(TokenView::of(rotated).showing(&issued.secret)))
}
