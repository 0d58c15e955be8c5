//! Counting from the log what nobody counted when it was written: writes of a node that died, or that
//! had too much to keep in memory.
//!
//! The log notes each write as a batch; an update takes batches, adds their rows to the sums and
//! deletes the batches, all in one transaction. So a crash or a second node counts nothing twice,
//! and a write that commits late is not passed over, as a mark in time or a sequence would.

use sea_orm::FromQueryResult;

use super::gathered::Gathered;
use super::write::{lock_sums, write};
use crate::database::{Database, Transaction};
use crate::error::Result;
use crate::request_log::LoggedCall;
use crate::sql;

/// Batches whose rows are read at once.
const READ_AT_ONCE: usize = 64;

/// How much one update takes on.
#[derive(Clone, Copy, Debug)]
pub struct BatchBounds {
    /// Most batches.
    pub batches: u32,
    /// Longest stretch of the log that they may lie in, since all of it is read.
    pub stretch_ms: i64,
    /// Only batches that ended before: the node that wrote a younger one is about to count it.
    pub until_ms: i64,
}

impl Default for BatchBounds {
    fn default() -> Self {
        Self {
            batches: 2_000,
            stretch_ms: 3_600_000,
            until_ms: i64::MAX,
        }
    }
}

#[derive(FromQueryResult)]
struct Batch {
    id: i64,
    first_created_at: i64,
    last_created_at: i64,
}

/// Adds waiting batches to the roll-ups; says how many. Call again while it says more than 0.
pub async fn update(database: &Database, bounds: BatchBounds, now_ms: i64) -> Result<u64> {
    let transaction = database.write().await?;
    lock_sums(&transaction, now_ms).await?;
    let batches = waiting(&transaction, bounds).await?;
    let mut gathered = Gathered::default();
    for batches in batches.chunks(READ_AT_ONCE) {
        take(&transaction, batches, &mut gathered).await?;
    }
    write(&transaction, &gathered).await?;
    transaction.commit().await?;
    Ok(batches.len() as u64)
}

/// The oldest batches, as many as lie within the stretch of the first one.
async fn waiting(transaction: &Transaction, bounds: BatchBounds) -> Result<Vec<Batch>> {
    let text = "SELECT id, first_created_at, last_created_at FROM request_batches
        WHERE last_created_at <= $1 ORDER BY first_created_at, id LIMIT $2";
    let limit = i64::from(bounds.batches.max(1));
    let values = [bounds.until_ms.into(), limit.into()];
    let mut batches: Vec<Batch> = sql::all(transaction, text, values).await?;
    let Some(first) = batches.first() else {
        return Ok(batches);
    };
    let own_end = first.last_created_at;
    let end = own_end.max(first.first_created_at.saturating_add(bounds.stretch_ms));
    batches.retain(|batch| batch.last_created_at <= end);
    Ok(batches)
}

/// Gathers the rows of batches and deletes the batches.
async fn take(transaction: &Transaction, batches: &[Batch], gathered: &mut Gathered) -> Result<()> {
    let ids: Vec<String> = batches.iter().map(|batch| batch.id.to_string()).collect();
    let ids = ids.join(", ");
    let first = batches.iter().map(|batch| batch.first_created_at).min();
    let last = batches.iter().map(|batch| batch.last_created_at).max();
    // The range leads to the rows through the index by time; the ids tell ours apart.
    let text = format!(
        "SELECT * FROM request_log WHERE created_at BETWEEN $1 AND $2 AND batch_id IN ({ids})"
    );
    let values = [
        first.unwrap_or_default().into(),
        last.unwrap_or_default().into(),
    ];
    for call in sql::all::<LoggedCall>(transaction, &text, values).await? {
        gathered.add(&call);
    }
    let text = format!("DELETE FROM request_batches WHERE id IN ({ids})");
    sql::execute(transaction, &text, []).await?;
    Ok(())
}
