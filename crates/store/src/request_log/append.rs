//! Writing to the log, many calls at once, inside the transaction that charges them.

use std::collections::HashSet;

use sea_orm::FromQueryResult;
use sea_orm::sqlx::error::BoxDynError;

use super::call::LoggedCall;
use crate::database::{Transaction, in_statements, insert_rows_with};
use crate::error;
use crate::partitions::{REQUEST_LOG, ensure};
use crate::row_values::RowValues;
use crate::sql;
use crate::text::Text;

/// What came of writing some calls.
#[derive(Debug)]
pub struct Appended {
    /// The write's number; see [`crate::rollups`]. None where there was nothing to write.
    pub batch_id: Option<i64>,
    /// The calls that were in the log before, by time and id as the log knows them.
    known: HashSet<(i64, Text)>,
}

impl Appended {
    /// Whether this call, one of those written, was not in the log before.
    pub fn is_new(&self, call: &LoggedCall) -> bool {
        self.known.is_empty() || !self.known.contains(&key(call))
    }
}

/// Adds calls. One that is in the log already (same id, same time) is left as it is, so a replayed
/// write counts nothing twice.
pub async fn append(transaction: &Transaction, calls: &[&LoggedCall]) -> error::Result<Appended> {
    let mut appended = Appended {
        batch_id: None,
        known: HashSet::new(),
    };
    let times = calls.iter().map(|call| call.created_at);
    let Some((first_ms, last_ms)) = times.clone().min().zip(times.max()) else {
        return Ok(appended);
    };
    ensure(transaction, REQUEST_LOG, first_ms, last_ms).await?;
    let batch_id = begin_batch(transaction, first_ms, last_ms).await?;
    appended.batch_id = Some(batch_id);
    let (plain, other): (Vec<&LoggedCall>, Vec<_>) = calls.iter().partition(|call| is_plain(call));
    let written = insert(transaction, &plain, true, batch_id).await?
        + insert(transaction, &other, false, batch_id).await?;
    if written < calls.len() as u64 {
        let new = new_in(transaction, batch_id, first_ms, last_ms).await?;
        let keys = calls.iter().map(|call| key(call));
        appended.known = keys.filter(|key| !new.contains(key)).collect();
    }
    Ok(appended)
}

/// Adds calls that are all plain or all not; gives how many were not there. What plain ones have in the columns that few
/// calls have something in is part of the statement: each parameter costs about as much as a column of the row itself.
async fn insert(
    transaction: &Transaction,
    calls: &[&LoggedCall],
    are_plain: bool,
    batch_id: i64,
) -> error::Result<u64> {
    let (mut columns, mut same) = (COLUMNS.to_vec(), &RARE_COLUMNS[..]);
    if !are_plain {
        columns.extend(RARE_COLUMNS.map(|(name, _)| name));
        same = &[];
    }
    let mut written = 0;
    for rows in in_statements(calls) {
        let text = insert_rows_with(transaction, "request_log", &columns, same, rows.len())
            + " ON CONFLICT DO NOTHING";
        let add = |values: &mut dyn RowValues| {
            values.expect(rows.len() * columns.len());
            rows.iter().try_for_each(|call| {
                add_call(values, call, batch_id)?;
                if are_plain {
                    return Ok(());
                }
                add_rare(values, call)
            })
        };
        written += transaction.execute_with(text, add).await?;
    }
    Ok(written)
}

/// The calls that a write brought.
async fn new_in(
    transaction: &Transaction,
    batch_id: i64,
    first_ms: i64,
    last_ms: i64,
) -> error::Result<HashSet<(i64, Text)>> {
    let text = "SELECT created_at, request_id FROM request_log
        WHERE created_at BETWEEN $1 AND $2 AND batch_id = $3";
    let values = [first_ms.into(), last_ms.into(), batch_id.into()];
    let keys: Vec<Key> = sql::all(transaction, text, values).await?;
    let pairs = keys.into_iter().map(|key| (key.created_at, key.request_id));
    Ok(pairs.collect())
}

/// What tells a call from all others.
#[derive(FromQueryResult)]
struct Key {
    created_at: i64,
    request_id: Text,
}

fn key(call: &LoggedCall) -> (i64, Text) {
    (call.created_at, call.request_id.clone())
}

/// Notes that these rows are still to be counted in the roll-ups.
async fn begin_batch(transaction: &Transaction, first_ms: i64, last_ms: i64) -> error::Result<i64> {
    let text = "INSERT INTO request_batches (first_created_at, last_created_at)
        VALUES ($1, $2) RETURNING id";
    let values = [first_ms.into(), last_ms.into()];
    sql::returned(sql::value(transaction, text, values).await?)
}

const COLUMNS: [&str; 19] = [
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
    "is_stream",
    "ip",
    "input_tokens",
    "output_tokens",
    "charge_nanos",
    "price_lines",
    "first_byte_ms",
    "total_ms",
    "attempts",
];

/// In the order of [`COLUMNS`].
fn add_call(
    values: &mut dyn RowValues,
    call: &LoggedCall,
    batch_id: i64,
) -> Result<(), BoxDynError> {
    values.number(Some(call.created_at))?;
    values.text(Some(&call.request_id))?;
    values.number(Some(batch_id))?;
    values.number(Some(call.user_id.0))?;
    values.number(call.token_id.map(|id| id.0))?;
    values.text(Some(&call.endpoint))?;
    values.text(Some(&call.model))?;
    values.text(call.upstream_model.as_ref())?;
    values.number(call.channel_id.map(|id| id.0))?;
    values.number(Some(call.status))?;
    values.switch(call.is_stream)?;
    values.text(call.ip.as_ref())?;
    values.number(Some(call.input_tokens))?;
    values.number(Some(call.output_tokens))?;
    values.number(Some(call.charge_nanos))?;
    values.written(call.price_lines.text())?;
    values.number(call.first_byte_ms)?;
    values.number(Some(call.total_ms))?;
    values.written(call.attempts.text())
}

/// The columns that most calls have the same in, and what that is.
const RARE_COLUMNS: [(&str, &str); 9] = [
    ("source", "'api'"),
    ("error_cause", "NULL"),
    ("error_message", "NULL"),
    ("cache_read_tokens", "0"),
    ("cache_write_tokens", "0"),
    ("reasoning_tokens", "0"),
    ("other_usage", "'[]'"),
    ("is_estimated", "FALSE"),
    ("loss_nanos", "NULL"),
];

/// Whether a call has the same as most in all of [`RARE_COLUMNS`].
fn is_plain(call: &LoggedCall) -> bool {
    let has_error = call.error_cause.is_some() || call.error_message.is_some();
    let tokens = call.cache_read_tokens | call.cache_write_tokens | call.reasoning_tokens;
    let is_usual = call.source.as_str() == "api" && !call.is_estimated && call.loss_nanos.is_none();
    is_usual && !has_error && tokens == 0 && call.other_usage.0.is_empty()
}

/// In the order of [`RARE_COLUMNS`].
fn add_rare(values: &mut dyn RowValues, call: &LoggedCall) -> Result<(), BoxDynError> {
    values.text(Some(&call.source))?;
    values.text(call.error_cause.as_ref())?;
    values.text(call.error_message.as_ref())?;
    values.number(Some(call.cache_read_tokens))?;
    values.number(Some(call.cache_write_tokens))?;
    values.number(Some(call.reasoning_tokens))?;
    values.written(call.other_usage.text())?;
    values.switch(call.is_estimated)?;
    values.number(call.loss_nanos)
}

/// Writes what a call was charged in the end, in the transaction that has just added it.
pub async fn set_charge(transaction: &Transaction, call: &LoggedCall) -> error::Result<()> {
    let text = "UPDATE request_log SET charge_nanos = $3, loss_nanos = $4, price_lines = $5 \
                WHERE created_at = $1 AND request_id = $2";
    let values = [
        call.created_at.into(),
        call.request_id.as_str().into(),
        call.charge_nanos.into(),
        call.loss_nanos.into(),
        call.price_lines.text().into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}
