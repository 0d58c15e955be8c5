//! Making a token.

use std::sync::Arc;

use axum::extract::State;
use store::tokens::{self, NewToken};

use super::rights::{self, with_rights};
use super::view::TokenView;
use crate::app::App;
use crate::management::frame::{Act, ApiError, Identity, Input, Reply, changes_between};
use crate::tokens::issue;

with_rights!(
    /// A token to make.
    NewTokenInput {
        /// What its owner calls it.
        name: String,
    }
);

/// Makes a token of the caller's.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(mut input): Input<NewTokenInput>,
) -> Result<Reply<TokenView>, ApiError> {
    let name = rights::name(&input.name)?;
    let rights = input.take_rights();
    let issued = issue(app.keys(), app.randomness());
    let now = app.clock().now_ms();
    let new = NewToken {
        user_id: actor.id(),
        name,
        prefix: issued.prefix,
        secret_hash: issued.hash.to_vec(),
        is_declared: false,
        now,
    };
    let transaction = app.store().write().await?;
    let rights = rights.check(&transaction, &actor.user).await?;
    let token = tokens::insert(&transaction, new, rights).await?;
    let view = TokenView::of(token);
    let act = Act {
        action: "token.create",
        object_kind: "token",
        object_id: view.id.to_string(),
        changes: changes_between(&(), &view),
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(view.showing(&issued.secret)))
}
