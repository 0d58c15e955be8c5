//! Leaving: users delete their own accounts.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::shared::Change;
use store::users;

use super::profile::must_be_owner;
use crate::accounts::Client;
use crate::app::App;
use crate::background::announce;
use crate::config::Secret;
use crate::management::frame::{Act, ApiError, Identity, Input, Nothing, Reply};
use crate::management::users::rules;

/// Who leaves shows that it is their own account.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Leaving {
    /// The password, where there is one.
    #[schemars(with = "Option<String>")]
    password: Option<Secret>,
}

/// `DELETE /api/user/self`.
pub(super) async fn leave(
    State(app): State<Arc<App>>,
    identity: Identity,
    client: Client,
    Input(input): Input<Leaving>,
) -> Result<Reply<Nothing>, ApiError> {
    must_be_owner(&app, &identity, &client, ("password", input.password)).await?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    rules::keep_a_root(&transaction, &identity.user).await?;
    let act = Act {
        action: "user.leave",
        object_kind: "user",
        object_id: identity.id().to_string(),
        changes: json!({}),
    };
    act.note(&transaction, &identity, now).await?;
    users::delete(&transaction, identity.id(), now).await?;
    transaction.commit().await?;
    announce(&app, Change::User(identity.id())).await;
    announce(&app, Change::Sessions(identity.id())).await;
    Ok(Reply::done())
}
