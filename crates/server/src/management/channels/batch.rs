//! One act on many channels: all of them or, where one cannot be touched, none.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::channels::{self, Channel, ChannelChanges, ChannelState};
use store::shared::Change;
use store::{ChannelId, StoreError, Transaction};

use super::state::switch;
use super::update::editable;
use super::view::settings;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{Act, ApiError, Identity, Input, Reply, changes_between};

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
    /// Why, for changes of state.
    reason: Option<String>,
}

/// How many were touched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChannelBatchDone {
    /// How many.
    count: usize,
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
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    for id in &input.ids {
        let channel = editable(&transaction, *id).await?;
        act_on(&transaction, &actor, channel, &input, now).await?;
    }
    transaction.commit().await.map_err(StoreError::from)?;
    // A node that hears of one change reads all channels again: one notice is enough.
    announce(&app, Change::Channel(ChannelId(input.ids[0]))).await;
    let count = input.ids.len();
    Ok(Reply::of(ChannelBatchDone { count }))
}

async fn act_on(
    transaction: &Transaction,
    actor: &Identity,
    before: Channel,
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
        let reason = batch.reason.clone();
        switch(transaction, actor, before, (state, reason), now).await?;
        return Ok(());
    }
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
        _ => return Ok(None),
    }
    Ok(Some(changes))
}
