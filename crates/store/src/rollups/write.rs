//! Adding gathered sums to the tables, to users and to tokens, in the transaction that marks their writes as counted.

use std::collections::BTreeMap;

use sea_orm::Value;

use super::gathered::{Gathered, Tries};
use super::query::Grain;
use super::tables::{PAYERS, SERVICE, SumTable, TOTALS, USAGE};
use crate::database::{Transaction, insert_rows};
use crate::error::Result;
use crate::ids::UserId;
use crate::users::UserUsage;
use crate::{sql, tokens, users};

/// Rows a statement: 65 columns each stay below SQLite's 32,766 parameters.
const ROWS_A_STATEMENT: usize = 400;

/// Makes others who add to the sums wait until this transaction ends.
pub(super) async fn lock_sums(transaction: &Transaction, now_ms: i64) -> Result<()> {
    let text = "UPDATE rollup_state SET updated_at = $1 WHERE id = 1";
    sql::execute(transaction, text, [now_ms.into()]).await?;
    Ok(())
}

pub(super) async fn write(transaction: &Transaction, gathered: &Gathered) -> Result<()> {
    for table in [&USAGE, &PAYERS, &SERVICE, &TOTALS] {
        write_calls(transaction, table, gathered).await?;
    }
    write_tries(transaction, gathered).await?;
    users::add_usage(transaction, by_user(gathered)).await?;
    tokens::add_usage(transaction, gathered.tokens.values().copied()).await
}

/// What users used.
fn by_user(gathered: &Gathered) -> impl Iterator<Item = UserUsage> {
    let mut sums: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for (key, measures) in &gathered.calls {
        let (nanos, requests) = sums.entry(key.user_id).or_default();
        *nanos += measures.charge_nanos;
        *requests += measures.requests;
    }
    let usage = |(id, (nanos, requests))| UserUsage {
        id: UserId(id),
        nanos,
        requests,
    };
    sums.into_iter().map(usage)
}

async fn write_calls(
    transaction: &Transaction,
    table: &SumTable,
    gathered: &Gathered,
) -> Result<()> {
    let mut sums = BTreeMap::new();
    for grain in table.grains() {
        for (key, measures) in &gathered.calls {
            let sum: &mut super::Measures = sums
                .entry((grain.span_ms(), table.key_of(key, grain)))
                .or_default();
            *sum += *measures;
        }
    }
    let rows = sums.iter().map(|((span_ms, key), measures)| {
        let mut row: Vec<Value> = vec![(*span_ms).into(), key.bucket_start.into()];
        row.extend(table.key_values(key));
        row.extend(table.measure_values(measures));
        row
    });
    let keys = ["span_ms", "bucket_start"].into_iter().chain(table.keys());
    let keys: Vec<String> = keys.map(str::to_owned).collect();
    add(transaction, table.name, &keys, &table.measures(), rows).await
}

async fn write_tries(transaction: &Transaction, gathered: &Gathered) -> Result<()> {
    let mut sums: BTreeMap<(i64, i64, i64), Tries> = BTreeMap::new();
    for grain in Grain::ALL {
        for ((minute, channel_id), tries) in &gathered.tries {
            let place = (grain.span_ms(), grain.start_of(*minute), *channel_id);
            *sums.entry(place).or_default() += *tries;
        }
    }
    let rows = sums.iter().map(|((span_ms, start, channel_id), tries)| {
        let row = [
            *span_ms,
            *start,
            *channel_id,
            tries.attempts,
            tries.failures,
        ];
        row.map(Value::from).to_vec()
    });
    let keys = ["span_ms", "bucket_start", "channel_id"].map(str::to_owned);
    let measures = ["attempts", "failures"].map(str::to_owned);
    add(transaction, "attempt_rollups", &keys, &measures, rows).await
}

/// Adds rows of keys and measures to what a table has for their keys.
async fn add(
    transaction: &Transaction,
    table: &str,
    keys: &[String],
    measures: &[String],
    rows: impl Iterator<Item = Vec<Value>>,
) -> Result<()> {
    let additions: Vec<String> = measures
        .iter()
        .map(|name| format!("{name} = {table}.{name} + excluded.{name}"))
        .collect();
    let (columns, additions) = ([keys, measures].concat(), additions.join(", "));
    let rows: Vec<Vec<Value>> = rows.collect();
    for rows in rows.chunks(ROWS_A_STATEMENT) {
        let text = format!(
            "{} ON CONFLICT ({}) DO UPDATE SET {additions}",
            insert_rows(transaction, table, &columns, rows.len()),
            keys.join(", "),
        );
        sql::execute(transaction, &text, rows.concat()).await?;
    }
    Ok(())
}
