//! The ways to run a piece of SQL in the common subset of both engines.

use std::collections::HashSet;

use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, TryGetable, Value};

use crate::database::{Transaction, in_statements, statement, values_of};
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

/// Adds to rows of a table, whatever they hold, in the order of their ids.
pub(crate) async fn add_to(
    transaction: &Transaction,
    table: &str,
    set: &str,
    added: impl Iterator<Item = [i64; 3]>,
) -> Result<()> {
    let mut added: Vec<[i64; 3]> = added.collect();
    added.sort_unstable();
    let addition = Addition {
        table,
        set,
        only: "TRUE",
        order: "id",
    };
    addition.add(transaction, &added).await.map(drop)
}

/// A change of many rows of a table at once, each by what is added to it: its id, `added.nanos` and `added.other`.
pub(crate) struct Addition<'a> {
    pub(crate) table: &'a str,
    /// What is set.
    pub(crate) set: &'a str,
    /// Which of the rows are changed at all.
    pub(crate) only: &'a str,
    /// The order in which PostgreSQL locks them.
    pub(crate) order: &'a str,
}

impl Addition<'_> {
    /// Adds these, which come in the order of locking, so that nodes do not deadlock. Gives the ids of the
    /// rows that were changed.
    pub(crate) async fn add(
        &self,
        transaction: &Transaction,
        added: &[[i64; 3]],
    ) -> Result<HashSet<i64>> {
        let mut changed = HashSet::with_capacity(added.len());
        for rows in in_statements(added) {
            let text = self.text(transaction, rows.len());
            let given = rows.iter().flatten().map(|value| (*value).into());
            changed.extend(values::<i64>(transaction, &text, given).await?);
        }
        Ok(changed)
    }

    fn text(&self, transaction: &Transaction, rows: usize) -> String {
        let Self {
            table,
            set,
            only,
            order,
        } = self;
        let values = values_of(transaction, 3, rows);
        let (lock, join) = match transaction.get_database_backend() {
            DbBackend::Postgres => (
                format!(
                    ", locked AS (SELECT id FROM {table} WHERE id IN (SELECT id FROM added) \
                     ORDER BY {order} FOR NO KEY UPDATE)"
                ),
                format!("JOIN locked ON locked.id = added.id WHERE {table}.id = locked.id"),
            ),
            _ => (String::new(), format!("WHERE {table}.id = added.id")),
        };
        format!(
            "WITH added (id, nanos, other) AS ({values}){lock} \
             UPDATE {table} SET {set} FROM added {join} AND {only} RETURNING {table}.id"
        )
    }
}
