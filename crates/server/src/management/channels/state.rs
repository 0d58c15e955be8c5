//! Switching a channel: on, draining (what runs is finished, nothing new begins), off. A declared one too: in an
//! outage nobody should have to edit a file on every node.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::Transaction;
use store::channels::{Channel, ChannelChanges, ChannelState};
use store::incidents::{self, EventKind};
use store::shared::Change;

use super::fields::StateInput;
use super::update::{apply, switchable};
use super::view::{ChannelView, view_of};
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{ApiError, At, Identity, Input, Reply};

/// Another state.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StateChange {
    /// `on`, `draining` or `off`.
    state: StateInput,
    /// Why.
    reason: Option<String>,
}

/// Switches a channel.
pub(super) async fn change(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
    Input(input): Input<StateChange>,
) -> Result<Reply<ChannelView>, ApiError> {
    let state = input.state.state().ok_or_else(|| {
        ApiError::bad_field(
            "state",
            "must be on, draining or off; only the gateway pauses",
        )
    })?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = switchable(&transaction, id).await?;
    let after = switch(&transaction, &actor, before, (state, input.reason), now).await?;
    transaction.commit().await?;
    announce(&app, Change::Channel(after.id)).await;
    Ok(Reply::of(view_of(&app, after).await?))
}

/// Switches a channel and notes who did it, also in the incidents that are about it.
pub(in crate::management) async fn switch(
    transaction: &Transaction,
    actor: &Identity,
    before: Channel,
    (state, reason): (ChannelState, Option<String>),
    now: i64,
) -> Result<Channel, ApiError> {
    let changes = ChannelChanges {
        state: Some(state),
        state_reason: Some(reason.filter(|_| state != ChannelState::On)),
        ..ChannelChanges::default()
    };
    let action = "channel.state";
    let after = apply(transaction, actor, (action, before, changes), now).await?;
    let kind = match state {
        ChannelState::Draining => EventKind::Drained,
        ChannelState::Off | ChannelState::Paused => EventKind::Stopped,
        ChannelState::On => EventKind::Resumed,
    };
    let reason = after.state_reason.as_deref().unwrap_or_default();
    incidents::note_channel(transaction, after.id, kind, Some(actor.id()), reason, now).await?;
    Ok(after)
}
