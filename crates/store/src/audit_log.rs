//! The audit log: who changed what, from where, with which outcome. Append-only: the database
//! itself refuses updates, and only retention removes entries.

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde_json::Value as Json;

use crate::conditions::Conditions;
use crate::cursor::{Cursor, CursorPage};
use crate::database::Transaction;
use crate::document::Document;
use crate::error::Result;
use crate::ids::UserId;
use crate::partitions::{AUDIT_LOG, ensure};
use crate::sql;

/// Most entries a page.
const MAX_PAGE: u32 = 1_000;

/// An administrative act to note.
#[derive(Clone, Debug)]
pub struct NewAuditEntry {
    /// When, in unix milliseconds.
    pub created_at: i64,
    /// Who; none for the program itself (set-up, declared records, background work).
    pub actor_id: Option<UserId>,
    /// What was done, for example `channel.update`.
    pub action: String,
    /// To what kind of thing, for example `channel`.
    pub object_kind: String,
    /// To which one.
    pub object_id: String,
    /// What changed, `{"field": {"from": …, "to": …}}`; secrets are left out by the caller.
    pub changes: Json,
    /// How it went, for example `done` or `refused`.
    pub outcome: String,
    /// From where.
    pub ip: Option<String>,
    /// In which request.
    pub request_id: Option<String>,
}

/// An entry as stored.
#[derive(Clone, Debug, PartialEq, FromQueryResult)]
pub struct AuditEntry {
    /// The entry's id.
    pub id: i64,
    /// When, in unix milliseconds.
    pub created_at: i64,
    /// Who; none for the program itself.
    pub actor_id: Option<UserId>,
    /// What was done.
    pub action: String,
    /// To what kind of thing.
    pub object_kind: String,
    /// To which one.
    pub object_id: String,
    /// What changed.
    pub changes: Document<Json>,
    /// How it went.
    pub outcome: String,
    /// From where.
    pub ip: Option<String>,
    /// In which request.
    pub request_id: Option<String>,
}

/// Which entries; what is `None` does not matter.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Not before this time.
    pub from_ms: Option<i64>,
    /// Before this time.
    pub until_ms: Option<i64>,
    /// By this user.
    pub actor_id: Option<UserId>,
    /// Exactly this act.
    pub action: Option<String>,
    /// On this kind of thing.
    pub object_kind: Option<String>,
    /// On the one with this id.
    pub object_id: Option<String>,
}

/// Notes an act, in the transaction that carries it out.
pub async fn append(transaction: &Transaction, entry: &NewAuditEntry) -> Result<()> {
    ensure(transaction, AUDIT_LOG, entry.created_at, entry.created_at).await?;
    let text = "INSERT INTO audit_log (created_at, actor_id, action, object_kind, object_id,
            changes, outcome, ip, request_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let values = [
        entry.created_at.into(),
        entry.actor_id.into(),
        entry.action.clone().into(),
        entry.object_kind.clone().into(),
        entry.object_id.clone().into(),
        Document(entry.changes.clone()).into(),
        entry.outcome.clone().into(),
        entry.ip.clone().into(),
        entry.request_id.clone().into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// The entries after `cursor` that match, newest first, at most `limit` (1000).
pub async fn page(
    connection: &impl ConnectionTrait,
    filter: &AuditFilter,
    cursor: Option<&Cursor>,
    limit: u32,
) -> Result<CursorPage<AuditEntry>> {
    let mut conditions = Conditions::default();
    conditions.add_some("created_at >= {}", filter.from_ms);
    conditions.add_some("created_at < {}", filter.until_ms);
    conditions.add_some("actor_id = {}", filter.actor_id);
    conditions.add_some("action = {}", filter.action.clone());
    conditions.add_some("object_kind = {}", filter.object_kind.clone());
    conditions.add_some("object_id = {}", filter.object_id.clone());
    if let Some(Cursor { created_at, tie }) = cursor {
        // A cursor of another list has no id of ours; it still stands for its time.
        let id = tie.parse::<i64>().unwrap_or(i64::MAX);
        conditions.before("created_at, id", *created_at, id);
    }
    let limit = limit.clamp(1, MAX_PAGE) as usize;
    let text = format!(
        "SELECT * FROM audit_log WHERE {} ORDER BY created_at DESC, id DESC LIMIT {}",
        conditions.sql(),
        limit + 1
    );
    let items: Vec<AuditEntry> = sql::all(connection, &text, conditions.values()).await?;
    Ok(CursorPage::cut(items, limit, |entry| {
        Cursor::new(entry.created_at, entry.id.to_string())
    }))
}
