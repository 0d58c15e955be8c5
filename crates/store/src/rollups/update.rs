//! Counting what the log has gained since the last time.
//!
//! The log notes each write as a batch; an update takes batches, adds their rows to the sums and
//! deletes the batches, all in one transaction. So a crash or a second node counts nothing twice,
//! and a write that commits late is not passed over, as a mark in time or a sequence would.

use sea_orm::FromQueryResult;

use super::query::Grain;
use super::tables::{PAYERS, SERVICE, SumTable, USAGE};
use crate::database::{Database, Transaction};
use crate::error::Result;
use crate::sql;

/// How much one update takes on.
#[derive(Clone, Copy, Debug)]
pub struct BatchBounds {
    /// Most batches.
    pub batches: u32,
    /// Longest stretch of the log that they may lie in, since all of it is read.
    pub stretch_ms: i64,
}

impl Default for BatchBounds {
    fn default() -> Self {
        Self {
            batches: 2_000,
            stretch_ms: 3_600_000,
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
    // Updating this row makes other nodes wait here until we commit.
    let text = "UPDATE rollup_state SET updated_at = $1 WHERE id = 1";
    sql::execute(&transaction, text, [now_ms.into()]).await?;
    let batches = waiting(&transaction, bounds).await?;
    if !batches.is_empty() {
        let rows = RowsOf::new(&batches);
        for grain in Grain::ALL {
            if grain.of_payers() == grain {
                add_calls(&transaction, &USAGE, grain, &rows).await?;
                add_calls(&transaction, &PAYERS, grain, &rows).await?;
            }
            add_calls(&transaction, &SERVICE, grain, &rows).await?;
            add_attempts(&transaction, grain, &rows).await?;
        }
        let text = format!("DELETE FROM request_batches WHERE id IN ({})", rows.ids);
        sql::execute(&transaction, &text, []).await?;
    }
    transaction.commit().await?;
    Ok(batches.len() as u64)
}

/// The oldest batches, as many as lie within the stretch of the first one.
async fn waiting(transaction: &Transaction, bounds: BatchBounds) -> Result<Vec<Batch>> {
    let text = "SELECT id, first_created_at, last_created_at FROM request_batches
        ORDER BY first_created_at, id LIMIT $1";
    let limit = i64::from(bounds.batches.max(1));
    let mut batches: Vec<Batch> = sql::all(transaction, text, [limit.into()]).await?;
    let Some(first) = batches.first() else {
        return Ok(batches);
    };
    let own_end = first.last_created_at;
    let end = own_end.max(first.first_created_at.saturating_add(bounds.stretch_ms));
    batches.retain(|batch| batch.last_created_at <= end);
    Ok(batches)
}

/// Which rows of the log belong to some batches.
struct RowsOf {
    ids: String,
    condition: String,
}

impl RowsOf {
    fn new(batches: &[Batch]) -> Self {
        let ids: Vec<String> = batches.iter().map(|batch| batch.id.to_string()).collect();
        let ids = ids.join(", ");
        let first = batches.iter().map(|batch| batch.first_created_at).min();
        let last = batches.iter().map(|batch| batch.last_created_at).max();
        // The range leads to the rows through the index by time; the ids tell ours apart.
        let condition = format!(
            "created_at BETWEEN {} AND {} AND batch_id IN ({ids})",
            first.unwrap_or_default(),
            last.unwrap_or_default()
        );
        Self { ids, condition }
    }
}

async fn add_calls(
    transaction: &Transaction,
    table: &SumTable,
    grain: Grain,
    rows: &RowsOf,
) -> Result<()> {
    let measures = table.measures();
    let text = format!(
        "INSERT INTO {name} (span_ms, bucket_start, {keys}, {names})
        SELECT {span}, created_at - created_at % {span}, {keys_of_log}, {measures_of_log}
        FROM request_log WHERE {condition}
        GROUP BY {grouped}
        ON CONFLICT (span_ms, bucket_start, {keys}) DO UPDATE SET {added}",
        name = table.name,
        keys = table.keys(),
        names = measures.join(", "),
        span = grain.span_ms(),
        keys_of_log = table.keys_of_log(),
        measures_of_log = table.measures_of_log(),
        condition = rows.condition,
        grouped = table.grouped(),
        added = additions(table.name, &measures),
    );
    sql::execute(transaction, &text, []).await?;
    Ok(())
}

async fn add_attempts(transaction: &Transaction, grain: Grain, rows: &RowsOf) -> Result<()> {
    let columns = ["attempts".to_owned(), "failures".to_owned()];
    let text = format!(
        "INSERT INTO attempt_rollups (span_ms, bucket_start, channel_id, attempts, failures)
        SELECT {span}, created_at - created_at % {span}, channel_id, COUNT(*), COUNT(error)
        FROM request_attempts WHERE {condition}
        GROUP BY 2, 3
        ON CONFLICT (span_ms, bucket_start, channel_id) DO UPDATE SET {added}",
        span = grain.span_ms(),
        condition = rows.condition,
        added = additions("attempt_rollups", &columns),
    );
    sql::execute(transaction, &text, []).await?;
    Ok(())
}

fn additions(table: &str, columns: &[String]) -> String {
    let additions: Vec<String> = columns
        .iter()
        .map(|name| format!("{name} = {table}.{name} + excluded.{name}"))
        .collect();
    additions.join(", ")
}
