//! One act on many tokens: all of them or, where one cannot be touched, none.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::shared::Change;
use store::tokens::{self, TokenChanges};
use store::users::Status;
use store::{TokenId, Transaction};

use super::ownership::editable;
use super::view::TokenView;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{Act, ApiError, Identity, Input, Moment, Reply, changes_between};

const MOST: usize = 1_000;

/// What can be done to many tokens.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenAction {
    /// Answers 401 until resumed.
    Pause,
    /// Works again.
    Resume,
    /// Gone.
    Delete,
    /// Ends at `expires_at`.
    Extend,
}

/// An act on many tokens.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TokenBatch {
    /// Which ones.
    ids: Vec<i64>,
    /// What to do.
    action: TokenAction,
    /// For `extend`: the new end; absent: never.
    expires_at: Option<Moment>,
}

/// How many were touched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchDone {
    /// How many.
    count: usize,
}

impl BatchDone {
    /// So many.
    pub fn of(count: usize) -> Self {
        Self { count }
    }
}

/// Acts on many tokens.
pub(super) async fn batch(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(mut input): Input<TokenBatch>,
) -> Result<Reply<BatchDone>, ApiError> {
    input.ids.sort_unstable();
    input.ids.dedup();
    if input.ids.is_empty() || input.ids.len() > MOST {
        return Err(ApiError::bad_field("ids", "must name 1 to 1000 tokens"));
    }
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    for id in &input.ids {
        act_on(&transaction, &actor, *id, &input, now).await?;
    }
    transaction.commit().await?;
    // All at once: whoever leaves meanwhile leaves none of them untold.
    let told = input
        .ids
        .iter()
        .map(|id| announce(&app, Change::Token(TokenId(*id))));
    futures_util::future::join_all(told).await;
    Ok(Reply::of(BatchDone::of(input.ids.len())))
}

async fn act_on(
    transaction: &Transaction,
    actor: &Identity,
    id: i64,
    batch: &TokenBatch,
    now: i64,
) -> Result<(), ApiError> {
    let (token, _) = editable(transaction, actor, id).await?;
    let before = TokenView::of(token);
    let status = |status| TokenChanges {
        status: Some(status),
        ..TokenChanges::default()
    };
    let (action, changes) = match batch.action {
        TokenAction::Pause => ("token.pause", Some(status(Status::Disabled))),
        TokenAction::Resume => ("token.resume", Some(status(Status::Enabled))),
        TokenAction::Delete => ("token.delete", None),
        TokenAction::Extend => {
            let changes = TokenChanges {
                expires_at: Some(batch.expires_at.map(|end| end.0)),
                ..TokenChanges::default()
            };
            ("token.extend", Some(changes))
        }
    };
    let changes = if let Some(changes) = changes {
        let after = tokens::update(transaction, TokenId(id), changes).await?;
        changes_between(&before, &after.map(TokenView::of))
    } else {
        tokens::delete(transaction, TokenId(id)).await?;
        changes_between(&before, &())
    };
    let act = Act {
        action,
        object_kind: "token",
        object_id: id.to_string(),
        changes,
    };
    act.note(transaction, actor, now).await?;
    Ok(())
}
