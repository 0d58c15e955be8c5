//! Making a user.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::users::Role;

use super::account::{Draft, Given, make};
use super::view::UserView;
use super::{balance, rules};
use crate::accounts::hash_password;
use crate::app::App;
use crate::config::Secret;
use crate::management::frame::{ApiError, Identity, Input, Reply};

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
    let given = Given {
        username: &input.username,
        display_name: input.display_name.as_deref(),
        email: input.email.as_deref(),
        group: input.group.as_deref(),
        role: input.role.map_or(Ok(Role::User), rules::role)?,
        nanos: balance::amount(input.quota.unwrap_or(0))?,
        reason: balance::reason(input.reason.as_deref(), &actor)?,
    };
    let draft = Draft::check(&actor, given)?;
    draft.require_rights(&app, &actor)?;
    rules::password(&app, &input.password)?;
    let password_hash = hash_password(input.password, app.randomness()).await?;
    let transaction = app.store().write().await?;
    let view = make(&app, &transaction, &actor, (draft, Some(password_hash))).await?;
    transaction.commit().await?;
    Ok(Reply::of(view))
}
