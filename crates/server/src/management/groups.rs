//! Groups of users: a price multiplier, limits, and through channels what they may reach.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::Multiplier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::groups::{self, Group, GroupChanges, Members};
use store::shared::Change;
use store::{ConnectionTrait, GroupId, StoreError, tokens};

use super::allowance::limit;
use super::frame::{
    AccessScope, Act, ApiError, At, Identity, Input, Level, Nothing, Patch, Reply, Route,
    changes_between, require_scope,
};
use crate::accounts::DEFAULT_GROUP;
use crate::app::App;
use crate::background::announce;

/// The routes.
pub fn routes() -> Vec<Route> {
    let administrator = Level::Administrator;
    vec![
        Route::get("/api/group/", administrator, list)
            .about("List groups")
            .gives::<Vec<GroupView>>(),
        Route::post("/api/group/", administrator, create)
            .about("Make a group")
            .takes::<NewGroupInput>()
            .gives::<GroupView>(),
        Route::put("/api/group/", administrator, update)
            .about("Change a group's description, multiplier, limits, hosted tools, and who may choose it")
            .details(
                "Where users may no longer choose it, their tokens call as their owner's own group \
                 again.",
            )
            .takes::<GroupUpdate>()
            .gives::<GroupView>(),
        Route::delete("/api/group/{id}", administrator, delete)
            .about("Delete a group that nobody is in"),
    ]
}

/// A group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Group")]
pub struct GroupView {
    /// The group's id.
    id: i64,
    /// Its unique name, which never changes.
    name: String,
    /// What it is for.
    description: String,
    /// What prices are multiplied by, as exact decimal text.
    multiplier: String,
    /// Calls a minute of all its members together.
    rpm: Option<i64>,
    /// Model tokens a minute.
    tpm: Option<i64>,
    /// Calls at once.
    concurrency: Option<i64>,
    /// Whether users who are not in it may choose it for their tokens.
    is_selectable: bool,
    /// Whether its members may use priced hosted tools whose vendor gives no bound.
    allows_hosted_tools: bool,
    /// How many users are in it.
    user_count: i64,
    /// How many tokens call as it by themselves.
    token_count: i64,
}

/// A group to make.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewGroupInput {
    /// Its unique name.
    name: String,
    /// What it is for.
    description: Option<String>,
    /// What prices are multiplied by, as decimal text or a number; absent: 1.
    #[schemars(with = "Option<String>")]
    multiplier: Option<Value>,
    /// Calls a minute of all its members together.
    rpm: Option<i64>,
    /// Model tokens a minute.
    tpm: Option<i64>,
    /// Calls at once.
    concurrency: Option<i64>,
    /// Whether users who are not in it may choose it for their tokens; absent: no.
    is_selectable: Option<bool>,
    /// Whether its members may use priced hosted tools whose vendor gives no bound; absent: no.
    allows_hosted_tools: Option<bool>,
}

/// What to change of a group; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GroupUpdate {
    /// Which one.
    id: i64,
    /// Another description.
    #[serde(default)]
    description: Patch<String>,
    /// Another multiplier; `null` is 1.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    multiplier: Patch<Value>,
    /// Calls a minute; `null`: no limit.
    #[serde(default)]
    rpm: Patch<i64>,
    /// Model tokens a minute; `null`: no limit.
    #[serde(default)]
    tpm: Patch<i64>,
    /// Calls at once; `null`: no limit.
    #[serde(default)]
    concurrency: Patch<i64>,
    /// Whether users who are not in it may choose it for their tokens; `null`: no.
    #[serde(default)]
    is_selectable: Patch<bool>,
    /// Whether its members may use priced hosted tools whose vendor gives no bound; `null`: no.
    #[serde(default)]
    allows_hosted_tools: Patch<bool>,
}

async fn list(State(app): State<Arc<App>>) -> Result<Reply<Vec<GroupView>>, ApiError> {
    let records = app.store().read();
    let members = groups::members(records).await?;
    let all = groups::list(records).await?.into_iter();
    let show = |group: Group| {
        let members = members.get(&group.name).copied().unwrap_or_default();
        view(group, members)
    };
    Ok(Reply::of(all.map(show).collect()))
}

async fn create(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<NewGroupInput>,
) -> Result<Reply<GroupView>, ApiError> {
    let name = name(&input.name)?;
    let description = description(input.description.as_deref().unwrap_or_default())?;
    let multiplier = input
        .multiplier
        .map_or(Ok(Multiplier::ONE), |value| multiplier(&value))?;
    if multiplier != Multiplier::ONE {
        require_scope(&actor, AccessScope::Billing)?;
    }
    let given = |limit: Option<i64>| limit.map_or(Patch::Absent, Patch::Set);
    let limits = GroupChanges {
        rpm: limit("rpm", given(input.rpm))?.into_change(),
        tpm: limit("tpm", given(input.tpm))?.into_change(),
        concurrency: limit("concurrency", given(input.concurrency))?.into_change(),
        is_selectable: input.is_selectable,
        allows_hosted_tools: input.allows_hosted_tools,
        ..GroupChanges::default()
    };
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let millionths = multiplier.millionths();
    let made = groups::insert(&transaction, &name, &description, millionths, now).await;
    let made = made.map_err(|error| match error {
        StoreError::Conflict(_) => ApiError::conflict("A group of that name exists already."),
        other => other.into(),
    })?;
    let id = made.id;
    let limited = groups::update(&transaction, id, limits).await?;
    let view = view(limited.unwrap_or(made), Members::default());
    note(
        &transaction,
        &actor,
        "group.create",
        (id, changes_between(&(), &view)),
        now,
    )
    .await?;
    transaction.commit().await?;
    announce(&app, Change::Groups).await;
    Ok(Reply::of(view))
}

async fn update(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<GroupUpdate>,
) -> Result<Reply<GroupView>, ApiError> {
    let new_description = input.description.or_cleared(String::new());
    let new_multiplier = match input.multiplier {
        Patch::Absent => None,
        Patch::Clear => Some(Multiplier::ONE),
        Patch::Set(value) => Some(multiplier(&value)?),
    };
    let changes = GroupChanges {
        description: new_description.map(|text| description(&text)).transpose()?,
        multiplier_ppm: new_multiplier.map(Multiplier::millionths),
        rpm: limit("rpm", input.rpm)?.into_change(),
        tpm: limit("tpm", input.tpm)?.into_change(),
        concurrency: limit("concurrency", input.concurrency)?.into_change(),
        is_selectable: input.is_selectable.or_cleared(false),
        allows_hosted_tools: input.allows_hosted_tools.or_cleared(false),
    };
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = existing(&transaction, input.id).await?;
    let had = members_of(&transaction, &before.name).await?;
    let id = before.id;
    if new_multiplier.is_some_and(|new| new.millionths() != before.multiplier_ppm) {
        require_scope(&actor, AccessScope::Billing)?;
    }
    let after = groups::update(&transaction, id, changes).await?;
    let after = after.ok_or_else(|| ApiError::not_found("The group"))?;
    if before.is_selectable && !after.is_selectable {
        tokens::leave_group(&transaction, &after.name).await?;
    }
    let has = members_of(&transaction, &after.name).await?;
    let (before, view) = (view(before, had), view(after, has));
    let changes = changes_between(&before, &view);
    note(&transaction, &actor, "group.update", (id, changes), now).await?;
    transaction.commit().await?;
    announce(&app, Change::Groups).await;
    Ok(Reply::of(view))
}

async fn delete(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let group = existing(&transaction, id).await?;
    if group.name == DEFAULT_GROUP {
        return Err(ApiError::conflict(
            "The default group stays: new users are in it.",
        ));
    }
    groups::leave_behind(&transaction, &group.name, DEFAULT_GROUP).await?;
    match groups::delete(&transaction, group.id).await {
        Err(StoreError::Reference(_)) => {
            let text = "Users or tokens are still in this group; move them first.";
            return Err(ApiError::conflict(text).with_code("in_use"));
        }
        deleted => deleted?,
    };
    let (id, changes) = (
        group.id,
        changes_between(&view(group, Members::default()), &()),
    );
    note(&transaction, &actor, "group.delete", (id, changes), now).await?;
    transaction.commit().await?;
    announce(&app, Change::Groups).await;
    Ok(Reply::done())
}

async fn members_of(records: &impl ConnectionTrait, group: &str) -> Result<Members, ApiError> {
    let members = groups::members(records).await?;
    Ok(members.get(group).copied().unwrap_or_default())
}

async fn existing(records: &impl ConnectionTrait, id: i64) -> Result<Group, ApiError> {
    let all = groups::list(records).await?;
    let found = all.into_iter().find(|group| group.id == GroupId(id));
    found.ok_or_else(|| ApiError::not_found("The group"))
}

async fn note(
    transaction: &store::Transaction,
    actor: &Identity,
    action: &'static str,
    (id, changes): (GroupId, Value),
    now: i64,
) -> Result<(), ApiError> {
    let act = Act {
        action,
        object_kind: "group",
        object_id: id.to_string(),
        changes,
    };
    act.note(transaction, actor, now).await?;
    Ok(())
}

fn view(group: Group, members: Members) -> GroupView {
    let multiplier = Multiplier::of_millionths(group.multiplier_ppm).unwrap_or(Multiplier::ONE);
    GroupView {
        id: group.id.0,
        name: group.name,
        description: group.description,
        multiplier: multiplier.to_string(),
        rpm: group.rpm,
        tpm: group.tpm,
        concurrency: group.concurrency,
        is_selectable: group.is_selectable,
        allows_hosted_tools: group.allows_hosted_tools,
        user_count: members.users,
        token_count: members.tokens,
    }
}

/// A group's name stands in channels, tokens and addresses.
fn name(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if text.is_empty() || text.chars().count() > 64 || !text.chars().all(is_plain) {
        let problem = "must have 1 to 64 letters, digits, dots, dashes or underscores";
        return Err(ApiError::bad_field("name", problem));
    }
    Ok(text.to_owned())
}

fn description(text: &str) -> Result<String, ApiError> {
    (text.chars().count() <= 500)
        .then(|| text.trim().to_owned())
        .ok_or_else(|| ApiError::bad_field("description", "must have at most 500 characters"))
}

fn multiplier(value: &Value) -> Result<Multiplier, ApiError> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    Multiplier::parse(&text).map_err(|error| ApiError::bad_field("multiplier", &error.to_string()))
}
