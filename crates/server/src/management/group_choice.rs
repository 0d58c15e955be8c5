//! Which groups somebody may choose: their own, those that everybody may, and for administrators all.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::Multiplier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ConnectionTrait;
use store::groups::{self, Group};
use store::users::{Role, User};

use super::frame::{ApiError, Identity, Level, Reply, Route};
use crate::app::App;

/// The route.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/user/groups", Level::User, list)
            .about("List the groups that one may choose for tokens")
            .details("One's own comes first. Prices are multiplied by what a group says.")
            .gives::<Vec<GroupChoice>>(),
    ]
}

/// A group that one may choose.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GroupChoice {
    /// Its name.
    name: String,
    /// What it is for.
    description: String,
    /// What prices are multiplied by, as exact decimal text.
    multiplier: String,
    /// Whether it is the group that one is in.
    is_own: bool,
}

/// For whom models are listed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GroupSearch {
    /// A group that one may choose; absent: one's own.
    group: Option<String>,
}

impl GroupSearch {
    /// The group that is meant.
    pub async fn group(
        self,
        records: &impl ConnectionTrait,
        user: &User,
    ) -> Result<String, ApiError> {
        match self.group.filter(|name| !name.is_empty()) {
            None => Ok(user.group_name.clone()),
            Some(name) => check(records, user, &name).await.map(|()| name),
        }
    }
}

/// Refuses a group that is not there or that the user may not choose, in the same words.
pub async fn check(
    records: &impl ConnectionTrait,
    user: &User,
    name: &str,
) -> Result<(), ApiError> {
    let group = groups::get(records, name).await?;
    if group.is_some_and(|group| may_choose(user, &group)) {
        return Ok(());
    }
    Err(ApiError::bad_field(
        "group",
        "is not one that the owner may use",
    ))
}

fn may_choose(user: &User, group: &Group) -> bool {
    group.is_selectable || group.name == user.group_name || user.role >= Role::Administrator
}

async fn list(
    State(app): State<Arc<App>>,
    actor: Identity,
) -> Result<Reply<Vec<GroupChoice>>, ApiError> {
    let all = groups::list(app.store().read()).await?.into_iter();
    let user = &actor.user;
    let choices = all.filter(|group| may_choose(user, group)).map(|group| {
        let multiplier = Multiplier::of_millionths(group.multiplier_ppm);
        GroupChoice {
            is_own: group.name == user.group_name,
            name: group.name,
            description: group.description,
            multiplier: multiplier.unwrap_or(Multiplier::ONE).to_string(),
        }
    });
    let mut choices: Vec<GroupChoice> = choices.collect();
    choices.sort_by_key(|choice| !choice.is_own);
    Ok(Reply::of(choices))
}
