//! What people do about incidents: notes, looking after one, closing one.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::incidents::{self, EventKind, Incident};
use store::{IncidentId, Transaction};

use super::view::{IncidentDetail, detail};
use crate::app::App;
use crate::management::frame::{Act, ApiError, At, Identity, Input, Reply, changes_between};

const LONGEST_NOTE: usize = 4_000;

/// A note.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewNote {
    /// What there is to say.
    text: String,
}

/// The end of an incident.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Resolution {
    /// What it was.
    text: String,
}

/// Writes a note.
pub(super) async fn note(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
    Input(input): Input<NewNote>,
) -> Result<Reply<IncidentDetail>, ApiError> {
    let text = checked(&input.text)?;
    if text.is_empty() {
        return Err(ApiError::bad_field("text", "must not be empty"));
    }
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let incident = find(&transaction, id).await?;
    let by = Some(actor.id());
    incidents::note(&transaction, incident.id, EventKind::Note, by, text, now).await?;
    let act = act("incident.note", &incident, json!({"note": {"to": text}}));
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(detail(&app, incident).await?))
}

/// Says that somebody looks after it. Saying so twice changes nothing.
pub(super) async fn acknowledge(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<IncidentDetail>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = find(&transaction, id).await?;
    if before.open_key.is_none() {
        return Err(ApiError::conflict("The incident is closed."));
    }
    let taken = incidents::acknowledge(&transaction, before.id, actor.id(), now).await?;
    let Some(incident) = taken else {
        drop(transaction);
        return Ok(Reply::of(detail(&app, before).await?));
    };
    let (kind, by) = (EventKind::Acknowledged, Some(actor.id()));
    incidents::note(&transaction, incident.id, kind, by, "", now).await?;
    let (was, is) = (
        json!({"acknowledged": false}),
        json!({"acknowledged": true}),
    );
    let act = act(
        "incident.acknowledge",
        &incident,
        changes_between(&was, &is),
    );
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(detail(&app, incident).await?))
}

/// Closes one.
pub(super) async fn resolve(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
    Input(input): Input<Resolution>,
) -> Result<Reply<IncidentDetail>, ApiError> {
    let text = checked(&input.text)?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = find(&transaction, id).await?;
    let closed = incidents::close(&transaction, before.id, actor.id(), now).await?;
    let incident = closed.ok_or_else(|| ApiError::conflict("The incident is closed."))?;
    let (kind, by) = (EventKind::Resolved, Some(actor.id()));
    incidents::note(&transaction, incident.id, kind, by, text, now).await?;
    let (was, is) = (json!({"state": "open"}), json!({"state": "closed"}));
    let act = act("incident.resolve", &incident, changes_between(&was, &is));
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(detail(&app, incident).await?))
}

pub(super) async fn find(transaction: &Transaction, id: i64) -> Result<Incident, ApiError> {
    let incident = incidents::get(transaction, IncidentId(id)).await?;
    incident.ok_or_else(|| ApiError::not_found("The incident"))
}

fn checked(text: &str) -> Result<&str, ApiError> {
    let text = text.trim();
    if text.chars().count() > LONGEST_NOTE {
        let problem = "must have at most 4000 characters";
        return Err(ApiError::bad_field("text", problem));
    }
    Ok(text)
}

fn act(action: &'static str, incident: &Incident, changes: serde_json::Value) -> Act {
    Act {
        action,
        object_kind: "incident",
        object_id: incident.id.to_string(),
        changes,
    }
}
