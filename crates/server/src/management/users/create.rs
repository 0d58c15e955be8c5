//! Making a user.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::StoreError;
use store::users::{self, NewUser, Role};

use super::view::{UserView, view_of};
use super::{balance, rules};
use crate::accounts::{DEFAULT_GROUP, hash_password};
use crate::app::App;
use crate::config::Secret;
use crate::management::frame::{Act, ApiError, Identity, Input, Reply, changes_between, may_give};
use crate::secrets::random_text;

const AFF_CODE_CHARACTERS: usize = 8;

/// A user to make.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewUserInput {
    /// The login name.
    username: String,
    /// The password.
    #[schemars(with = "String")]
    password: Secret,
    /// The name to show; absent: the login name.
    display_name: Option<String>,
    /// The e-mail address.
    email: Option<String>,
    /// An existing group; absent: `default`.
    group: Option<String>,
    /// 1, 10 or 100; absent: 1.
    role: Option<i64>,
    /// What the wallet begins with, in quota units.
    quota: Option<i64>,
    /// Why it does.
    reason: Option<String>,
}

/// Makes a user.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<NewUserInput>,
) -> Result<Reply<UserView>, ApiError> {
    let role = input.role.map_or(Ok(Role::User), rules::role)?;
    may_give(&actor, role)?;
    rules::password(&app, &input.password)?;
    let username = rules::username(&input.username)?;
    let display_name = input.display_name.as_deref().unwrap_or(&username);
    let display_name = rules::display_name(display_name)?;
    let email = input.email.as_deref().filter(|text| !text.is_empty());
    let email = email.map(rules::email).transpose()?;
    let group_name = input.group.unwrap_or_else(|| DEFAULT_GROUP.to_owned());
    let nanos = balance::amount(input.quota.unwrap_or(0))?;
    let reason = balance::reason(input.reason.as_deref(), &actor)?;
    let password_hash = hash_password(input.password, app.randomness()).await?;

    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    rules::group(&transaction, &group_name).await?;
    let new = NewUser {
        username,
        email,
        display_name,
        password_hash: Some(password_hash),
        role,
        group_name,
        aff_code: random_text(app.randomness(), AFF_CODE_CHARACTERS),
        inviter_id: None,
        created_at: now,
    };
    let user = users::insert(&transaction, new).await.map_err(taken)?;
    balance::begin_with(&transaction, user.id, nanos, reason, now).await?;
    let id = user.id;
    let view = view_of(&transaction, user).await?;
    let act = Act {
        action: "user.create",
        object_kind: "user",
        object_id: id.to_string(),
        changes: changes_between(&(), &view),
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await.map_err(StoreError::from)?;
    Ok(Reply::of(view))
}

/// Names and addresses are unique among users that are not deleted.
pub fn taken(error: StoreError) -> ApiError {
    match error {
        StoreError::Conflict(text) if text.contains("email") => {
            ApiError::conflict("That e-mail address belongs to another user.")
        }
        StoreError::Conflict(_) => ApiError::conflict("A user of that name exists already."),
        other => other.into(),
    }
}
