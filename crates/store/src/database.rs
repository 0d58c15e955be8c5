//! Connections, and what queries need of how the two engines differ. How a transaction begins is in
//! [`crate::transaction`]; what differs for one subject alone (partitions, backup) is in its own file.
//!
//! SQLite gets one writer (every write transaction begins IMMEDIATE, since a deferred one that
//! upgrades fails at once whatever the busy timeout) and a few readers; PostgreSQL gets one pool.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::sqlx;
use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, FromQueryResult,
    RuntimeErr, Statement, Value,
};

use crate::error::{Result, StoreError};
use crate::files::beside;
use crate::location::{Location, OpenOptions, SPOOL};
use crate::sql;
use crate::stop_mark::StopMark;
pub(crate) use crate::transaction::Transaction;

/// The advisory lock that PostgreSQL nodes take around migrations ("modelgat" in ASCII).
const MIGRATION_LOCK: i64 = 0x6d6f_6465_6c67_6174;
/// The same for declarations.
const DECLARATIONS_LOCK: i64 = 0x4d47_4445_434c;

/// The same for beginnings of imports.
const IMPORTS_LOCK: i64 = 0x4d47_494d_5054;

const SQLITE_BUSY: u32 = 5;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_NOT_A_DATABASE: u32 = 26;

/// Which database engine is behind the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// An embedded file.
    Sqlite,
    /// A PostgreSQL server, 15 or newer.
    Postgres,
}

/// What an engine says of itself.
#[derive(Clone, Debug, FromQueryResult)]
pub struct DatabaseFacts {
    /// Its version.
    pub version: String,
    /// How large the records are, in bytes.
    pub size_bytes: i64,
}

/// A pool of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolFacts {
    /// What it is for.
    pub name: &'static str,
    /// Connections.
    pub size: u32,
    /// Of them: those that wait for work.
    pub idle: u32,
}

/// Open connections to the records. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Database {
    engine: Engine,
    writer: DatabaseConnection,
    readers: DatabaseConnection,
    stop_mark: Option<Arc<StopMark>>,
    /// Where charges may be before they are here: beside a SQLite file.
    spool: Option<[PathBuf; 2]>,
}

impl Database {
    /// Connects; after an unclean stop a SQLite file is checked first. Does not touch the schema.
    pub(crate) async fn connect(location: &Location, options: &OpenOptions) -> Result<Self> {
        match location {
            Location::Sqlite(path) => Self::connect_sqlite(path, options).await,
            Location::Postgres(url) => Self::connect_postgres(url, options).await,
        }
    }

    async fn connect_sqlite(path: &Path, options: &OpenOptions) -> Result<Self> {
        let (mark, was_unclean) = StopMark::take(path).await?;
        let writer = open_sqlite(path, 1, options, false).await?;
        if was_unclean {
            tracing::warn!(path = %path.display(), "the last run did not stop cleanly; checking");
            quick_check(&writer, path).await?;
            mark.checked()?;
        }
        let readers = open_sqlite(path, options.sqlite_readers.max(1), options, true).await?;
        Ok(Self {
            engine: Engine::Sqlite,
            writer,
            readers,
            stop_mark: Some(Arc::new(mark)),
            spool: Some(SPOOL.map(|suffix| beside(path, suffix))),
        })
    }

    async fn connect_postgres(url: &str, options: &OpenOptions) -> Result<Self> {
        let milliseconds = |time: Duration| time.as_millis().to_string();
        let statement_timeout = milliseconds(options.statement_timeout);
        let lock_timeout = milliseconds(options.wait);
        let mut connect = pool_options(url, options.postgres_connections.max(2), options);
        connect.map_sqlx_postgres_opts(move |postgres| {
            postgres.application_name("modelgate").options([
                ("statement_timeout", statement_timeout.as_str()),
                ("lock_timeout", lock_timeout.as_str()),
                // A node that hangs inside a transaction must not hold its locks for ever.
                ("idle_in_transaction_session_timeout", "60000"),
                // Sums have dozens of columns: compiling them takes longer than adding them up, and
                // few of their rows fit into what a sort gets otherwise.
                ("jit", "off"),
                ("work_mem", "32MB"),
                // Records are on drives that seek at no cost; as for a spinning disk, a week's sums would
                // be looked for in the whole table.
                ("random_page_cost", "1.1"),
            ])
        });
        let pool = sea_orm::Database::connect(connect).await?;
        Ok(Self {
            engine: Engine::Postgres,
            writer: pool.clone(),
            readers: pool,
            stop_mark: None,
            spool: None,
        })
    }

    /// Which engine this is.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The files in which charges may be on disk before the records have them: where those are on the same disk,
    /// and together with them.
    pub fn spool(&self) -> Option<&[PathBuf; 2]> {
        self.spool.as_ref()
    }

    /// Connections for reading outside a transaction. On SQLite they cannot write.
    pub fn read(&self) -> &DatabaseConnection {
        &self.readers
    }

    /// Begins a write transaction: waits for the one writer on SQLite, for a connection of the
    /// pool on PostgreSQL (isolation READ COMMITTED; decide by conditional updates, not by reads).
    pub async fn write(&self) -> Result<Transaction> {
        Ok(Transaction::begin(self.engine, &self.writer).await?)
    }

    /// Begins the transaction that migrations run in: alone among all nodes, without time limits.
    pub(crate) async fn write_alone(&self) -> Result<Transaction> {
        let transaction = self.write().await?;
        if self.engine == Engine::Postgres {
            transaction
                .execute_unprepared("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
                .await?;
            let lock = statement(
                &transaction,
                "SELECT pg_advisory_xact_lock($1)",
                [MIGRATION_LOCK.into()],
            );
            transaction.execute_raw(lock).await?;
        }
        Ok(transaction)
    }

    /// How many connections there are and how many of them wait for work, pool by pool.
    pub fn pools(&self) -> Vec<PoolFacts> {
        let facts = |name, size, idle| PoolFacts {
            name,
            size,
            idle: u32::try_from(idle).unwrap_or(u32::MAX).min(size),
        };
        let sqlite = |name, connection: &DatabaseConnection| {
            let pool = connection.get_sqlite_connection_pool();
            facts(name, pool.size(), pool.num_idle())
        };
        match self.engine {
            Engine::Sqlite => vec![
                sqlite("writer", &self.writer),
                sqlite("readers", &self.readers),
            ],
            Engine::Postgres => {
                let pool = self.writer.get_postgres_connection_pool();
                vec![facts("all", pool.size(), pool.num_idle())]
            }
        }
    }

    /// What the engine says of itself and of the records.
    pub async fn facts(&self) -> Result<DatabaseFacts> {
        let text = match self.engine {
            Engine::Sqlite => {
                "SELECT sqlite_version() AS version, page_count * page_size AS size_bytes \
                 FROM pragma_page_count(), pragma_page_size()"
            }
            Engine::Postgres => {
                "SELECT current_setting('server_version') AS version, \
                 pg_database_size(current_database()) AS size_bytes"
            }
        };
        let facts = sql::all(self.read(), text, []).await?;
        facts.into_iter().next().ok_or_else(StoreError::no_answer)
    }

    /// Writes a copy of an embedded database into an empty file, from one moment of it.
    pub(crate) async fn copy_into(&self, file: &str) -> Result<()> {
        let copy = statement(&self.writer, "VACUUM INTO $1", [file.into()]);
        self.writer.execute_raw(copy).await?;
        Ok(())
    }

    /// Whether a table of this name exists.
    pub(crate) async fn has_table(&self, name: &str) -> Result<bool> {
        let text = match self.engine {
            Engine::Sqlite => "SELECT count(*) FROM sqlite_master WHERE name = $1",
            Engine::Postgres => {
                "SELECT count(*) FROM pg_tables WHERE tablename = $1 \
                 AND schemaname = ANY (current_schemas(false))"
            }
        };
        let found: Option<i64> = sql::value(self.read(), text, [name.into()]).await?;
        Ok(found.is_some_and(|count| count > 0))
    }

    /// Closes every connection and, on SQLite, notes that this was a clean stop.
    pub async fn close(self) -> Result<()> {
        self.readers.close_by_ref().await?;
        self.writer.close_by_ref().await?;
        if let Some(mark) = &self.stop_mark {
            mark.clean()?;
        }
        Ok(())
    }
}

/// Work that only one transaction among all nodes does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Applying what the configuration file declares.
    Declarations,
    /// Beginning to import something, or to undo it.
    Imports,
}

/// Waits until no other transaction does this work; ends with the transaction. SQLite has one writer,
/// so there is nothing to wait for.
pub async fn alone(transaction: &Transaction, work: Alone) -> Result<()> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        let key = match work {
            Alone::Declarations => DECLARATIONS_LOCK,
            Alone::Imports => IMPORTS_LOCK,
        };
        let lock = statement(
            transaction,
            "SELECT pg_advisory_xact_lock($1)",
            [key.into()],
        );
        transaction.execute_raw(lock).await?;
    }
    Ok(())
}

/// A statement in the common subset of both engines, with `$1` parameters.
pub fn statement(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Statement {
    Statement::from_sql_and_values(connection.get_database_backend(), sql, values)
}

/// The tail of a SELECT inside a write transaction that must see no concurrent change to its
/// rows. SQLite has one writer, so there is nothing to lock.
pub fn for_update(connection: &impl ConnectionTrait) -> &'static str {
    match connection.get_database_backend() {
        DbBackend::Postgres => " FOR UPDATE",
        _ => "",
    }
}

/// Like [`for_update`], leaving out rows that another transaction holds: for jobs that several
/// nodes do at once.
pub fn for_update_skipping(connection: &impl ConnectionTrait) -> &'static str {
    match connection.get_database_backend() {
        DbBackend::Postgres => " FOR UPDATE SKIP LOCKED",
        _ => "",
    }
}

/// When the database server started, in unix milliseconds, as an expression of SQL. An embedded
/// database is never away, so it has always been there.
pub(crate) fn server_started_at(connection: &impl ConnectionTrait) -> &'static str {
    match connection.get_database_backend() {
        DbBackend::Postgres => {
            "CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000 AS BIGINT)"
        }
        _ => "0",
    }
}

/// `$first, $next, …`: the list of an IN or of one VALUES row.
pub(crate) fn placeholders(first: usize, count: usize) -> String {
    let list: Vec<String> = (first..first + count)
        .map(|number| format!("${number}"))
        .collect();
    list.join(", ")
}

/// Rows a statement at most: of up to 63 columns they stay below SQLite's 32,766 parameters.
const MOST_ROWS_A_STATEMENT: usize = 512;

/// Of a number of rows so many binary digits count: there are few sizes, which keeps the statements prepared, and
/// most numbers need one or two of them.
const DIGITS_OF_SIZES: u32 = 3;

/// How many statements an engine keeps prepared on a connection: those of all sizes, of the tables that are written often.
const KEPT_STATEMENTS: usize = 256;

/// The page of a new SQLite file. Twice the usual: a group commit writes half as many, and each is two writes. A file
/// that is there keeps its own.
const PAGE_BYTES: u32 = 8192;

/// Rows for one statement each, in few sizes.
pub(crate) fn in_statements<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = rows_of_a_statement(rows.len())?;
        let (these, behind) = rows.split_at(size);
        rows = behind;
        Some(these)
    })
}

/// How many of so many rows go into the next statement; none where there are none.
fn rows_of_a_statement(rows: usize) -> Option<usize> {
    let most = rows.min(MOST_ROWS_A_STATEMENT);
    let digits = most.checked_ilog2()? + 1;
    let left_out = digits.saturating_sub(DIGITS_OF_SIZES);
    Some(most >> left_out << left_out)
}

/// `INSERT INTO table (…) VALUES (…), …` for so many rows.
pub(crate) fn insert_rows(
    connection: &impl ConnectionTrait,
    table: &str,
    columns: &[impl AsRef<str>],
    rows: usize,
) -> String {
    insert_rows_with(connection, table, columns, &[], rows)
}

/// Like [`insert_rows`], where some columns, with their values in SQL, are the same in all rows.
pub(crate) fn insert_rows_with(
    connection: &impl ConnectionTrait,
    table: &str,
    columns: &[impl AsRef<str>],
    same: &[(&str, &str)],
    rows: usize,
) -> String {
    let mut names: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
    names.extend(same.iter().map(|(name, _)| name));
    let literals: String = same.iter().flat_map(|(_, value)| [", ", *value]).collect();
    let values = rows_of_values(connection, columns.len(), &literals, rows);
    format!("INSERT INTO {table} ({}) {values}", names.join(", "))
}

/// `VALUES (…), …` for so many rows.
pub(crate) fn values_of(connection: &impl ConnectionTrait, columns: usize, rows: usize) -> String {
    rows_of_values(connection, columns, "", rows)
}

/// Rows of parameters, each with the same end. SQLite takes `$1` for a name and looks through all former names at each
/// one, which for thousands of parameters costs more than the statement.
fn rows_of_values(
    connection: &impl ConnectionTrait,
    columns: usize,
    end: &str,
    rows: usize,
) -> String {
    let is_postgres = connection.get_database_backend() == DbBackend::Postgres;
    let mut text = String::from("VALUES ");
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            text.push_str(if column == 0 { "" } else { ", " });
            if is_postgres {
                let number = row * columns + column + 1;
                // Writing into a string cannot fail.
                let _ = write!(text, "${number}");
            } else {
                text.push('?');
            }
        }
        text.push_str(end);
        text.push(')');
    }
    text
}

fn pool_options(url: impl Into<String>, connections: u32, options: &OpenOptions) -> ConnectOptions {
    let mut connect = ConnectOptions::new(url);
    connect
        .max_connections(connections)
        .min_connections(1)
        .connect_timeout(options.wait)
        .acquire_timeout(options.wait)
        .sqlx_logging(false);
    connect
}

async fn open_sqlite(
    path: &Path,
    connections: u32,
    options: &OpenOptions,
    read_only: bool,
) -> Result<DatabaseConnection> {
    let file = path.to_owned();
    let wait = options.wait;
    let mut connect = pool_options("sqlite:", connections, options);
    // A pooled SQLite connection never goes stale, and reopening one costs a cold page cache.
    connect
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>);
    connect.map_sqlx_sqlite_opts(move |sqlite| {
        let sqlite = sqlite
            .filename(&file)
            .in_memory(false)
            .create_if_missing(true)
            .page_size(PAGE_BYTES)
            .journal_mode(SqliteJournalMode::Wal)
            // NORMAL would lose the last commits on a power cut, and a charge that was
            // acknowledged must be on disk. Group commits pay for the fsync.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(wait)
            .statement_cache_capacity(KEPT_STATEMENTS)
            .pragma("temp_store", "MEMORY");
        if read_only {
            sqlite
                .pragma("cache_size", "-8000")
                .pragma("query_only", "ON")
        } else {
            // What a full group commit changes: what does not fit would be written twice.
            sqlite.pragma("cache_size", "-16000")
        }
    });
    let until = Instant::now() + wait;
    loop {
        let opened = sea_orm::Database::connect(connect.clone()).await;
        let reason = opened.as_ref().err().and_then(told);
        // Of two programs that turn a new file to the write-ahead log at once, SQLite lets neither wait.
        let is_busy = reason.is_some_and(|(code, _)| code == SQLITE_BUSY);
        if !is_busy || Instant::now() >= until {
            return opened.map_err(|error| cannot_open(path, &error));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Opens a copy that nobody writes to, for reading; leaves no files beside it.
pub(crate) async fn open_copy(path: &Path) -> Result<DatabaseConnection> {
    let file = path.to_owned();
    let mut connect = pool_options("sqlite:", 1, &OpenOptions::default());
    connect.map_sqlx_sqlite_opts(move |sqlite| {
        let sqlite = sqlite.filename(&file).in_memory(false);
        sqlite.read_only(true).immutable(true)
    });
    let opened = sea_orm::Database::connect(connect).await;
    opened.map_err(|error| cannot_open(path, &error))
}

/// Why SQLite could not open a file: its code, and its words.
fn told(error: &DbErr) -> Option<(u32, &str)> {
    let DbErr::Conn(RuntimeErr::SqlxError(cause)) = error else {
        return None;
    };
    let sqlx::Error::Database(cause) = cause.as_ref() else {
        return None;
    };
    let code: u32 = cause.code()?.parse().ok()?;
    Some((code & 0xff, cause.message()))
}

fn cannot_open(path: &Path, error: &DbErr) -> StoreError {
    // SQLite reads the file's head to open it, so damage there shows before any check.
    if let Some((SQLITE_CORRUPT | SQLITE_NOT_A_DATABASE, detail)) = told(error) {
        return StoreError::Damaged {
            path: path.to_owned(),
            detail: detail.to_owned(),
        };
    }
    StoreError::Location {
        location: path.display().to_string(),
        reason: format!("cannot open the SQLite database: {error}"),
    }
}

pub(crate) async fn quick_check(connection: &DatabaseConnection, path: &Path) -> Result<()> {
    let check = statement(connection, "PRAGMA quick_check(1)", []);
    let outcome = match connection.query_one_raw(check).await {
        Ok(Some(row)) => row.try_get_by_index::<String>(0)?,
        Ok(None) => "the check gave no answer".to_owned(),
        Err(error) => error.to_string(),
    };
    if outcome == "ok" {
        return Ok(());
    }
    Err(StoreError::Damaged {
        path: path.to_owned(),
        detail: outcome,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_go_into_few_statements_of_few_sizes() {
        let mut sizes = BTreeSet::new();
        for count in 0..=2_000 {
            let rows = vec![(); count];
            let statements: Vec<usize> = in_statements(&rows).map(<[()]>::len).collect();
            assert_eq!(statements.iter().sum::<usize>(), count);
            assert!(statements.len() <= count / MOST_ROWS_A_STATEMENT + 3);
            sizes.extend(statements);
        }
        assert_eq!(sizes.len(), 32);
    }
}
