//! The login sessions of a user: where one is logged in, and ending that.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::sessions::{self, Session};
use store::shared::Change;
use store::{SessionId, StoreError, UserId, users};

use super::cookies;
use crate::accounts::end_other_sessions;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{Act, ApiError, At, Identity, Moment, Nothing, Reply, may_manage};
use crate::management::users::rules;

/// A login session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Session")]
pub struct SessionView {
    /// The session's id.
    id: i64,
    /// Whether this call came with it.
    is_current: bool,
    /// Where it was made from.
    ip: Option<String>,
    /// The browser or program that made it.
    user_agent: Option<String>,
    /// When it was made.
    created_at: Moment,
    /// When it was last used, to the minute.
    last_seen_at: Moment,
    /// When it ends, unless it is used before.
    expires_at: Moment,
}

/// `GET /api/user/sessions`.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<Vec<SessionView>>, ApiError> {
    Ok(Reply::of(views(&app, &identity, identity.id()).await?))
}

/// `GET /api/user/{id}/sessions`.
pub(super) async fn list_of(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<Vec<SessionView>>, ApiError> {
    let user = rules::existing(app.store().read(), id).await?;
    may_manage(&identity, &user)?;
    Ok(Reply::of(views(&app, &identity, user.id).await?))
}

async fn views(
    app: &App,
    identity: &Identity,
    user: UserId,
) -> Result<Vec<SessionView>, StoreError> {
    let now = app.clock().now_ms();
    let found = sessions::list(app.store().read(), user, now).await?;
    let current = identity.session().map(|session| session.id);
    let show = |session: Session| SessionView {
        id: session.id.0,
        is_current: Some(session.id) == current,
        ip: session.ip,
        user_agent: session.user_agent,
        created_at: Moment(session.created_at),
        last_seen_at: Moment(session.last_seen_at),
        expires_at: Moment(session.expires_at),
    };
    Ok(found.into_iter().map(show).collect())
}

/// `DELETE /api/user/{id}/sessions`: ends all of them, wherever the user is logged in.
pub(super) async fn revoke_of(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let transaction = app.store().write().await?;
    let user = rules::existing(&transaction, id).await?;
    may_manage(&identity, &user)?;
    users::raise_auth_version(&transaction, user.id).await?;
    let act = Act {
        action: "user.end_sessions",
        object_kind: "user",
        object_id: user.id.to_string(),
        changes: json!({}),
    };
    act.note(&transaction, &identity, app.clock().now_ms())
        .await?;
    transaction.commit().await?;
    announce(&app, Change::Sessions(user.id)).await;
    Ok(Reply::done())
}

/// `DELETE /api/user/sessions/{id}`.
pub(super) async fn revoke(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let transaction = app.store().write().await?;
    if !sessions::delete(&transaction, identity.id(), SessionId(id)).await? {
        return Err(ApiError::not_found("The session"));
    }
    let act = Act {
        action: "session.revoke",
        object_kind: "session",
        object_id: id.to_string(),
        changes: json!({}),
    };
    act.note(&transaction, &identity, app.clock().now_ms())
        .await?;
    transaction.commit().await?;
    Ok(Reply::done())
}

/// `DELETE /api/user/sessions`: ends all but the present one, which gets a new secret.
pub(super) async fn revoke_others(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<Nothing>, ApiError> {
    let transaction = app.store().write().await?;
    let kept = identity.session();
    let secret = end_other_sessions(&app, &transaction, identity.id(), kept).await?;
    let act = Act {
        action: "session.revoke_others",
        object_kind: "user",
        object_id: identity.id().to_string(),
        changes: json!({}),
    };
    act.note(&transaction, &identity, app.clock().now_ms())
        .await?;
    transaction.commit().await?;
    let reply = Reply::done();
    Ok(cookies::renewed(&app, &identity.caller, reply, secret))
}
