//! Open connections, for reading and for writing, and what an engine says of itself.
//!
//! SQLite gets one writer (every write transaction begins IMMEDIATE, since a deferred one that
//! upgrades fails at once whatever the busy timeout) and a few readers; PostgreSQL gets one pool.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sea_orm::{ConnectionTrait, DatabaseConnection, FromQueryResult};

use super::alone::{MIGRATION_LOCK, take_lock};
use super::postgres::open_postgres;
use super::sqlite::{open_sqlite, quick_check};
use super::words::statement;
use crate::error::{Result, StoreError};
use crate::files::beside;
use crate::location::{Location, OpenOptions, SPOOL};
use crate::sql;
use crate::stop_mark::StopMark;
use crate::transaction::Transaction;

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
        let pool = open_postgres(url, options).await?;
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
            take_lock(&transaction, MIGRATION_LOCK).await?;
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
