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
}

/// Notes that a node runs.
pub async fn heartbeat(transaction: &Transaction, node: &Node) -> Result<()> {
    let text = "INSERT INTO nodes (id, version, started_at, heartbeat_at, has_journal) \
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE SET \
               version = excluded.version, started_at = excluded.started_at, \
               heartbeat_at = excluded.heartbeat_at, has_journal = excluded.has_journal";
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

/// All nodes that were ever seen and not removed.
pub async fn list(connection: &impl ConnectionTrait) -> Result<Vec<Node>> {
    let text = "SELECT id, version, started_at, heartbeat_at, has_journal FROM nodes ORDER BY id";
    sql::all(connection, text, []).await
}

/// Forgets a node; false where it is not known.
pub async fn remove(transaction: &Transaction, id: &str) -> Result<bool> {
    let text = "DELETE FROM nodes WHERE id = $1";
    let done = sql::execute(transaction, text, [id.into()]).await?;
    Ok(done > 0)
}
