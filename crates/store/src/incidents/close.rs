//! Closing incidents: by themselves, when no node has seen them for a while, or by a person.

use super::incident::Incident;
use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{IncidentId, UserId};
use crate::sql;

/// Closes what no node has seen since then. Each is closed once, by whichever node comes first.
pub async fn close_unseen(
    transaction: &Transaction,
    unseen_since: i64,
    now: i64,
) -> Result<Vec<Incident>> {
    let text = "UPDATE incidents SET open_key = NULL, closed_at = $2 \
                WHERE open_key IS NOT NULL AND last_seen_at < $1 RETURNING *";
    sql::all(transaction, text, [unseen_since.into(), now.into()]).await
}

/// Closes one for a person; none where it is not open.
pub async fn close(
    transaction: &Transaction,
    id: IncidentId,
    by: UserId,
    now: i64,
) -> Result<Option<Incident>> {
    let text = "UPDATE incidents SET open_key = NULL, closed_at = $2, closed_by = $3 \
                WHERE id = $1 AND open_key IS NOT NULL RETURNING *";
    sql::one(transaction, text, [id.into(), now.into(), by.into()]).await
}

/// Notes that somebody looks after it; none where somebody does already, or where it is closed.
pub async fn acknowledge(
    transaction: &Transaction,
    id: IncidentId,
    by: UserId,
    now: i64,
) -> Result<Option<Incident>> {
    let text = "UPDATE incidents SET acknowledged_at = $2, acknowledged_by = $3 \
                WHERE id = $1 AND open_key IS NOT NULL AND acknowledged_at IS NULL RETURNING *";
    sql::one(transaction, text, [id.into(), now.into(), by.into()]).await
}

/// Removes what was over before then, with its timeline; says how many.
pub async fn forget(transaction: &Transaction, closed_before: i64) -> Result<u64> {
    let text = "DELETE FROM incidents WHERE closed_at < $1";
    sql::execute(transaction, text, [closed_before.into()]).await
}
