//! The nodes of the service: who runs, which version, and whose journal waits to be replayed.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::sql;

/// A node as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Node {
    /// The node's own name, kept over restarts.
    pub id: String,
    /// The version of the program it runs.
    pub version: String,
    /// When it started.
    pub started_at: i64,
    /// When it last showed that it runs.
    pub heartbeat_at: i64,
    /// Charges wait in its journal; what it leased stays held until they are replayed.
    pub has_journal: bool,
    /// When it stopped in order, if it has not started since.
    pub stopped_at: Option<i64>,
}

const COLUMNS: &str = "id, version, started_at, heartbeat_at, has_journal, stopped_at";

/// Notes that a node runs. What is known of its journal stays, see [`set_journal`].
pub async fn heartbeat(transaction: &Transaction, node: &Node) -> Result<()> {
    let text = "INSERT INTO nodes (id, version, started_at, heartbeat_at, has_journal) \
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE SET \
               version = excluded.version, started_at = excluded.started_at, \
               heartbeat_at = excluded.heartbeat_at, stopped_at = NULL";
    let values = [
        node.id.as_str().into(),
        node.version.as_str().into(),
        node.started_at.into(),
        node.heartbeat_at.into(),
        node.has_journal.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Notes whether charges wait in a node's journal, which also shows that it runs. A node that keeps
/// one says so all the time: while the database was started after the node last did, its leases stay held too, since it may
/// have settled meanwhile.
pub async fn set_journal(
    transaction: &Transaction,
    id: &str,
    has_journal: bool,
    now: i64,
) -> Result<()> {
    let text = "INSERT INTO nodes (id, version, started_at, heartbeat_at, has_journal, \
               journal_told_at) VALUES ($1, '', $2, $2, $3, $2) ON CONFLICT (id) DO UPDATE SET \
               heartbeat_at = excluded.heartbeat_at, has_journal = excluded.has_journal, \
               journal_told_at = excluded.journal_told_at";
    let values = [id.into(), now.into(), has_journal.into()];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// All nodes that were ever seen and not removed.
pub async fn list(connection: &impl ConnectionTrait) -> Result<Vec<Node>> {
    let text = format!("SELECT {COLUMNS} FROM nodes ORDER BY id");
    sql::all(connection, &text, []).await
}

/// Notes that a node stops in order. It is not lost then.
pub async fn stopped(transaction: &Transaction, id: &str, now: i64) -> Result<()> {
    let text = "UPDATE nodes SET stopped_at = $2 WHERE id = $1";
    sql::execute(transaction, text, [id.into(), now.into()]).await?;
    Ok(())
}

/// Nodes that showed themselves between these times, not since, and did not stop in order.
pub async fn lost(
    connection: &impl ConnectionTrait,
    from_ms: i64,
    until_ms: i64,
) -> Result<Vec<Node>> {
    let text = format!(
        "SELECT {COLUMNS} FROM nodes \
         WHERE stopped_at IS NULL AND heartbeat_at >= $1 AND heartbeat_at < $2 ORDER BY id"
    );
    sql::all(connection, &text, [from_ms.into(), until_ms.into()]).await
}

/// Forgets a node; false where it is not known.
pub async fn remove(transaction: &Transaction, id: &str) -> Result<bool> {
    let text = "DELETE FROM nodes WHERE id = $1";
    let done = sql::execute(transaction, text, [id.into()]).await?;
    Ok(done > 0)
}

/// How many nodes have shown since then that they run.
pub async fn count_since(connection: &impl ConnectionTrait, since: i64) -> Result<i64> {
    let text = "SELECT count(*) FROM nodes WHERE heartbeat_at >= $1";
    let count = sql::value(connection, text, [since.into()]).await?;
    Ok(count.unwrap_or(0))
}
