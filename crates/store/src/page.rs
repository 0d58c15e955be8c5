//! Numbered pages of short lists, and searching by a part of a text. Endless lists use cursors.

use sea_orm::sea_query::LikeExpr;
use sea_orm::sea_query::NullOrdering;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, Order, PaginatorTrait, QueryOrder,
    QuerySelect, Select,
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
    /// Rows in the whole list.
    pub total: u64,
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorted<By> {
    /// By what.
    pub by: By,
    /// The largest first.
    pub is_descending: bool,
}

/// Sorts by a column, rows without a value last; what is equal, the newest first.
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
    let sorted = select.order_by_with_nulls(column, order, NullOrdering::Last);
    sorted.order_by_desc(id)
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
    let total = select.clone().count(connection).await?;
    let offset = page.number.saturating_sub(1).saturating_mul(page.size);
    let items = select
        .offset(offset)
        .limit(page.size)
        .all(connection)
        .await?;
    Ok(Paged { items, total })
}

/// A LIKE pattern for "contains this text", whatever wildcards the text holds.
pub(crate) fn containing(text: &str) -> LikeExpr {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    LikeExpr::new(pattern).escape('\\')
}
