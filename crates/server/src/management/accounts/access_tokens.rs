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
    AccessScope, Act, ApiError, At, Identity, Input, Moment, Nothing, PAT_PREFIX, PAT_PURPOSE,
    Reply, changes_between,
};
use crate::secrets::{hash_token, random_text};

const CHARACTERS: usize = 48;
const LONGEST_NAME: usize = 64;
/// How many a user may have.
const MOST: usize = 100;
const DAY_MS: i64 = 86_400_000;
/// How long a token lives unless its user says otherwise.
const LIFE_MS: i64 = 90 * DAY_MS;
const LONGEST_LIFE_MS: i64 = 365 * DAY_MS;

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
    /// What it may do.
    scopes: Vec<AccessScope>,
    /// When it ends.
    expires_at: Moment,
    /// When it was last used, to the minute.
    last_used_at: Option<Moment>,
}

impl AccessTokenView {
    fn of(token: AccessToken) -> Self {
        Self {
            id: token.id.0,
            name: token.name,
            created_at: Moment(token.created_at),
            scopes: AccessScope::split(&token.scopes),
            expires_at: Moment(token.expires_at),
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
    /// What it may do: `read`, `write` (changes that move no money), `billing` (top-ups, redemption, transfers, balances and
    /// prices). Absent: all three.
    scopes: Option<Vec<AccessScope>>,
    /// When it ends, within a year; absent or `null`: in 90 days.
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
    /// What it may do.
    scopes: Vec<AccessScope>,
    /// When it ends.
    expires_at: Moment,
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
    let expires_at = expiry(input.expires_at, now)?;
    let scopes = scopes(input.scopes)?;
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
    let new = access_tokens::NewAccessToken {
        user_id: identity.id(),
        name,
        secret_hash: &hash,
        scopes: &AccessScope::joined(&scopes),
        expires_at,
    };
    let made = access_tokens::insert(&transaction, new, now).await?;
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
        scopes: view.scopes,
        expires_at: view.expires_at,
    }))
}

/// When a token ends that is made now.
fn expiry(given: Option<Moment>, now: i64) -> Result<i64, ApiError> {
    let end = given.map_or(now + LIFE_MS, |end| end.0);
    if end <= now {
        return Err(ApiError::bad_field("expires_at", "must be in the future"));
    }
    if end > now + LONGEST_LIFE_MS {
        return Err(ApiError::bad_field("expires_at", "must be within a year"));
    }
    Ok(end)
}

/// The scopes of a token, each once.
fn scopes(given: Option<Vec<AccessScope>>) -> Result<Vec<AccessScope>, ApiError> {
    let mut scopes = given.unwrap_or_else(|| AccessScope::ALL.to_vec());
    if scopes.is_empty() {
        return Err(ApiError::bad_field("scopes", "must name a scope"));
    }
    scopes.sort_unstable();
    scopes.dedup();
    Ok(scopes)
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
