//! Personal access tokens: what scripts use in place of a login session.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::AccessTokenId;
use store::access_tokens::{self, AccessToken};

use crate::accounts::hold_session;
use crate::app::App;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Moment, Nothing, PAT_PREFIX, PAT_PURPOSE, Reply,
    changes_between, require_proof,
};
use crate::secrets::{hash_token, random_text};

const CHARACTERS: usize = 48;
const LONGEST_NAME: usize = 64;
/// How many a user may have.
const MOST: usize = 100;

/// A personal access token.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccessToken")]
pub struct AccessTokenView {
    /// The token's id.
    id: i64,
    /// What its user calls it.
    name: String,
    /// When it was made.
    created_at: Moment,
    /// When it ends, if ever.
    expires_at: Option<Moment>,
    /// When it was last used, to the minute.
    last_used_at: Option<Moment>,
}

impl AccessTokenView {
    fn of(token: AccessToken) -> Self {
        Self {
            id: token.id.0,
            name: token.name,
            created_at: Moment(token.created_at),
            expires_at: token.expires_at.map(Moment),
            last_used_at: token.last_used_at.map(Moment),
        }
    }
}

/// `GET /api/user/pat`.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<Vec<AccessTokenView>>, ApiError> {
    let found = access_tokens::list(app.store().read(), identity.id()).await?;
    Ok(Reply::of(
        found.into_iter().map(AccessTokenView::of).collect(),
    ))
}

/// A token to make.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewAccessToken {
    /// What its user calls it.
    name: String,
    /// When it ends; absent or `null`: never.
    expires_at: Option<Moment>,
}

/// A new token.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeAccessToken {
    /// The token's id.
    id: i64,
    /// The token itself, which is not shown again.
    token: String,
    /// What its user calls it.
    name: String,
    /// When it ends, if ever.
    expires_at: Option<Moment>,
}

/// `POST /api/user/pat`.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(input): Input<NewAccessToken>,
) -> Result<Reply<MadeAccessToken>, ApiError> {
    let now = app.clock().now_ms();
    let name = input.name.trim();
    let is_name = (1..=LONGEST_NAME).contains(&name.chars().count());
    if !is_name || name.chars().any(char::is_control) {
        return Err(ApiError::bad_field(
            "name",
            "must have 1 to 64 visible characters",
        ));
    }
    if input.expires_at.is_some_and(|end| end.0 <= now) {
        return Err(ApiError::bad_field("expires_at", "must be in the future"));
    }
    require_proof(&app, &identity, "access_token.create").await?;
    let token = format!("{PAT_PREFIX}{}", random_text(app.randomness(), CHARACTERS));
    let hash = hash_token(app.keys(), PAT_PURPOSE, &token);
    let transaction = app.store().write().await?;
    hold_session(&transaction, identity.session()).await?;
    if access_tokens::list(&transaction, identity.id())
        .await?
        .len()
        >= MOST
    {
        return Err(ApiError::conflict(
            "You have 100 access tokens; delete one first.",
        ));
    }
    let expires_at = input.expires_at.map(|end| end.0);
    let made =
        access_tokens::insert(&transaction, identity.id(), name, &hash, expires_at, now).await?;
    let view = AccessTokenView::of(made);
    let act = Act {
        action: "access_token.create",
        object_kind: "access_token",
        object_id: view.id.to_string(),
        changes: changes_between(&(), &view),
    };
    act.note(&transaction, &identity, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(MadeAccessToken {
        id: view.id,
        token,
        name: view.name,
        expires_at: view.expires_at,
    }))
}

/// `DELETE /api/user/pat/{id}`.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let transaction = app.store().write().await?;
    if !access_tokens::delete(&transaction, identity.id(), AccessTokenId(id)).await? {
        return Err(ApiError::not_found("The access token"));
    }
    let act = Act {
        action: "access_token.delete",
        object_kind: "access_token",
        object_id: id.to_string(),
        changes: json!({}),
    };
    act.note(&transaction, &identity, app.clock().now_ms())
        .await?;
    transaction.commit().await?;
    Ok(Reply::done())
}
