//! Acts on a user that are no change of fields, and the short forms of some that are.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::shared::Change;
use store::users::{self, Status, User, UserChanges};
use store::{Transaction, access_tokens, passkeys, two_factor};

use super::view::{UserView, view_of};
use super::{balance, rules};
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Nothing, Reply, changes_between, may_manage,
    require_step_up_over,
};
use crate::money::{revoke_leases, write_charges};

/// What can be done to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Lets the user log in and call again.
    Enable,
    /// Ends sessions; tokens answer 401.
    Disable,
    /// Removes the account.
    Delete,
    /// Adds `value` to the balance.
    AddQuota,
    /// Removes the second factor and the passkeys of somebody who lost them.
    #[serde(rename = "reset_2fa")]
    ResetTwoFactor,
}

/// An act on a user.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Management {
    /// Whom.
    id: i64,
    /// What to do.
    action: Action,
    /// For `add_quota`: how many quota units; below zero takes away.
    value: Option<i64>,
    /// Why the balance changes.
    reason: Option<String>,
}

/// Acts on a user.
pub(super) async fn manage(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<Management>,
) -> Result<Reply<Option<UserView>>, ApiError> {
    if input.action == Action::AddQuota {
        write_charges(&app).await;
    }
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = rules::existing(&transaction, input.id).await?;
    may_manage(&actor, &before)?;
    require_step_up_over(&app, &actor, [before.role])?;
    if input.action == Action::Delete {
        remove(&transaction, &actor, &before, now).await?;
        finish(&app, transaction, &before, true).await?;
        return Ok(Reply::of(None));
    }
    let shown_before = view_of(&transaction, before.clone()).await?;
    match input.action {
        Action::Enable => set_status(&transaction, &before, Status::Enabled).await?,
        Action::Disable => set_status(&transaction, &before, Status::Disabled).await?,
        Action::AddQuota => {
            let value = input.value.unwrap_or(0);
            let nanos = balance::addition(&transaction, before.id, value).await?;
            let reason = balance::reason(input.reason.as_deref(), &actor)?;
            balance::change(&transaction, &actor, before.id, (nanos, reason), now).await?;
        }
        Action::ResetTwoFactor => forget_factors(&transaction, &before).await?,
        Action::Delete => {}
    }
    let after = rules::existing(&transaction, input.id).await?;
    let view = view_of(&transaction, after.clone()).await?;
    let act = Act {
        action: act_name(input.action),
        object_kind: "user",
        object_id: before.id.to_string(),
        changes: changes_between(&shown_before, &view),
    };
    act.note(&transaction, &actor, now).await?;
    let lowers = match input.action {
        Action::Disable => true,
        Action::AddQuota => input.value.is_some_and(|value| value < 0),
        _ => false,
    };
    finish(&app, transaction, &before, lowers).await?;
    // What leases gave back may have paid what the wallet owed.
    let after = view_of(app.store().read(), after).await?;
    Ok(Reply::of(Some(after)))
}

/// Deletes a user.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let user = rules::existing(&transaction, id).await?;
    may_manage(&actor, &user)?;
    require_step_up_over(&app, &actor, [user.role])?;
    remove(&transaction, &actor, &user, now).await?;
    finish(&app, transaction, &user, true).await?;
    Ok(Reply::done())
}

/// Commits and tells every node; takes leases back if the user may spend less than before.
async fn finish(
    app: &App,
    transaction: Transaction,
    user: &User,
    lowers: bool,
) -> Result<(), ApiError> {
    transaction.commit().await?;
    announce(app, Change::User(user.id)).await;
    announce(app, Change::Sessions(user.id)).await;
    if lowers {
        revoke_leases(app, user.id).await;
    }
    Ok(())
}

async fn remove(
    transaction: &Transaction,
    actor: &Identity,
    user: &User,
    now: i64,
) -> Result<(), ApiError> {
    if actor.id() == user.id {
        return Err(ApiError::conflict("Nobody deletes their own account here."));
    }
    rules::keep_a_root(transaction, user).await?;
    let view = view_of(transaction, user.clone()).await?;
    users::delete(transaction, user.id, now).await?;
    let act = Act {
        action: "user.delete",
        object_kind: "user",
        object_id: user.id.to_string(),
        changes: changes_between(&view, &json!({})),
    };
    act.note(transaction, actor, now).await?;
    Ok(())
}

async fn set_status(
    transaction: &Transaction,
    user: &User,
    status: Status,
) -> Result<(), ApiError> {
    if user.status == status {
        return Ok(());
    }
    if status == Status::Disabled {
        rules::keep_a_root(transaction, user).await?;
    }
    let changes = UserChanges {
        status: Some(status),
        ..UserChanges::default()
    };
    users::update(transaction, user.id, changes).await?;
    users::raise_auth_version(transaction, user.id).await?;
    Ok(())
}

/// Sessions and access tokens that somebody with the lost factor may have made end with it.
async fn forget_factors(transaction: &Transaction, user: &User) -> Result<(), ApiError> {
    two_factor::delete(transaction, user.id).await?;
    for passkey in passkeys::list(transaction, user.id).await? {
        passkeys::delete(transaction, user.id, passkey.id).await?;
    }
    access_tokens::delete_all(transaction, user.id).await?;
    users::raise_auth_version(transaction, user.id).await?;
    Ok(())
}

fn act_name(action: Action) -> &'static str {
    match action {
        Action::Enable => "user.enable",
        Action::Disable => "user.disable",
        Action::Delete => "user.delete",
        Action::AddQuota => "user.add_quota",
        Action::ResetTwoFactor => "user.reset_2fa",
    }
}
