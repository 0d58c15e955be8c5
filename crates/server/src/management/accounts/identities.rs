//! Identities at identity providers that are linked to one's account.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::{IdentityId, identities, passkeys};

use crate::accounts::sign_in::IdentityProvider;
use crate::app::App;
use crate::management::frame::{Act, ApiError, At, Identity, Moment, Nothing, Reply};

/// A linked identity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IdentityView {
    /// Its id.
    id: i64,
    /// The provider's name in addresses; `null` where it is not configured any more.
    provider: Option<String>,
    /// What people call the provider.
    provider_label: String,
    /// What the provider calls the person.
    label: String,
    /// When it was linked.
    linked_at: Moment,
    /// When it was last logged in with.
    last_used_at: Moment,
}

/// `GET /api/user/identities`.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<Vec<IdentityView>>, ApiError> {
    let linked = identities::list(app.store().read(), identity.id()).await?;
    let config = app.config();
    let show = |linked: identities::Identity| {
        let mut known = IdentityProvider::all(&config);
        let provider = known.find(|one| one.issuer() == linked.issuer);
        let provider_label = provider.map_or(linked.issuer.as_str(), IdentityProvider::label);
        IdentityView {
            id: linked.id.0,
            provider: provider.map(|one| one.name().to_owned()),
            provider_label: provider_label.to_owned(),
            label: linked.label,
            linked_at: Moment(linked.created_at),
            last_used_at: Moment(linked.last_used_at),
        }
    };
    Ok(Reply::of(linked.into_iter().map(show).collect()))
}

/// `DELETE /api/user/identities/{id}`.
pub(super) async fn unlink(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let transaction = app.store().write().await?;
    let linked = identities::list(&transaction, identity.id()).await?;
    let found = linked.iter().find(|linked| linked.id == IdentityId(id));
    let found = found.ok_or_else(|| ApiError::not_found("The identity"))?;
    let has_another_way = identity.user.password_hash.is_some()
        || linked.len() > 1
        || !passkeys::list(&transaction, identity.id())
            .await?
            .is_empty();
    if !has_another_way {
        let text = "It is the only way to log in; set a password first.";
        return Err(ApiError::conflict(text).with_code("last_sign_in"));
    }
    identities::delete(&transaction, identity.id(), found.id).await?;
    let act = Act {
        action: "identity.unlink",
        object_kind: "user",
        object_id: identity.id().to_string(),
        changes: json!({"identity": {"from": found.issuer}}),
    };
    act.note(&transaction, &identity, app.clock().now_ms())
        .await?;
    transaction.commit().await?;
    Ok(Reply::done())
}
