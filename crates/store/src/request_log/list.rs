//! Reading the log: pages newest first, one call by its id, the attempts of what is shown.

use sea_orm::{ConnectionTrait, FromQueryResult, Value};

use super::call::{Attempt, LoggedCall};
use super::filter::LogFilter;
use crate::cursor::{Cursor, CursorPage};
use crate::database::statement;
use crate::error::Result;

/// Most rows a page.
pub const MAX_PAGE: u32 = 1_000;

/// Most rows that one page looks at when a condition has no index: a rare match in a long log
/// then takes several short calls instead of one endless one.
const MAX_LOOKED_AT: i64 = 50_000;

const NEWEST_FIRST: &str = "ORDER BY created_at DESC, request_id DESC";

/// The calls after `cursor` that match, newest first, at most `limit` ([`MAX_PAGE`]).
pub async fn page(
    connection: &impl ConnectionTrait,
    filter: &LogFilter,
    cursor: Option<&Cursor>,
    limit: u32,
) -> Result<CursorPage<LoggedCall>> {
    let mut conditions = filter.indexed();
    if let Some(cursor) = cursor {
        let Cursor { created_at, tie } = cursor;
        conditions.before("created_at, request_id", *created_at, tie.clone());
    }
    let indexed = conditions.clone();
    let indexed_sql = conditions.sql();
    let is_bounded = filter.add_unindexed(&mut conditions);
    let limit = limit.clamp(1, MAX_PAGE) as usize;
    let fetched = limit + 1;
    let sql = if is_bounded {
        let sql = conditions.sql();
        format!(
            "SELECT * FROM (SELECT * FROM request_log WHERE {indexed_sql} {NEWEST_FIRST}
                LIMIT {MAX_LOOKED_AT}) AS looked_at
            WHERE {sql} {NEWEST_FIRST} LIMIT {fetched}"
        )
    } else {
        format!("SELECT * FROM request_log WHERE {indexed_sql} {NEWEST_FIRST} LIMIT {fetched}")
    };
    let query = LoggedCall::find_by_statement(statement(connection, &sql, conditions.values()));
    let mut items = query.all(connection).await?;
    let next = if items.len() > limit {
        items.truncate(limit);
        items
            .last()
            .map(|call| Cursor::new(call.created_at, call.request_id.as_str()))
    } else if is_bounded {
        last_looked_at(connection, &indexed.sql(), indexed.values()).await?
    } else {
        None
    };
    Ok(CursorPage { items, next })
}

/// The last row that a bounded page looked at, if there may be more behind it.
async fn last_looked_at(
    connection: &impl ConnectionTrait,
    indexed_sql: &str,
    values: Vec<Value>,
) -> Result<Option<Cursor>> {
    let sql = format!(
        "SELECT created_at, request_id FROM request_log WHERE {indexed_sql} {NEWEST_FIRST}
        LIMIT 1 OFFSET {}",
        MAX_LOOKED_AT - 1
    );
    let row = connection
        .query_one_raw(statement(connection, &sql, values))
        .await?;
    let Some(row) = row else { return Ok(None) };
    let request_id: String = row.try_get("", "request_id")?;
    Ok(Some(Cursor::new(
        row.try_get("", "created_at")?,
        request_id,
    )))
}

/// One call by its id.
pub async fn find(
    connection: &impl ConnectionTrait,
    request_id: &str,
) -> Result<Option<LoggedCall>> {
    let sql = format!("SELECT * FROM request_log WHERE request_id = $1 {NEWEST_FIRST} LIMIT 1");
    let query = LoggedCall::find_by_statement(statement(connection, &sql, [request_id.into()]));
    Ok(query.one(connection).await?)
}

/// The attempts of these calls, by call and in the order they were made. Calls that stand next
/// to each other in a page are cheapest.
pub async fn attempts_of(
    connection: &impl ConnectionTrait,
    calls: &[LoggedCall],
) -> Result<Vec<Attempt>> {
    let mut attempts = Vec::new();
    for calls in calls.chunks(MAX_PAGE as usize) {
        let pairs: Vec<String> = (0..calls.len())
            .map(|call| format!("(${}, ${})", call * 2 + 1, call * 2 + 2))
            .collect();
        let times = || calls.iter().map(|call| call.created_at);
        // The plain range is what lets PostgreSQL leave out partitions.
        let sql = format!(
            "SELECT * FROM request_attempts WHERE created_at BETWEEN {} AND {}
                AND (created_at, request_id) IN (VALUES {})
            ORDER BY created_at, request_id, position",
            times().min().unwrap_or_default(),
            times().max().unwrap_or_default(),
            pairs.join(", ")
        );
        let values = calls
            .iter()
            .flat_map(|call| [call.created_at.into(), call.request_id.clone().into()]);
        let query = Attempt::find_by_statement(statement(connection, &sql, values));
        attempts.extend(query.all(connection).await?);
    }
    Ok(attempts)
}
