//! Connecting to a PostgreSQL server.

use std::time::Duration;

use sea_orm::{DatabaseConnection, DbErr, RuntimeErr, sqlx};

use super::pool::pool_options;
use crate::error::Result;
use crate::location::OpenOptions;

/// Opens the one pool for reading and writing.
pub(super) async fn open_postgres(url: &str, options: &OpenOptions) -> Result<DatabaseConnection> {
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
    let opened = sea_orm::Database::connect(connect).await;
    Ok(opened.map_err(|error| nobody_answers(error, options.wait))?)
}

/// A server that refuses connections is tried again for a while; a pool that "timed out" would say nothing of that.
fn nobody_answers(error: DbErr, waited: Duration) -> DbErr {
    let is_late = matches!(&error, DbErr::Conn(RuntimeErr::SqlxError(cause))
        if matches!(cause.as_ref(), sqlx::Error::PoolTimedOut));
    if !is_late {
        return error;
    }
    let seconds = waited.as_secs();
    let text = format!("no server took a connection at this address within {seconds} s");
    DbErr::Conn(RuntimeErr::Internal(text))
}
