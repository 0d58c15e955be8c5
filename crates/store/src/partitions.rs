//! Partitions by time, on PostgreSQL only (SQLite has plain tables, and nothing here acts on it).
//!
//! The request log is cut by the day, since retention counts in days and dropping a day is
//! instant and leaves nothing to vacuum; the audit log, small and kept long, by 30 days. There is
//! no default partition: it would keep newest-first lists from stopping at the newest partition.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult};

use crate::database::{Database, Engine};
use crate::error::Result;
use crate::sql;

const DAY_MS: i64 = 86_400_000;

/// The advisory lock around making partitions ("mgpart" in ASCII).
const PARTITION_LOCK: i64 = 0x6d67_7061_7274;

/// A table that is cut by `created_at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partitioned {
    table: &'static str,
    span_ms: i64,
    /// How many partitions beyond the present one are made ahead.
    ahead: i64,
}

pub(crate) const REQUEST_LOG: Partitioned = Partitioned {
    table: "request_log",
    span_ms: DAY_MS,
    ahead: 7,
};
pub(crate) const AUDIT_LOG: Partitioned = Partitioned {
    table: "audit_log",
    span_ms: 30 * DAY_MS,
    ahead: 1,
};

#[derive(FromQueryResult)]
struct Partition {
    name: String,
    starts: i64,
}

/// Makes the partitions of the coming days, so that writes find theirs.
pub async fn prepare(database: &Database, now_ms: i64) -> Result<()> {
    if database.engine() != Engine::Postgres {
        return Ok(());
    }
    for partitioned in [REQUEST_LOG, AUDIT_LOG] {
        let transaction = database.write().await?;
        let last_ms = now_ms + partitioned.ahead * partitioned.span_ms;
        ensure(&transaction, partitioned, now_ms, last_ms).await?;
        transaction.commit().await?;
    }
    Ok(())
}

/// Makes what is missing of the partitions that hold `first_ms` to `last_ms`. Costs one cheap
/// question where nothing is missing, and blocks neither readers nor writers.
pub(crate) async fn ensure(
    connection: &impl ConnectionTrait,
    partitioned: Partitioned,
    first_ms: i64,
    last_ms: i64,
) -> Result<()> {
    if connection.get_database_backend() != DbBackend::Postgres {
        return Ok(());
    }
    let mut start_ms = partitioned.start_of(first_ms);
    while start_ms <= last_ms {
        let name = partitioned.name_of(start_ms)?;
        if !exists(connection, &name).await? {
            create(connection, partitioned, &name, start_ms).await?;
        }
        start_ms += partitioned.span_ms;
    }
    Ok(())
}

/// Drops up to `limit` partitions that end before `before_ms`, oldest first; says how many.
pub(crate) async fn drop_ended(
    database: &Database,
    partitioned: Partitioned,
    before_ms: i64,
    limit: u64,
) -> Result<u64> {
    let mut dropped = 0;
    for Partition { name, starts } in existing(database.read(), partitioned).await? {
        let ends_ms = starts + partitioned.span_ms;
        if ends_ms > before_ms || dropped >= limit {
            break;
        }
        let transaction = database.write().await?;
        // The drop waits for readers, and everyone else waits for the drop: give up early and
        // try again at the next run.
        transaction
            .execute_unprepared("SET LOCAL lock_timeout = '2s'")
            .await?;
        transaction
            .execute_unprepared(&format!("DROP TABLE IF EXISTS {name}"))
            .await?;
        transaction.commit().await?;
        dropped += 1;
    }
    Ok(dropped)
}

impl Partitioned {
    pub(crate) fn table(self) -> &'static str {
        self.table
    }

    fn start_of(self, time_ms: i64) -> i64 {
        time_ms - time_ms.rem_euclid(self.span_ms)
    }

    /// `request_log_20270115`: the table and the UTC date on which the partition begins.
    fn name_of(self, start_ms: i64) -> Result<String> {
        let start = Timestamp::from_millisecond(start_ms)
            .map_err(|error| DbErr::Custom(format!("{start_ms} is no time: {error}")))?
            .to_zoned(TimeZone::UTC);
        Ok(format!("{}_{}", self.table, start.strftime("%Y%m%d")))
    }
}

/// Reads the catalogue as a table: `to_regclass` may answer from a cache that does not know yet
/// what another node has just committed.
async fn exists(connection: &impl ConnectionTrait, name: &str) -> Result<bool> {
    let text = "SELECT EXISTS (SELECT 1 FROM pg_class
        WHERE relname = $1 AND relnamespace = current_schema()::regnamespace)";
    let exists = sql::value(connection, text, [name.into()]).await?;
    Ok(exists.unwrap_or(false))
}

/// Makes the table first and attaches it then, which locks the parent far less than
/// `CREATE TABLE … PARTITION OF` would.
async fn create(
    connection: &impl ConnectionTrait,
    partitioned: Partitioned,
    name: &str,
    start_ms: i64,
) -> Result<()> {
    let lock = "SELECT pg_advisory_xact_lock($1)";
    sql::execute(connection, lock, [PARTITION_LOCK.into()]).await?;
    if exists(connection, name).await? {
        return Ok(());
    }
    let Partitioned { table, span_ms, .. } = partitioned;
    let end_ms = start_ms + span_ms;
    let text = format!(
        "CREATE TABLE {name} (LIKE {table} INCLUDING ALL);
         ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ({start_ms}) TO ({end_ms});"
    );
    connection.execute_unprepared(&text).await?;
    Ok(())
}

/// The partitions there are, oldest first. Their bounds are read from the catalogue, not from
/// their names.
async fn existing(
    connection: &impl ConnectionTrait,
    partitioned: Partitioned,
) -> Result<Vec<Partition>> {
    let text = "SELECT child.relname::text AS name,
            (regexp_match(pg_get_expr(child.relpartbound, child.oid),
                'FROM \\(''?(-?[0-9]+)''?\\)'))[1]::bigint AS starts
        FROM pg_inherits
        JOIN pg_class child ON child.oid = pg_inherits.inhrelid
        WHERE pg_inherits.inhparent = $1::text::regclass
        ORDER BY starts";
    sql::all(connection, text, [partitioned.table.into()]).await
}
