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
use crate::accounts::{
    Client, Guess, begin_try, end_other_sessions, hash_password, hold_session, is_password_of,
};
use crate::app::App;
use crate::config::Secret;
use crate::management::allowance::{DollarText, budget};
use crate::management::frame::{
    Act, ApiError, Identity, Input, Patch, Reply, changes_between, require_proof,
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
        must_be_logged_in(&identity)?;
        require_proof(&app, &identity, "email.change").await?;
    }
    let password_hash = match input.password {
        None => None,
        Some(password) => {
            may_change_password(&app, &identity, input.original_password).await?;
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
        must_be_own(&app, &transaction, &client, Some(address), code).await?;
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

/// A new password takes a login session, the present one, and the second factor where there is one.
async fn may_change_password(
    app: &App,
    identity: &Identity,
    original: Option<Secret>,
) -> Result<(), ApiError> {
    must_be_logged_in(identity)?;
    require_proof(app, identity, "password.change").await?;
    must_be_password(app, identity, "original_password", original).await
}

/// Refuses an access token: whoever found one must not get the account with it, by its password or by
/// the address that a new one is mailed to.
fn must_be_logged_in(identity: &Identity) -> Result<(), ApiError> {
    if identity.session().is_some() {
        return Ok(());
    }
    let text = "Passwords and e-mail addresses are changed in a login session; an access token is \
                not enough.";
    Err(ApiError::forbidden(text).with_code("session_required"))
}

/// Refuses whoever does not know the account's password, where it has one.
pub(super) async fn must_be_password(
    app: &App,
    identity: &Identity,
    field: &'static str,
    given: Option<Secret>,
) -> Result<(), ApiError> {
    let Some(stored) = &identity.user.password_hash else {
        return Ok(());
    };
    let given = given.ok_or_else(|| ApiError::missing(&[field]))?;
    let guess = Guess::Password(&identity.user.username);
    let attempt = begin_try(app, guess, identity.caller.address).await?;
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
