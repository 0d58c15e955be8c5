//! Pieces of SQL: what both engines understand, and what they spell differently for all subjects.

use sea_orm::{ConnectionTrait, DbBackend, Statement, Value};

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
