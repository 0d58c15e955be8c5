//! The five ways to run a piece of SQL in the common subset of both engines.

use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, TryGetable, Value};

use crate::database::statement;
use crate::error::{Result, StoreError};

/// Runs a statement and says how many rows it changed.
pub(crate) async fn execute(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<u64> {
    let done = connection
        .execute_raw(statement(connection, sql, values))
        .await?;
    Ok(done.rows_affected())
}

/// The first row.
pub(crate) async fn one<T: FromQueryResult>(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<T>> {
    Ok(T::find_by_statement(statement(connection, sql, values))
        .one(connection)
        .await?)
}

/// Every row.
pub(crate) async fn all<T: FromQueryResult>(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Vec<T>> {
    Ok(T::find_by_statement(statement(connection, sql, values))
        .all(connection)
        .await?)
}

/// The first column of the first row.
pub(crate) async fn value<T: TryGetable>(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<T>> {
    let row = connection
        .query_one_raw(statement(connection, sql, values))
        .await?;
    Ok(row.map(|row| row.try_get_by_index(0)).transpose()?)
}

/// The first column of every row.
pub(crate) async fn values<T: TryGetable>(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Vec<T>> {
    let rows = connection
        .query_all_raw(statement(connection, sql, values))
        .await?;
    let column = rows.iter().map(|row| row.try_get_by_index(0));
    Ok(column.collect::<std::result::Result<_, _>>()?)
}

/// The row that an INSERT … RETURNING must give.
pub(crate) fn returned<T>(row: Option<T>) -> Result<T> {
    row.ok_or_else(|| StoreError::Database(DbErr::RecordNotInserted))
}
