//! Reading the log: pages newest first, one call by its id.

use sea_orm::{ConnectionTrait, FromQueryResult, Statement};

use super::call::LoggedCall;
use super::filter::LogFilter;
use crate::conditions::Conditions;
use crate::cursor::{Cursor, CursorPage};
use crate::database::statement;
use crate::error::Result;
use crate::sql;

/// Most rows a page.
pub const MAX_PAGE: u32 = 1_000;

const NEWEST_FIRST: &str = "ORDER BY created_at DESC, request_id DESC";

/// How much one page may be.
#[derive(Clone, Copy, Debug)]
pub struct PageBounds {
    /// Rows shown, at most [`MAX_PAGE`].
    pub rows: u32,
    /// Rows looked at when a condition has no index: a rare match in a long log then takes
    /// several short calls instead of one endless one.
    pub looked_at: u32,
}

impl PageBounds {
    /// Shows this many rows and looks at a usual number.
    pub fn rows(rows: u32) -> Self {
        Self {
            rows,
            looked_at: 10_000,
        }
    }
}

/// The calls after `cursor` that match, newest first.
pub async fn page(
    connection: &impl ConnectionTrait,
    filter: &LogFilter,
    cursor: Option<&Cursor>,
    bounds: PageBounds,
) -> Result<CursorPage<LoggedCall>> {
    let query = page_statement(connection, filter, cursor, bounds);
    let mut items = LoggedCall::find_by_statement(query).all(connection).await?;
    let rows = shown(bounds);
    let next = if items.len() > rows {
        items.truncate(rows);
        items
            .last()
            .map(|call| Cursor::new(call.created_at, call.request_id.as_str()))
    } else if filter.has_unindexed() {
        last_looked_at(connection, &indexed(filter, cursor), bounds).await?
    } else {
        None
    };
    Ok(CursorPage { items, next })
}

/// The statement behind [`page`], for looking at its plan. It asks for one row more than is shown.
pub fn page_statement(
    connection: &impl ConnectionTrait,
    filter: &LogFilter,
    cursor: Option<&Cursor>,
    bounds: PageBounds,
) -> Statement {
    let mut conditions = indexed(filter, cursor);
    let fetched = shown(bounds) + 1;
    let sql = if filter.has_unindexed() {
        let inner = conditions.sql();
        filter.add_unindexed(&mut conditions);
        format!(
            "SELECT * FROM (SELECT * FROM request_log WHERE {inner} {NEWEST_FIRST}
                LIMIT {looked_at}) AS looked_at
            WHERE {all} {NEWEST_FIRST} LIMIT {fetched}",
            looked_at = bounds.looked_at.max(1),
            all = conditions.sql()
        )
    } else {
        format!(
            "SELECT * FROM request_log WHERE {} {NEWEST_FIRST} LIMIT {fetched}",
            conditions.sql()
        )
    };
    statement(connection, &sql, conditions.values())
}

fn shown(bounds: PageBounds) -> usize {
    bounds.rows.clamp(1, MAX_PAGE) as usize
}

fn indexed(filter: &LogFilter, cursor: Option<&Cursor>) -> Conditions {
    let mut conditions = filter.indexed();
    if let Some(Cursor { created_at, tie }) = cursor {
        conditions.before("created_at, request_id", *created_at, tie.clone());
    }
    conditions
}

#[derive(FromQueryResult)]
struct Place {
    created_at: i64,
    request_id: String,
}

/// The last row that a bounded page looked at, if there may be more behind it.
async fn last_looked_at(
    connection: &impl ConnectionTrait,
    indexed: &Conditions,
    bounds: PageBounds,
) -> Result<Option<Cursor>> {
    let text = format!(
        "SELECT created_at, request_id FROM request_log WHERE {} {NEWEST_FIRST}
        LIMIT 1 OFFSET {}",
        indexed.sql(),
        bounds.looked_at.max(1) - 1
    );
    let last: Option<Place> = sql::one(connection, &text, indexed.values()).await?;
    Ok(last.map(|place| Cursor::new(place.created_at, place.request_id)))
}

/// One call by its id.
pub async fn find(
    connection: &impl ConnectionTrait,
    request_id: &str,
) -> Result<Option<LoggedCall>> {
    let text = format!("SELECT * FROM request_log WHERE request_id = $1 {NEWEST_FIRST} LIMIT 1");
    sql::one(connection, &text, [request_id.into()]).await
}
