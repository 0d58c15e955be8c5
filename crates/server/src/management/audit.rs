//! The audit log on the interface: who changed what, field by field. It is only ever read.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::audit_log::{self, AuditEntry, AuditFilter};
use store::names::{Named, names};
use store::{CursorPage, UserId};

use super::frame::{ApiError, CursorList, CursorQuery, Level, Moment, Reply, Route, Search};
use crate::app::App;

/// The routes of the audit log.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/audit/", Level::Administrator, list)
            .about("List what administrators did")
            .details("Newest first, each with the fields that changed.")
            .searches::<CursorQuery>()
            .searches::<AuditSearch>()
            .gives::<CursorList<EntryView>>(),
    ]
}

/// One act.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditEntry")]
pub struct EntryView {
    /// The entry's id.
    id: i64,
    /// When.
    created_at: Moment,
    /// Who; none for the program itself.
    actor_id: Option<i64>,
    /// The name of who.
    actor: Option<String>,
    /// What was done, for example `channel.update`.
    action: String,
    /// To what kind of thing.
    object_kind: String,
    /// To which one.
    object_id: String,
    /// What changed: `{"field": {"from": …, "to": …}}`.
    changes: Value,
    /// How it went.
    outcome: String,
    /// From where.
    ip: Option<String>,
    /// In which request.
    request_id: Option<String>,
}

/// Which acts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AuditSearch {
    /// Not before this time.
    from: Option<Moment>,
    /// Before this time.
    to: Option<Moment>,
    /// By this user.
    actor_id: Option<i64>,
    /// Exactly this act.
    action: Option<String>,
    /// On this kind of thing.
    object_kind: Option<String>,
    /// On the one with this id.
    object_id: Option<String>,
}

async fn list(
    State(app): State<Arc<App>>,
    Search(place): Search<CursorQuery>,
    Search(search): Search<AuditSearch>,
) -> Result<Reply<CursorList<EntryView>>, ApiError> {
    let (cursor, limit) = place.bounds()?;
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let filter = AuditFilter {
        from_ms: search.from.map(|time| time.0),
        until_ms: search.to.map(|time| time.0),
        actor_id: search.actor_id.map(UserId),
        action: given(search.action),
        object_kind: given(search.object_kind),
        object_id: given(search.object_id),
    };
    let records = app.store().read();
    let page: CursorPage<AuditEntry> =
        audit_log::page(records, &filter, cursor.as_ref(), limit).await?;
    let actors = page.items.iter().filter_map(|entry| entry.actor_id);
    let known = names(records, Named::Users, actors.map(|id| id.0)).await?;
    Ok(Reply::of(CursorList::of(page, |entry| EntryView {
        id: entry.id,
        created_at: Moment(entry.created_at),
        actor_id: entry.actor_id.map(|id| id.0),
        actor: entry.actor_id.and_then(|id| known.get(&id.0).cloned()),
        action: entry.action,
        object_kind: entry.object_kind,
        object_id: entry.object_id,
        changes: entry.changes.0,
        outcome: entry.outcome,
        ip: entry.ip,
        request_id: entry.request_id,
    })))
}
