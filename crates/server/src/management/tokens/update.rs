//! Changing and deleting a token.

use std::sync::Arc;

use axum::extract::State;
use billing::wallet::token_budgets;
use store::shared::Change;
use store::tokens::{self, TokenChanges};
use store::{TokenId, budgets};

use super::ownership::editable;
use super::rights::{name as checked_name, with_rights};
use super::view::TokenView;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Nothing, Patch, Reply, changes_between,
};
use crate::management::users::rules::{self, never_null};
use crate::money::revoke_leases;

with_rights!(
    /// What to change of a token; what is absent stays.
    TokenUpdate {
        /// Which one.
        id: i64,
        /// Another name.
        #[serde(default)]
        name: Patch<String>,
        /// 1 lets it work, 2 pauses it.
        #[serde(default)]
        status: Patch<i64>,
    }
);

/// Changes a token.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(mut input): Input<TokenUpdate>,
) -> Result<Reply<TokenView>, ApiError> {
    let rights = input.take_rights();
    let name = never_null("name", input.name)?;
    let name = name.map(|name| checked_name(&name)).transpose()?;
    let status = never_null("status", input.status)?;
    let status = status.map(rules::status).transpose()?;

    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let (before, owner) = editable(&transaction, &actor, input.id).await?;
    let changes = TokenChanges {
        name,
        status,
        ..rights.check(&transaction, &owner).await?
    };
    let id = before.id;
    let after = tokens::update(&transaction, id, changes).await?;
    let after = after.ok_or_else(|| ApiError::not_found("The token"))?;
    let (had, has) = (token_budgets(&before, now), token_budgets(&after, now));
    budgets::recount(&transaction, &had, &has).await?;
    let (before, view) = (TokenView::of(before), TokenView::of(after));
    let act = Act {
        action: "token.update",
        object_kind: "token",
        object_id: id.to_string(),
        changes: changes_between(&before, &view),
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::Token(id)).await;
    if had != has {
        revoke_leases(&app, owner.id).await;
    }
    Ok(Reply::of(view))
}

/// Deletes a token.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let (token, _) = editable(&transaction, &actor, id).await?;
    tokens::delete(&transaction, token.id).await?;
    let act = Act {
        action: "token.delete",
        object_kind: "token",
        object_id: id.to_string(),
        changes: changes_between(&TokenView::of(token), &()),
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::Token(TokenId(id))).await;
    Ok(Reply::done())
}
