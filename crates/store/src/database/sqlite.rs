//! Opening files of SQLite, and telling damage from other trouble.

use std::path::Path;
use std::time::{Duration, Instant};

use sea_orm::sqlx;
use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, RuntimeErr};

use super::pool::pool_options;
use super::words::statement;
use crate::error::{Result, StoreError};
use crate::location::OpenOptions;

const SQLITE_BUSY: u32 = 5;
const SQLITE_IO_ERROR: u32 = 10;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_FULL: u32 = 13;
const SQLITE_NOT_A_DATABASE: u32 = 26;

/// How many statements an engine keeps prepared on a connection: those of all sizes, of the tables that are written often.
const KEPT_STATEMENTS: usize = 256;

/// The page of a new SQLite file. Twice the usual: a group commit writes half as many, and each is two writes. A file
/// that is there keeps its own.
const PAGE_BYTES: u32 = 8192;

/// Opens a file, which is made where there is none.
pub(super) async fn open_sqlite(
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
    let (DbErr::Conn(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) =
        error
    else {
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
    // SQLite makes files beside the database to open it.
    let hint = match told(error) {
        Some((SQLITE_IO_ERROR | SQLITE_FULL, _)) => " (is the disk full?)",
        _ => "",
    };
    StoreError::Location {
        location: path.display().to_string(),
        reason: format!("cannot open the SQLite database: {error}{hint}"),
    }
}

/// Refuses a damaged file.
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
