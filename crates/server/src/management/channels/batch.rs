//! One act on many channels: all of them or, where one cannot be touched, none.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::channels::{self, Channel, ChannelChanges, ChannelState};
use store::shared::Change;
use store::tasks::TaskState;
use store::{ChannelId, StoreError, Transaction};

use super::fields::{Models, models};
use super::state::switch;
use super::update::{editable, switchable};
use super::view::settings;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{Act, ApiError, Identity, Input, Patch, Reply, changes_between};
use crate::tasks::{RunningTask, TaskKind, TaskNote};

const MOST: usize = 1_000;

/// What can be done to many channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelAction {
    /// Switches on.
    Enable,
    /// Switches off.
    Disable,
    /// Finishes what runs.
    Drain,
    /// Removes.
    Delete,
    /// Adds the tag in `tag`.
    Tag,
    /// Takes the tag in `tag` away.
    Untag,
    /// Sets `priority`.
    Priority,
    /// Sets `weight`.
    Weight,
    /// Adds the models in `models`.
    AddModels,
    /// Takes the models in `models` away.
    RemoveModels,
}

/// An act on many channels.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ChannelBatch {
    /// Which ones.
    ids: Vec<i64>,
    /// What to do.
    action: ChannelAction,
    /// For `tag` and `untag`.
    tag: Option<String>,
    /// For `priority`.
    priority: Option<i64>,
    /// For `weight`.
    weight: Option<i64>,
    /// For `add_models` and `remove_models`; a model may be written `name=upstream name`.
    models: Option<Vec<String>>,
    /// Why, for changes of state.
    reason: Option<String>,
    /// Whether to do one channel after the other, as a task that can be watched and cancelled.
    #[serde(default)]
    as_task: bool,
}

/// How many were touched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChannelBatchDone {
    /// How many; of a task, how many it will touch.
    count: usize,
    /// The task that does it, where one was asked for.
    task_id: Option<String>,
}

/// Acts on many channels.
pub(super) async fn batch(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(mut input): Input<ChannelBatch>,
) -> Result<Reply<ChannelBatchDone>, ApiError> {
    input.ids.sort_unstable();
    input.ids.dedup();
    if input.ids.is_empty() || input.ids.len() > MOST {
        return Err(ApiError::bad_field("ids", "must name 1 to 1000 channels"));
    }
    let count = input.ids.len();
    if input.as_task {
        let task_id = Some(one_by_one(&app, actor, input).await?);
        return Ok(Reply::of(ChannelBatchDone { count, task_id }));
    }
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    for id in &input.ids {
        act_on(&transaction, &actor, *id, &input, now).await?;
    }
    transaction.commit().await?;
    // A node that hears of one change reads all channels again: one notice is enough.
    announce(&app, Change::Channel(ChannelId(input.ids[0]))).await;
    let task_id = None;
    Ok(Reply::of(ChannelBatchDone { count, task_id }))
}

/// Does one channel after the other in a task; gives the task's id.
async fn one_by_one(
    app: &Arc<App>,
    actor: Identity,
    batch: ChannelBatch,
) -> Result<String, ApiError> {
    let total = i64::try_from(batch.ids.len()).ok();
    let count = batch.ids.len();
    let (kind, note) = (TaskKind::ChannelBatch, TaskNote::ChangesChannels { count });
    let task = RunningTask::begin(app, kind, actor.id(), &note, total).await?;
    let id = task.id().to_owned();
    let app = app.clone();
    tokio::spawn(async move {
        let told = work_off(&app, &actor, &batch, task).await;
        announce(&app, Change::Channel(ChannelId(batch.ids[0]))).await;
        if let Err(error) = told {
            tracing::warn!(%error, "the end of a task could not be noted");
        }
    });
    Ok(id)
}

async fn work_off(
    app: &App,
    actor: &Identity,
    batch: &ChannelBatch,
    mut task: RunningTask,
) -> Result<(), StoreError> {
    let mut left_out = Vec::new();
    for id in &batch.ids {
        if let Err(problem) = alone(app, actor, *id, batch).await {
            left_out.push(format!("{id}: {problem}"));
        }
        if !task.step(None).await? {
            return task
                .finish(TaskState::Cancelled, &TaskNote::CancelledHalfWay)
                .await;
        }
    }
    let note = match left_out.as_slice() {
        [] => TaskNote::AllChanged,
        some => TaskNote::LeftOut {
            problems: some.join("; "),
        },
    };
    task.finish(TaskState::Done, &note).await
}

async fn alone(app: &App, actor: &Identity, id: i64, batch: &ChannelBatch) -> Result<(), ApiError> {
    let transaction = app.store().write().await?;
    act_on(&transaction, actor, id, batch, app.clock().now_ms()).await?;
    transaction.commit().await?;
    Ok(())
}

async fn act_on(
    transaction: &Transaction,
    actor: &Identity,
    id: i64,
    batch: &ChannelBatch,
    now: i64,
) -> Result<(), ApiError> {
    let state = match batch.action {
        ChannelAction::Enable => Some(ChannelState::On),
        ChannelAction::Disable => Some(ChannelState::Off),
        ChannelAction::Drain => Some(ChannelState::Draining),
        _ => None,
    };
    if let Some(state) = state {
        let before = switchable(transaction, id).await?;
        let reason = batch.reason.clone();
        switch(transaction, actor, before, (state, reason), now).await?;
        return Ok(());
    }
    let before = editable(transaction, id).await?;
    let id = before.id;
    let changes = changes_of(&before, batch)?;
    let shown = settings(before, 0);
    let (action, changes) = if let Some(changes) = changes {
        let after = channels::update(transaction, id, changes, now).await?;
        let after = after.map(|after| settings(after, 0));
        ("channel.update", changes_between(&shown, &after))
    } else {
        channels::delete(transaction, id).await?;
        ("channel.delete", changes_between(&shown, &()))
    };
    let act = Act {
        action,
        object_kind: "channel",
        object_id: id.to_string(),
        changes,
    };
    act.note(transaction, actor, now).await?;
    Ok(())
}

/// The models of a channel when some have come or gone.
fn models_after(channel: &Channel, batch: &ChannelBatch) -> Result<Models, ApiError> {
    let given = batch.models.clone().unwrap_or_default();
    if given.is_empty() {
        return Err(ApiError::bad_field("models", "is required"));
    }
    let alias = |entry: &str| {
        entry
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let touched: Vec<String> = given.iter().map(|entry| alias(entry)).collect();
    let stay = channel
        .models
        .0
        .iter()
        .filter(|name| !touched.contains(name));
    let mut entries: Vec<String> = stay
        .map(|name| match channel.model_mapping.0.get(name) {
            Some(upstream) => format!("{name}={upstream}"),
            None => name.clone(),
        })
        .collect();
    if batch.action == ChannelAction::AddModels {
        entries.extend(given);
    }
    models(Patch::Set(entries), Patch::Absent, None)
}

/// What changes; none where the channel goes.
fn changes_of(channel: &Channel, batch: &ChannelBatch) -> Result<Option<ChannelChanges>, ApiError> {
    let tag = || {
        let tag = batch.tag.as_deref().unwrap_or_default().trim();
        let is_fine = !tag.is_empty() && tag.len() <= 64;
        is_fine
            .then(|| tag.to_owned())
            .ok_or_else(|| ApiError::bad_field("tag", "is required"))
    };
    let mut tags = channel.tags.0.clone();
    let mut changes = ChannelChanges::default();
    match batch.action {
        ChannelAction::Tag => {
            let tag = tag()?;
            tags.retain(|other| *other != tag);
            tags.push(tag);
            changes.tags = Some(tags);
        }
        ChannelAction::Untag => {
            let tag = tag()?;
            tags.retain(|other| *other != tag);
            changes.tags = Some(tags);
        }
        ChannelAction::Priority => {
            let priority = batch.priority.filter(|value| i32::try_from(*value).is_ok());
            let problem = "is required, a number";
            changes.priority =
                Some(priority.ok_or_else(|| ApiError::bad_field("priority", problem))?);
        }
        ChannelAction::Weight => {
            let weight = batch.weight.filter(|value| (0..=1_000_000).contains(value));
            let problem = "is required, 0 to 1000000";
            changes.weight = Some(weight.ok_or_else(|| ApiError::bad_field("weight", problem))?);
        }
        ChannelAction::AddModels | ChannelAction::RemoveModels => {
            (changes.models, changes.model_mapping) = models_after(channel, batch)?;
        }
        _ => return Ok(None),
    }
    Ok(Some(changes))
}
