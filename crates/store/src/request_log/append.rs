//! Writing to the log, many calls at once, inside the transaction that charges them.

use std::collections::HashSet;

use sea_orm::{ConnectionTrait, DbBackend, Value};

use super::call::{Attempt, LoggedCall};
use crate::database::Transaction;
use crate::error::Result;
use crate::partitions::{REQUEST_ATTEMPTS, REQUEST_LOG, ensure};
use crate::sql;

/// Rows a statement: this many times the columns stay below SQLite's 32,766 parameters.
const ROWS_A_STATEMENT: usize = 1_000;

/// Adds calls and their attempts; says how many calls were new. See [`append_new`].
pub async fn append(
    transaction: &Transaction,
    calls: &[LoggedCall],
    attempts: &[Attempt],
) -> Result<u64> {
    let fresh = append_new(transaction, calls, attempts).await?;
    Ok(fresh.len() as u64)
}

/// Adds calls and their attempts; gives the ids of the calls that were new. A call that is in the
/// log already (same id, same time) is left as it is, so a replayed write counts nothing twice.
///
/// Every attempt has the time and the id of one of the calls.
pub async fn append_new(
    transaction: &Transaction,
    calls: &[LoggedCall],
    attempts: &[Attempt],
) -> Result<HashSet<String>> {
    let mut fresh = HashSet::with_capacity(calls.len());
    let Some((first_ms, last_ms)) = time_range(calls) else {
        return Ok(fresh);
    };
    ensure(transaction, REQUEST_LOG, first_ms, last_ms).await?;
    ensure(transaction, REQUEST_ATTEMPTS, first_ms, last_ms).await?;
    let batch_id = begin_batch(transaction, first_ms, last_ms).await?;
    for calls in calls.chunks(ROWS_A_STATEMENT) {
        let values = calls.iter().flat_map(|call| call_values(call, batch_id));
        let mut text = insert_text(transaction, "request_log", &CALL_COLUMNS, calls.len());
        text.push_str(" RETURNING request_id");
        fresh.extend(sql::values::<String>(transaction, &text, values).await?);
    }
    for attempts in attempts.chunks(ROWS_A_STATEMENT) {
        let values = attempts
            .iter()
            .flat_map(|attempt| attempt_values(attempt, batch_id));
        let (table, columns) = ("request_attempts", &ATTEMPT_COLUMNS);
        let text = insert_text(transaction, table, columns, attempts.len());
        sql::execute(transaction, &text, values).await?;
    }
    Ok(fresh)
}

fn time_range(calls: &[LoggedCall]) -> Option<(i64, i64)> {
    let times = calls.iter().map(|call| call.created_at);
    Some((times.clone().min()?, times.max()?))
}

/// Notes that these rows are still to be counted in the roll-ups.
async fn begin_batch(transaction: &Transaction, first_ms: i64, last_ms: i64) -> Result<i64> {
    let text = "INSERT INTO request_batches (first_created_at, last_created_at)
        VALUES ($1, $2) RETURNING id";
    let values = [first_ms.into(), last_ms.into()];
    sql::returned(sql::value(transaction, text, values).await?)
}

fn insert_text(transaction: &Transaction, table: &str, columns: &[&str], rows: usize) -> String {
    let mut text = format!("INSERT INTO {table} ({}) VALUES ", columns.join(", "));
    let is_postgres = transaction.get_database_backend() == DbBackend::Postgres;
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns.len() {
            text.push_str(if column == 0 { "" } else { ", " });
            // SQLite takes `$1` for a name and looks through all former names at each one, which
            // for thousands of parameters costs more than the insert.
            if is_postgres {
                let number = row * columns.len() + column + 1;
                text.push('$');
                text.push_str(&number.to_string());
            } else {
                text.push('?');
            }
        }
        text.push(')');
    }
    text.push_str(" ON CONFLICT DO NOTHING");
    text
}

const CALL_COLUMNS: [&str; 27] = [
    "created_at",
    "request_id",
    "batch_id",
    "user_id",
    "token_id",
    "endpoint",
    "model",
    "upstream_model",
    "channel_id",
    "status",
    "error_cause",
    "error_message",
    "is_stream",
    "source",
    "ip",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "other_usage",
    "is_estimated",
    "charge_nanos",
    "price_lines",
    "first_byte_ms",
    "total_ms",
    "attempt_count",
];

/// In the order of the columns.
fn call_values(call: &LoggedCall, batch_id: i64) -> [Value; 27] {
    [
        call.created_at.into(),
        call.request_id.clone().into(),
        batch_id.into(),
        call.user_id.into(),
        call.token_id.into(),
        call.endpoint.clone().into(),
        call.model.clone().into(),
        call.upstream_model.clone().into(),
        call.channel_id.into(),
        call.status.into(),
        call.error_cause.clone().into(),
        call.error_message.clone().into(),
        call.is_stream.into(),
        call.source.clone().into(),
        call.ip.clone().into(),
        call.input_tokens.into(),
        call.output_tokens.into(),
        call.cache_read_tokens.into(),
        call.cache_write_tokens.into(),
        call.reasoning_tokens.into(),
        call.other_usage.clone().into(),
        call.is_estimated.into(),
        call.charge_nanos.into(),
        call.price_lines.clone().into(),
        call.first_byte_ms.into(),
        call.total_ms.into(),
        call.attempt_count.into(),
    ]
}

const ATTEMPT_COLUMNS: [&str; 12] = [
    "created_at",
    "request_id",
    "position",
    "batch_id",
    "channel_id",
    "key_index",
    "status",
    "error",
    "started_after_ms",
    "connect_ms",
    "first_byte_ms",
    "total_ms",
];

/// In the order of the columns.
fn attempt_values(attempt: &Attempt, batch_id: i64) -> [Value; 12] {
    [
        attempt.created_at.into(),
        attempt.request_id.clone().into(),
        attempt.position.into(),
        batch_id.into(),
        attempt.channel_id.into(),
        attempt.key_index.into(),
        attempt.status.into(),
        attempt.error.clone().into(),
        attempt.started_after_ms.into(),
        attempt.connect_ms.into(),
        attempt.first_byte_ms.into(),
        attempt.total_ms.into(),
    ]
}
