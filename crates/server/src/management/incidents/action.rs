//! What people do against an incident from its own page: to its channel, and to how many upstreams calls try.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::Transaction;
use store::channels::ChannelState;
use store::incidents::{self, EventKind, Incident};
use store::shared::Change;
use store::users::Role;

use super::act::find;
use super::view::{IncidentDetail, detail};
use crate::app::App;
use crate::background::announce;
use crate::incidents::EventNote;
use crate::management::channels::{editable, swap_priority, switch, switchable};
use crate::management::frame::{ApiError, At, Identity, Input, Reply};
use crate::management::options;

/// What can be done.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// The incident's channel finishes what runs and takes nothing new.
    Drain,
    /// The channel is switched off; what runs on it ends.
    Stop,
    /// The channel is switched on.
    Resume,
    /// The channel and the one in `channel_id` get each other's priority.
    SwapPriority,
    /// Calls may try as many upstreams as `attempts` says.
    RaiseAttempts,
}

/// An act against an incident.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewAction {
    /// What to do.
    action: ActionKind,
    /// The channel to swap with, for `swap_priority`.
    channel_id: Option<i64>,
    /// More than now, for `raise_attempts`.
    attempts: Option<usize>,
}

/// `POST /api/incident/{id}/action`.
pub(super) async fn action(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
    Input(input): Input<NewAction>,
) -> Result<Reply<IncidentDetail>, ApiError> {
    let transaction = app.store().write().await?;
    let incident = find(&transaction, id).await?;
    if incident.open_key.is_none() {
        return Err(ApiError::conflict("The incident is closed."));
    }
    let doing = Doing {
        app: &app,
        transaction: &transaction,
        actor: &actor,
        incident: &incident,
        now: app.clock().now_ms(),
    };
    let change = match input.action {
        ActionKind::Drain => doing.switch(ChannelState::Draining).await?,
        ActionKind::Stop => doing.switch(ChannelState::Off).await?,
        ActionKind::Resume => doing.switch(ChannelState::On).await?,
        ActionKind::SwapPriority => doing.swap(input.channel_id).await?,
        ActionKind::RaiseAttempts => doing.raise_attempts(input.attempts).await?,
    };
    transaction.commit().await?;
    announce(&app, change).await;
    Ok(Reply::of(detail(&app, incident).await?))
}

/// An act on its way; each says what other nodes must hear of.
struct Doing<'a> {
    app: &'a App,
    transaction: &'a Transaction,
    actor: &'a Identity,
    incident: &'a Incident,
    now: i64,
}

impl Doing<'_> {
    async fn switch(&self, state: ChannelState) -> Result<Change, ApiError> {
        let channel = switchable(self.transaction, self.channel()?).await?;
        let reason = Some(format!("Incident {}", self.incident.id));
        let changed = (state, reason);
        let after = switch(self.transaction, self.actor, channel, changed, self.now).await?;
        Ok(Change::Channel(after.id))
    }

    async fn swap(&self, with: Option<i64>) -> Result<Change, ApiError> {
        let with = with.ok_or_else(|| ApiError::missing(&["channel_id"]))?;
        let own = self.channel()?;
        if with == own {
            return Err(ApiError::bad_field("channel_id", "must be another channel"));
        }
        let one = editable(self.transaction, own).await?;
        let other = editable(self.transaction, with).await?;
        swap_priority(self.transaction, self.actor, (&one, &other), self.now).await?;
        let note = EventNote::Swapped {
            channel: one.name,
            priority: other.priority,
            other: other.name,
            other_priority: one.priority,
        };
        let note = note.written();
        for channel in [one.id, other.id] {
            let (kind, by) = (EventKind::Reordered, Some(self.actor.id()));
            let (records, now) = (self.transaction, self.now);
            incidents::note_channel(records, channel, kind, by, &note, now).await?;
        }
        Ok(Change::Channel(one.id))
    }

    async fn raise_attempts(&self, attempts: Option<usize>) -> Result<Change, ApiError> {
        if self.actor.user.role < Role::Root {
            return Err(ApiError::forbidden("Settings are changed by root alone."));
        }
        let attempts = attempts.ok_or_else(|| ApiError::missing(&["attempts"]))?;
        let before = self.app.config().routing.attempts;
        if attempts <= before {
            let problem = format!("must be more than {before}");
            return Err(ApiError::bad_field("attempts", &problem));
        }
        let values = BTreeMap::from([("routing.attempts".to_owned(), json!(attempts))]);
        options::change(self.app, self.transaction, self.actor, &values).await?;
        let note = EventNote::AttemptsRaised { attempts, before }.written();
        let (kind, by) = (EventKind::AttemptsRaised, Some(self.actor.id()));
        let (records, now) = (self.transaction, self.now);
        incidents::note(records, self.incident.id, kind, by, &note, now).await?;
        Ok(Change::Settings)
    }

    fn channel(&self) -> Result<i64, ApiError> {
        let channel = self.incident.channel_id.map(|id| id.0);
        channel.ok_or_else(|| ApiError::conflict("The incident is about no single channel."))
    }
}
