//! Forgetting leases that were closed long ago. A lease that is not there is to everybody what a closed one is; only a
//! charge that comes very late would still look up which budgets it counts in.

use crate::database::{Transaction, placeholders};
use crate::error::Result;
use crate::ids::LeaseId;
use crate::sql;

/// Forgets leases that were closed before then, at most `limit` of them, and says how many that were. Those of a node whose
/// journal waits to be replayed stay: charges of theirs are to come.
pub async fn forget(transaction: &Transaction, before_ms: i64, limit: u32) -> Result<u64> {
    let text = "SELECT id FROM leases WHERE closed_at < $1 AND state <> 'open' \
               AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = leases.node_id \
               AND nodes.has_journal) ORDER BY closed_at LIMIT $2";
    let values = [before_ms.into(), i64::from(limit).into()];
    let ids: Vec<LeaseId> = sql::values(transaction, text, values).await?;
    for ids in ids.chunks(1_000) {
        // What refers to them goes first.
        for (table, column) in [("lease_budgets", "lease_id"), ("leases", "id")] {
            let places = placeholders(1, ids.len());
            let text = format!("DELETE FROM {table} WHERE {column} IN ({places})");
            let values = ids.iter().map(|id| (*id).into());
            sql::execute(transaction, &text, values).await?;
        }
    }
    Ok(ids.len() as u64)
}
