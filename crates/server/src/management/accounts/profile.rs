//! What users see and change of themselves.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::Transaction;
use store::users::{self, UserChanges};

use super::cookies;
use super::mail::must_be_own;
use super::register::must_be_allowed;
use crate::accounts::{
    Client, Guess, begin_try, end_other_sessions, has_second_factor, hash_password, hold_session,
    is_password_of,
};
use crate::app::App;
use crate::config::Secret;
use crate::management::allowance::{DollarText, budget};
use crate::management::frame::{
    Act, ApiError, Identity, Input, Patch, Reply, changes_between, require_step_up,
};
use crate::management::users::{UserView, rules, taken, view_of};

/// `GET /api/user/self`.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<UserView>, ApiError> {
    Ok(Reply::of(view_of(app.store().read(), identity.user).await?))
}

/// What users change of themselves. Absent is unchanged; `null` clears.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ProfileInput {
    /// The name to show.
    display_name: Option<String>,
    /// The e-mail address.
    #[serde(default)]
    email: Patch<String>,
    /// Below which balance to get a mail, in dollars; 0 is never, `null` the default of `GET /api/status`.
    #[serde(default)]
    low_balance_usd: Patch<DollarText>,
    /// The code that was mailed to a new address; needed where a mail server is configured.
    verification_code: Option<String>,
    /// A new password; ends all other sessions.
    #[schemars(with = "Option<String>")]
    password: Option<Secret>,
    /// The present password, where there is one; needed for a new one.
    #[schemars(with = "Option<String>")]
    original_password: Option<Secret>,
}

/// `PUT /api/user/self`.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    identity: Identity,
    client: Client,
    Input(input): Input<ProfileInput>,
) -> Result<Reply<UserView>, ApiError> {
    let display_name = input
        .display_name
        .as_deref()
        .map(rules::display_name)
        .transpose()?;
    let email = match input.email {
        Patch::Set(text) if text.trim().is_empty() => Patch::Clear,
        Patch::Set(text) => Patch::Set(rules::email(&text)?),
        unset => unset,
    };
    let low_balance = budget("low_balance", &Patch::Absent, input.low_balance_usd)?;
    let has_new_email = email != Patch::Absent
        && email.value().map(String::as_str) != identity.user.email.as_deref();
    if has_new_email {
        require_step_up(&app, &identity)?;
        if let Some(address) = email.value() {
            must_be_allowed(&app.config(), address)?;
        }
    }
    let password_hash = match input.password {
        None => None,
        Some(password) => {
            let original = input.original_password;
            must_be_owner(&app, &identity, &client, ("original_password", original)).await?;
            rules::password(&app, &password)?;
            Some(hash_password(password, app.randomness()).await?)
        }
    };
    let changes = UserChanges {
        display_name,
        email: email.into_change(),
        password_hash: password_hash.clone().map(Some),
        low_balance_nanos: low_balance.into_change(),
        ..UserChanges::default()
    };
    let transaction = app.store().write().await?;
    if has_new_email {
        hold_session(&transaction, identity.session()).await?;
    }
    if has_new_email && let Some(Some(address)) = &changes.email {
        let code = input.verification_code.as_deref();
        let client = (&client, Some(identity.id()));
        must_be_own(&app, &transaction, client, Some(address), code).await?;
    }
    let view = write(&app, &transaction, &identity, changes).await?;
    let mut secret = None;
    if password_hash.is_some() {
        let kept = identity.session();
        secret = end_other_sessions(&app, &transaction, identity.id(), kept).await?;
    }
    transaction.commit().await?;
    let reply = Reply::of(view);
    Ok(cookies::renewed(&app, &identity.caller, reply, secret))
}

/// Refuses whoever is not the account's owner. The present password is a proof by itself, unless the
/// account has none or has a second factor too: then it takes a step-up.
pub(super) async fn must_be_owner(
    app: &App,
    identity: &Identity,
    client: &Client,
    (field, password): (&'static str, Option<Secret>),
) -> Result<(), ApiError> {
    if identity.session().is_none() {
        return Err(ApiError::session_required());
    }
    let has_password = identity.user.password_hash.is_some();
    if !has_password || has_second_factor(app.store().read(), identity.id()).await? {
        require_step_up(app, identity)?;
    }
    must_be_password(app, identity, client, (field, password)).await
}

/// Refuses whoever does not know the account's password, where it has one.
pub(super) async fn must_be_password(
    app: &App,
    identity: &Identity,
    client: &Client,
    (field, given): (&'static str, Option<Secret>),
) -> Result<(), ApiError> {
    let Some(stored) = &identity.user.password_hash else {
        return Ok(());
    };
    let given = given.ok_or_else(|| ApiError::missing(&[field]))?;
    let guess = Guess::Password(&identity.user.username);
    let device = client.device_of(app, identity.id());
    let attempt = begin_try(app, guess, client, device.as_ref()).await?;
    if !is_password_of(Some(stored.clone()), given).await? {
        tracing::info!(user = %identity.id(), "wrong present password");
        let text = format!("{field}: is wrong");
        return Err(ApiError::forbidden(text).with_code("password_wrong"));
    }
    attempt.forgive(app).await;
    Ok(())
}

async fn write(
    app: &App,
    transaction: &Transaction,
    identity: &Identity,
    changes: UserChanges,
) -> Result<UserView, ApiError> {
    let has_new_password = changes.password_hash.is_some();
    let before = view_of(transaction, identity.user.clone()).await?;
    let user = users::update(transaction, identity.id(), changes)
        .await
        .map_err(taken)?;
    let user = user.ok_or_else(|| ApiError::not_found("The user"))?;
    let after = view_of(transaction, user).await?;
    let mut changes = changes_between(&before, &after);
    if has_new_password {
        changes["password"] = json!({"to": "changed"});
    }
    let act = Act {
        action: "user.update_self",
        object_kind: "user",
        object_id: identity.id().to_string(),
        changes,
    };
    act.note(transaction, identity, app.clock().now_ms())
        .await?;
    Ok(after)
}
