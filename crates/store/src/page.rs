//! Numbered pages of short lists, and searching by a part of a text. Endless lists use cursors.

use futures_util::future::try_join;
use sea_orm::sea_query::{Alias, Asterisk, Expr, Func, LikeExpr, NullOrdering, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, Iterable as _, Order,
    PrimaryKeyToColumn, QueryFilter as _, QueryOrder, QuerySelect, QueryTrait, Select,
};

use crate::error::Result;

/// Which page: `number` counts from 1.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The page's number, from 1.
    pub number: u64,
    /// Rows a page.
    pub size: u64,
}

/// One page of a list, and how long the list is.
#[derive(Clone, Debug)]
pub struct Paged<T> {
    /// The rows of this page.
    pub items: Vec<T>,
    /// Rows in the whole list; a long one is counted no further than [`MOST_COUNTED`].
    pub total: u64,
}

/// How far the rows of a list are counted: nobody pages so far, and counting takes time.
pub const MOST_COUNTED: u64 = 100_000;

/// How far they are counted where a text is searched for: pages reach no further.
pub(crate) const MOST_FOUND: u64 = 10_000;

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorted<By> {
    /// By what.
    pub by: By,
    /// The largest first.
    pub is_descending: bool,
}

/// Sorts by a column, rows without a value last; what is equal, in the order it was made, or the newest first
/// where the largest come first: an index can be read either way.
pub(crate) fn sort<E, C>(select: Select<E>, column: C, is_descending: bool, id: C) -> Select<E>
where
    E: EntityTrait,
    C: ColumnTrait,
{
    let order = if is_descending {
        Order::Desc
    } else {
        Order::Asc
    };
    let sorted = if column.def().is_null() {
        select.order_by_with_nulls(column, order.clone(), NullOrdering::Last)
    } else {
        select.order_by(column, order.clone())
    };
    sorted.order_by(id, order)
}

pub(crate) async fn fetch<C, E, M>(
    connection: &C,
    select: Select<E>,
    page: Page,
) -> Result<Paged<M>>
where
    C: ConnectionTrait,
    E: EntityTrait<Model = M>,
    M: FromQueryResult + Send + Sync,
{
    fetch_counting(connection, select, page, MOST_COUNTED).await
}

/// One page of a list that is counted so far.
pub(crate) async fn fetch_counting<C, E, M>(
    connection: &C,
    select: Select<E>,
    page: Page,
    most: u64,
) -> Result<Paged<M>>
where
    C: ConnectionTrait,
    E: EntityTrait<Model = M>,
    M: FromQueryResult + Send + Sync,
{
    let offset = page.number.saturating_sub(1).saturating_mul(page.size);
    let items = async {
        // First which rows, then what is in them: the whole list may have to be sorted, and rows are wide.
        let Some(id) = E::PrimaryKey::iter()
            .next()
            .map(PrimaryKeyToColumn::into_column)
        else {
            return Ok(Vec::new());
        };
        let which = select.clone().select_only().column(id);
        let which = which.offset(offset).limit(page.size).into_query();
        let rows = select.clone().filter(id.in_subquery(which));
        Ok(rows.all(connection).await?)
    };
    let total = count(connection, select.clone(), most);
    let (total, items) = try_join(total, items).await?;
    Ok(Paged { items, total })
}

async fn count<E: EntityTrait>(
    connection: &impl ConnectionTrait,
    select: Select<E>,
    most: u64,
) -> Result<u64> {
    let mut rows = select.select_only().expr(Expr::cust("1")).into_query();
    rows.clear_order_by().limit(most);
    let mut counting = Query::select();
    counting
        .expr(Func::count(Expr::col(Asterisk)))
        .from_subquery(rows, Alias::new("counted"));
    let statement = connection.get_database_backend().build(&counting);
    let row = connection.query_one_raw(statement).await?;
    let count: Option<i64> = row.map(|row| row.try_get_by_index(0)).transpose()?;
    Ok(count
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0))
}

/// The condition that a column contains this text, in upper or lower case: SQLite's LIKE knows no other.
pub(crate) fn contains(
    connection: &impl ConnectionTrait,
    column: impl ColumnTrait,
    text: &str,
) -> Expr {
    match connection.get_database_backend() {
        // A backslash escapes there anyway.
        DbBackend::Postgres => column.ilike(LikeExpr::new(pattern_of(text))),
        _ => column.like(containing(text)),
    }
}

/// What is LIKE "contains this text".
pub(crate) fn containing(text: &str) -> LikeExpr {
    LikeExpr::new(pattern_of(text)).escape('\\')
}

/// A LIKE pattern for "contains this text", whatever wildcards the text holds; `\` escapes.
pub(crate) fn pattern_of(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
