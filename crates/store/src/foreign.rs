//! Databases of other programs, read and never written: their tables as text. What the tables mean
//! is the server's business.

use std::path::Path;
use std::time::Duration;

use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, DatabaseConnection, DatabaseTransaction,
    DbBackend, IsolationLevel, TransactionTrait,
};
use tokio::io::AsyncReadExt as _;

use crate::database::statement;
use crate::error::{Result, StoreError};
use crate::location::Location;
use crate::sql;

/// Rows that are read at once.
const ROWS_AT_ONCE: u32 = 1_000;
const WAIT: Duration = Duration::from_secs(10);

/// An open database of another program.
#[derive(Debug)]
pub struct ForeignDatabase {
    connection: DatabaseConnection,
    /// One transaction, so that all tables are of the same moment.
    view: DatabaseTransaction,
}

/// A row: one text a column, none for NULL.
pub type ForeignRow = Vec<Option<String>>;

impl ForeignDatabase {
    /// Opens a SQLite file or a PostgreSQL database for reading.
    pub async fn open(location: &Location) -> Result<Self> {
        let connection = match location {
            Location::Sqlite(path) => open_file(path).await,
            Location::Postgres(url) => {
                let mut options = ConnectOptions::new(url.as_str());
                options
                    .max_connections(1)
                    .connect_timeout(WAIT)
                    .acquire_timeout(WAIT)
                    .sqlx_logging(false);
                sea_orm::Database::connect(options).await
            }
        };
        let unusable = |error: sea_orm::DbErr| StoreError::Location {
            location: location.public_name(),
            reason: format!("cannot be read: {error}"),
        };
        let connection = connection.map_err(unusable)?;
        let view = match connection.get_database_backend() {
            DbBackend::Postgres => {
                let isolation = Some(IsolationLevel::RepeatableRead);
                let access = Some(AccessMode::ReadOnly);
                connection.begin_with_config(isolation, access).await
            }
            _ => connection.begin().await,
        };
        let view = view.map_err(unusable)?;
        Ok(Self { connection, view })
    }

    /// The names of all tables.
    pub async fn tables(&self) -> Result<Vec<String>> {
        let text = match self.view.get_database_backend() {
            DbBackend::Postgres => {
                "SELECT CAST(table_name AS TEXT) FROM information_schema.tables \
                 WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' \
                 ORDER BY table_name"
            }
            _ => {
                "SELECT name FROM sqlite_master WHERE type = 'table' \
                 AND name NOT LIKE 'sqlite_%' ORDER BY name"
            }
        };
        sql::values(&self.view, text, []).await
    }

    /// The columns of a table.
    pub async fn columns(&self, table: &str) -> Result<Vec<String>> {
        let text = match self.view.get_database_backend() {
            DbBackend::Postgres => {
                "SELECT CAST(column_name AS TEXT) FROM information_schema.columns \
                 WHERE table_schema = current_schema() AND table_name = $1 \
                 ORDER BY ordinal_position"
            }
            _ => "SELECT name FROM pragma_table_info($1)",
        };
        sql::values(&self.view, text, [table.into()]).await
    }

    /// The next rows of a table from one on, in the order of its first column; none is the end.
    pub async fn rows(
        &self,
        table: &str,
        columns: &[String],
        from: u64,
    ) -> Result<Vec<ForeignRow>> {
        let Some(first) = columns.first() else {
            return Ok(Vec::new());
        };
        let texts: Vec<String> = columns
            .iter()
            .map(|column| format!("CAST({} AS TEXT)", quoted(column)))
            .collect();
        let text = format!(
            "SELECT {} FROM {} ORDER BY {} LIMIT {ROWS_AT_ONCE} OFFSET {from}",
            texts.join(", "),
            quoted(table),
            quoted(first),
        );
        let found = self
            .view
            .query_all_raw(statement(&self.view, &text, []))
            .await?;
        let read = |row: &sea_orm::QueryResult| {
            (0..columns.len())
                .map(|index| row.try_get_by_index::<Option<String>>(index))
                .collect::<std::result::Result<ForeignRow, _>>()
        };
        Ok(found
            .iter()
            .map(read)
            .collect::<std::result::Result<_, _>>()?)
    }

    /// Closes it.
    pub async fn close(self) -> Result<()> {
        self.view.rollback().await?;
        self.connection.close_by_ref().await?;
        Ok(())
    }
}

async fn open_file(path: &Path) -> std::result::Result<DatabaseConnection, sea_orm::DbErr> {
    let file = path.to_owned();
    let is_settled = is_settled_copy(path).await;
    let mut options = ConnectOptions::new("sqlite:");
    options
        .max_connections(1)
        .connect_timeout(WAIT)
        .acquire_timeout(WAIT)
        .sqlx_logging(false);
    options.map_sqlx_sqlite_opts(move |sqlite| {
        sqlite
            .filename(&file)
            .in_memory(false)
            .create_if_missing(false)
            .read_only(true)
            .immutable(is_settled)
            .busy_timeout(WAIT)
            // Somebody else's file: nothing in its schema may run.
            .pragma("trusted_schema", "OFF")
            .pragma("query_only", "ON")
    });
    sea_orm::Database::connect(options).await
}

/// Whether a file is a copy of a database with a write-ahead log, without that log. Reading it in the
/// usual way would leave files beside it.
async fn is_settled_copy(path: &Path) -> bool {
    /// Where the file says how it is written, and that it has such a log.
    const WRITTEN: (usize, u8) = (18, 2);
    let Ok(file) = tokio::fs::File::open(path).await else {
        return false;
    };
    let mut head = Vec::new();
    let read = file.take(WRITTEN.0 as u64 + 1).read_to_end(&mut head).await;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    read.is_ok() && head.get(WRITTEN.0) == Some(&WRITTEN.1) && !Path::new(&log).exists()
}

/// A name as both engines take it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
