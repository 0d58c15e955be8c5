//! Changing a user, field by field.

use std::sync::Arc;

use axum::extract::State;
use billing::wallet::user_budgets;
use schemars::JsonSchema;
use serde::Deserialize;
use store::shared::Change;
use store::users::{self, Role, Status, User, UserChanges};
use store::{Transaction, access_tokens, budgets, leases, tokens};

use super::account::taken;
use super::balance;
use super::rules::{self, never_null};
use super::view::{UserView, view_of};
use crate::accounts::hash_password;
use crate::app::App;
use crate::background::announce;
use crate::config::Secret;
use crate::management::allowance::{DollarText, budget, limit};
use crate::management::frame::{
    Act, ApiError, Identity, Input, Patch, Reply, changes_between, may_give, may_manage,
    require_step_up_over,
};
use crate::money::{revoke_leases, write_charges};

/// What to change of a user; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UserUpdate {
    /// Whom.
    id: i64,
    /// A new login name.
    #[serde(default)]
    username: Patch<String>,
    /// A new password; empty: unchanged.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    password: Patch<Secret>,
    /// A new name to show.
    #[serde(default)]
    display_name: Patch<String>,
    /// A new e-mail address; `null` removes it.
    #[serde(default)]
    email: Patch<String>,
    /// A new note.
    #[serde(default)]
    remark: Patch<String>,
    /// Another group.
    #[serde(default)]
    group: Patch<String>,
    /// Another role: 1, 10 or 100.
    #[serde(default)]
    role: Patch<i64>,
    /// 1 enables, 2 disables.
    #[serde(default)]
    status: Patch<i64>,
    /// The new balance in quota units.
    #[serde(default)]
    quota: Patch<i64>,
    /// Calls a minute of all the user's tokens together; `null` or 0: no limit.
    #[serde(default)]
    rpm: Patch<i64>,
    /// Model tokens a minute; `null` or 0: no limit.
    #[serde(default)]
    tpm: Patch<i64>,
    /// Calls at once; `null` or 0: no limit.
    #[serde(default)]
    concurrency: Patch<i64>,
    /// What all calls may ever cost; `null`: what the wallet holds.
    #[serde(default)]
    budget_total: Patch<i64>,
    /// The same in dollars.
    #[serde(default)]
    budget_total_usd: Patch<DollarText>,
    /// What the calls of a day may cost; `null`: what the wallet holds.
    #[serde(default)]
    budget_daily: Patch<i64>,
    /// The same in dollars.
    #[serde(default)]
    budget_daily_usd: Patch<DollarText>,
    /// What the calls of a week may cost; `null`: what the wallet holds.
    #[serde(default)]
    budget_weekly: Patch<i64>,
    /// The same in dollars.
    #[serde(default)]
    budget_weekly_usd: Patch<DollarText>,
    /// What the calls of a month may cost; `null`: what the wallet holds.
    #[serde(default)]
    budget_monthly: Patch<i64>,
    /// The same in dollars.
    #[serde(default)]
    budget_monthly_usd: Patch<DollarText>,
    /// Why the balance changes.
    reason: Option<String>,
}

/// Changes a user.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(mut input): Input<UserUpdate>,
) -> Result<Reply<UserView>, ApiError> {
    let quota = never_null("quota", std::mem::take(&mut input.quota))?;
    let reason = balance::reason(input.reason.as_deref(), &actor)?;
    let id = input.id;
    let changes = read(&app, input).await?;

    if quota.is_some() {
        write_charges(&app).await;
    }
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = rules::existing(&transaction, id).await?;
    check(&transaction, &actor, &before, &changes).await?;
    let roles = [before.role, changes.role.unwrap_or(before.role)];
    require_step_up_over(&app, &actor, roles)?;
    let shown_before = view_of(&transaction, before.clone()).await?;
    let ends_sessions = ends_sessions(&before, &changes);
    let has_new_password = changes.password_hash.is_some();
    let updated = users::update(&transaction, before.id, changes).await;
    let after = updated
        .map_err(taken)?
        .ok_or_else(|| ApiError::not_found("The user"))?;
    let (had, has) = (user_budgets(&before, now), user_budgets(&after, now));
    if quota.is_some() || had != has {
        // First of all, since leases come first in the order of locks.
        leases::recall(&transaction, before.id, "", now).await?;
    }
    // Before the balance, as whoever spends takes from budgets before wallets.
    budgets::recount(&transaction, &had, &has).await?;
    let mut lowers = had != has || (ends_sessions && after.status == Status::Disabled);
    if let Some(quota) = quota
        && let Some(nanos) = balance::difference(&transaction, before.id, quota).await?
    {
        balance::change(&transaction, &actor, before.id, (nanos, reason), now).await?;
        lowers |= nanos < 0;
    }
    if ends_sessions {
        users::raise_auth_version(&transaction, after.id).await?;
    }
    if has_new_password {
        access_tokens::delete_all(&transaction, after.id).await?;
    }
    if loses_groups(&before, &after) {
        tokens::keep_to_group(&transaction, after.id, &after.group_name).await?;
    }
    let view = view_of(&transaction, after.clone()).await?;
    let mut differences = changes_between(&shown_before, &view);
    if has_new_password && let Some(fields) = differences.as_object_mut() {
        fields.insert("password".to_owned(), serde_json::json!({"to": "changed"}));
    }
    let act = Act {
        action: "user.update",
        object_kind: "user",
        object_id: id.to_string(),
        changes: differences,
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::User(before.id)).await;
    if ends_sessions {
        announce(&app, Change::Sessions(before.id)).await;
    }
    if !lowers {
        return Ok(Reply::of(view));
    }
    revoke_leases(&app, before.id).await;
    // What leases gave back may have paid what the wallet owed.
    Ok(Reply::of(view_of(app.store().read(), after).await?))
}

/// Checks what can be checked without the user.
async fn read(app: &App, input: UserUpdate) -> Result<UserChanges, ApiError> {
    let username = never_null("username", input.username)?;
    let password = never_null("password", input.password)?;
    let password = password.filter(|password| !password.is_empty());
    let role = never_null("role", input.role)?;
    let status = never_null("status", input.status)?;
    let email = input.email.into_change();
    let email = email.map(|email| email.filter(|text| !text.trim().is_empty()));
    let password_hash = match password {
        Some(password) => {
            rules::password(app, &password)?;
            Some(Some(hash_password(password, app.randomness()).await?))
        }
        None => None,
    };
    let checked = |patch: Patch<String>, check: fn(&str) -> Result<String, ApiError>| {
        let text = patch.or_cleared(String::new());
        text.map(|text| check(&text)).transpose()
    };
    Ok(UserChanges {
        username: username.map(|name| rules::username(&name)).transpose()?,
        email: email
            .map(|email| email.map(|text| rules::email(&text)).transpose())
            .transpose()?,
        display_name: checked(input.display_name, rules::display_name)?,
        remark: checked(input.remark, rules::remark)?,
        password_hash,
        role: role.map(rules::role).transpose()?,
        status: status.map(rules::status).transpose()?,
        group_name: never_null("group", input.group)?,
        rpm: limit("rpm", input.rpm)?.into_change(),
        tpm: limit("tpm", input.tpm)?.into_change(),
        concurrency: limit("concurrency", input.concurrency)?.into_change(),
        budget_total_nanos: budget("budget_total", &input.budget_total, input.budget_total_usd)?
            .into_change(),
        budget_daily_nanos: budget("budget_daily", &input.budget_daily, input.budget_daily_usd)?
            .into_change(),
        budget_weekly_nanos: budget(
            "budget_weekly",
            &input.budget_weekly,
            input.budget_weekly_usd,
        )?
        .into_change(),
        budget_monthly_nanos: budget(
            "budget_monthly",
            &input.budget_monthly,
            input.budget_monthly_usd,
        )?
        .into_change(),
        ..UserChanges::default()
    })
}

/// Checks what depends on who the user is.
async fn check(
    transaction: &Transaction,
    actor: &Identity,
    before: &User,
    changes: &UserChanges,
) -> Result<(), ApiError> {
    may_manage(actor, before)?;
    if let Some(role) = changes.role.filter(|role| *role != before.role) {
        may_give(actor, role)?;
    }
    if let Some(group) = &changes.group_name {
        rules::group(transaction, group).await?;
    }
    let loses_root = changes.role.is_some_and(|role| role != Role::Root);
    let is_disabled = changes.status == Some(Status::Disabled);
    if loses_root || is_disabled {
        rules::keep_a_root(transaction, before).await?;
    }
    Ok(())
}

/// Tokens may have been given groups that their owner could use before and cannot any more.
fn loses_groups(before: &User, after: &User) -> bool {
    let is_moved = after.group_name != before.group_name || after.role != before.role;
    is_moved && after.role < Role::Administrator
}

/// What a session was granted for is gone: the password, the role, or the account's being on.
fn ends_sessions(before: &User, changes: &UserChanges) -> bool {
    changes.password_hash.is_some()
        || changes.role.is_some_and(|role| role != before.role)
        || changes.status.is_some_and(|status| status != before.status)
}
