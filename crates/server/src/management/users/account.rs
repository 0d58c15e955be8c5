//! Making one account: the same checks and the same steps, whether somebody makes one or a file of them.

use store::users::{self, NewUser, Role};
use store::{StoreError, Transaction};

use super::view::{UserView, view_of};
use super::{balance, rules};
use crate::accounts::DEFAULT_GROUP;
use crate::app::App;
use crate::management::allowance::MOST_NANOS;
use crate::management::frame::{
    AccessScope, Act, ApiError, Identity, changes_between, may_give, require_scope,
    require_step_up_over,
};
use crate::secrets::random_text;

const AFF_CODE_CHARACTERS: usize = 8;

/// What somebody says about an account.
#[derive(Debug)]
pub(super) struct Given<'a> {
    /// The login name.
    pub username: &'a str,
    /// The name to show; absent: the login name.
    pub display_name: Option<&'a str>,
    /// The e-mail address; empty is none.
    pub email: Option<&'a str>,
    /// The group; absent: `default`.
    pub group: Option<&'a str>,
    /// What the user may do.
    pub role: Role,
    /// What the wallet begins with.
    pub nanos: i64,
    /// Why it does.
    pub reason: String,
}

/// An account whose fields are fine. Whether its names are free and its group exists, the records say.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub username: String,
    pub display_name: String,
    pub email: Option<String>,
    pub group_name: String,
    pub role: Role,
    pub nanos: i64,
    pub reason: String,
}

impl Draft {
    /// Checks what can be checked without the records.
    pub(super) fn check(actor: &Identity, given: Given<'_>) -> Result<Self, ApiError> {
        may_give(actor, given.role)?;
        let username = rules::username(given.username)?;
        let display_name = rules::display_name(given.display_name.unwrap_or(&username))?;
        let email = given.email.filter(|text| !text.is_empty());
        if given.nanos > MOST_NANOS {
            let problem = "must be a hundred million dollars at most";
            return Err(ApiError::bad_field("balance", problem));
        }
        Ok(Self {
            display_name,
            email: email.map(rules::email).transpose()?,
            group_name: given.group.unwrap_or(DEFAULT_GROUP).to_owned(),
            role: given.role,
            nanos: given.nanos,
            reason: given.reason,
            username,
        })
    }

    /// Checks that the actor may make this account now: a step-up for an administrator, the scope `billing` for a balance.
    pub(super) fn require_rights(&self, app: &App, actor: &Identity) -> Result<(), ApiError> {
        require_step_up_over(app, actor, [self.role])?;
        if self.nanos > 0 {
            require_scope(actor, AccessScope::Billing)?;
        }
        Ok(())
    }
}

/// Makes the account with what its wallet begins with, and notes who did it.
pub(super) async fn make(
    app: &App,
    transaction: &Transaction,
    actor: &Identity,
    (draft, password_hash): (Draft, Option<String>),
) -> Result<UserView, ApiError> {
    let now = app.clock().now_ms();
    rules::group(transaction, &draft.group_name).await?;
    let new = NewUser {
        username: draft.username,
        email: draft.email,
        display_name: draft.display_name,
        password_hash,
        role: draft.role,
        group_name: draft.group_name,
        aff_code: random_text(app.randomness(), AFF_CODE_CHARACTERS),
        inviter_id: None,
        created_at: now,
    };
    let user = users::insert(transaction, new).await.map_err(taken)?;
    balance::begin_with(transaction, user.id, draft.nanos, draft.reason, now).await?;
    let id = user.id;
    let view = view_of(transaction, user).await?;
    let act = Act {
        action: "user.create",
        object_kind: "user",
        object_id: id.to_string(),
        changes: changes_between(&(), &view),
    };
    act.note(transaction, actor, now).await?;
    Ok(view)
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
