//! A write transaction on either engine. Ours, and not the library's: that one copies every value of a statement
//! once more on its way to the engine, and the log of calls has many.

use std::fmt;

use sea_orm::entity::prelude::async_trait::async_trait;
use sea_orm::sqlx::pool::PoolConnection;
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::query::{Map, Query};
use sea_orm::sqlx::sqlite::SqliteArguments;
use sea_orm::sqlx::{
    self, AssertSqlSafe, Connection as _, Postgres, SqlSafeStr as _, Sqlite, SqlitePool,
};
use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult,
    RuntimeErr, Statement,
};
use sea_query_sqlx::SqlxValues;
use tokio::sync::Mutex;

use crate::database::Engine;
use crate::error::Result;
use crate::row_values::RowValues;

/// Begins a write on SQLite: one that begins as a read and upgrades later fails at once, however long it may wait.
const IMMEDIATE: &str = "BEGIN IMMEDIATE";

/// A write transaction; rolled back when it is dropped without `commit()`.
pub struct Transaction {
    engine: Engine,
    held: Mutex<Held>,
}

enum Held {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

impl Transaction {
    /// Waits for a connection and begins.
    pub(crate) async fn begin(
        engine: Engine,
        connections: &DatabaseConnection,
    ) -> std::result::Result<Self, DbErr> {
        let held = match engine {
            Engine::Sqlite => {
                let connection = idle_writer(connections.get_sqlite_connection_pool()).await?;
                let begun = sqlx::Transaction::begin(connection, Some(IMMEDIATE.into_sql_str()));
                begun.await.map(Held::Sqlite)
            }
            Engine::Postgres => {
                let pool = connections.get_postgres_connection_pool();
                let connection = pool.acquire().await.map_err(not_acquired)?;
                let begun = sqlx::Transaction::begin(connection, None);
                begun.await.map(Held::Postgres)
            }
        };
        let held = Mutex::new(held.map_err(not_answered)?);
        Ok(Self { engine, held })
    }

    /// Makes what was done last.
    pub async fn commit(self) -> Result<()> {
        let done = match self.held.into_inner() {
            Held::Sqlite(transaction) => transaction.commit().await,
            Held::Postgres(transaction) => transaction.commit().await,
        };
        Ok(done.map_err(not_answered)?)
    }

    /// Undoes what was done.
    pub async fn rollback(self) -> Result<()> {
        let done = match self.held.into_inner() {
            Held::Sqlite(transaction) => transaction.rollback().await,
            Held::Postgres(transaction) => transaction.rollback().await,
        };
        Ok(done.map_err(not_answered)?)
    }

    /// Runs a statement with values that go to the engine as they are; says how many rows it changed.
    pub(crate) async fn execute_with(
        &self,
        sql: String,
        add: impl FnOnce(&mut dyn RowValues) -> std::result::Result<(), sqlx::error::BoxDynError>,
    ) -> Result<u64> {
        let wrong = |error| not_executed(sqlx::Error::Encode(error));
        let done = match &mut *self.held.lock().await {
            Held::Sqlite(transaction) => {
                let mut values = SqliteArguments::default();
                add(&mut values).map_err(wrong)?;
                let query = sqlx::query_with(AssertSqlSafe(sql), values);
                let done = query.execute(&mut **transaction).await;
                done.map(|done| done.rows_affected())
            }
            Held::Postgres(transaction) => {
                let mut values = PgArguments::default();
                add(&mut values).map_err(wrong)?;
                let query = sqlx::query_with(AssertSqlSafe(sql), values);
                let done = query.execute(&mut **transaction).await;
                done.map(|done| done.rows_affected())
            }
        };
        Ok(done.map_err(not_executed)?)
    }
}

/// A connection without a transaction. SQLite ends one by itself where the disk is full; the connection does not learn
/// of it and is made anew.
async fn idle_writer(pool: &SqlitePool) -> std::result::Result<PoolConnection<Sqlite>, DbErr> {
    let connection = pool.acquire().await.map_err(not_acquired)?;
    if !connection.is_in_transaction() {
        return Ok(connection);
    }
    connection.close().await.map_err(not_acquired)?;
    pool.acquire().await.map_err(not_acquired)
}

fn not_acquired(error: sqlx::Error) -> DbErr {
    match error {
        sqlx::Error::PoolTimedOut => DbErr::ConnectionAcquire(ConnAcquireErr::Timeout),
        sqlx::Error::PoolClosed => DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed),
        other => DbErr::Conn(RuntimeErr::SqlxError(other.into())),
    }
}

fn not_executed(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

fn not_answered(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(error.into()))
}

fn query<DB: sqlx::Database>(statement: Statement) -> Query<'static, DB, SqlxValues>
where
    SqlxValues: sqlx::IntoArguments<DB>,
{
    let values = SqlxValues(
        statement
            .values
            .unwrap_or_else(|| sea_orm::Values(Vec::new())),
    );
    sqlx::query_with(AssertSqlSafe(statement.sql), values)
}

/// A query whose rows are the library's.
fn rows<DB: sqlx::Database>(
    statement: Statement,
) -> Map<'static, DB, impl FnMut(DB::Row) -> sqlx::Result<QueryResult> + Send, SqlxValues>
where
    SqlxValues: sqlx::IntoArguments<DB>,
    QueryResult: From<DB::Row>,
{
    query(statement).try_map(|row| Ok(QueryResult::from(row)))
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        match self.engine {
            Engine::Sqlite => DbBackend::Sqlite,
            Engine::Postgres => DbBackend::Postgres,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> std::result::Result<ExecResult, DbErr> {
        let done = match &mut *self.held.lock().await {
            Held::Sqlite(one) => {
                let done = query::<Sqlite>(statement).execute(&mut **one).await;
                done.map(ExecResult::from)
            }
            Held::Postgres(one) => {
                let done = query::<Postgres>(statement).execute(&mut **one).await;
                done.map(ExecResult::from)
            }
        };
        done.map_err(not_executed)
    }

    async fn execute_unprepared(&self, sql: &str) -> std::result::Result<ExecResult, DbErr> {
        let text = sqlx::raw_sql(AssertSqlSafe(sql));
        let done = match &mut *self.held.lock().await {
            Held::Sqlite(one) => text.execute(&mut **one).await.map(ExecResult::from),
            Held::Postgres(one) => text.execute(&mut **one).await.map(ExecResult::from),
        };
        done.map_err(not_executed)
    }

    async fn query_one_raw(
        &self,
        statement: Statement,
    ) -> std::result::Result<Option<QueryResult>, DbErr> {
        let row = match &mut *self.held.lock().await {
            Held::Sqlite(one) => rows::<Sqlite>(statement).fetch_optional(&mut **one).await,
            Held::Postgres(one) => rows::<Postgres>(statement).fetch_optional(&mut **one).await,
        };
        row.map_err(not_answered)
    }

    async fn query_all_raw(
        &self,
        statement: Statement,
    ) -> std::result::Result<Vec<QueryResult>, DbErr> {
        let rows = match &mut *self.held.lock().await {
            Held::Sqlite(one) => rows::<Sqlite>(statement).fetch_all(&mut **one).await,
            Held::Postgres(one) => rows::<Postgres>(statement).fetch_all(&mut **one).await,
        };
        rows.map_err(not_answered)
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").finish_non_exhaustive()
    }
}
