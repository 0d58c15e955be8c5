//! Answers of the responses format that a client asked to keep. Input and output are encrypted;
//! only their owner finds them. Those that are made in the background say who makes them, so that
//! somebody else can end them once that node is gone.

use std::collections::HashSet;

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, in_statements, placeholders};
use crate::error::Result;
use crate::ids::UserId;
use crate::sql;

/// A kept response.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct StoredResponse {
    /// The response's id, as the client knows it.
    pub id: String,
    /// Whose.
    pub user_id: UserId,
    /// The response that it continues.
    pub previous_id: Option<String>,
    /// How far it came: `queued`, `in_progress`, `completed`, …
    pub status: String,
    /// Input and output, encrypted.
    pub content_encrypted: Vec<u8>,
    /// When it was made.
    pub created_at: i64,
    /// Until when it is kept.
    pub expires_at: i64,
    /// The node that makes it in the background.
    pub node_id: Option<String>,
    /// When that node last said so.
    pub alive_at: Option<i64>,
}

/// Keeps a response; the same id again is a `Conflict`.
pub async fn insert(transaction: &Transaction, response: StoredResponse) -> Result<()> {
    let text = "INSERT INTO responses (id, user_id, previous_id, status, content_encrypted, \
                created_at, expires_at, node_id, alive_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let values = [
        response.id.into(),
        response.user_id.into(),
        response.previous_id.into(),
        response.status.into(),
        response.content_encrypted.into(),
        response.created_at.into(),
        response.expires_at.into(),
        response.node_id.into(),
        response.alive_at.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Notes which items a response has made. One that another response of the same user made under its id is found no longer.
pub async fn note_items(transaction: &Transaction, id: &str, items: &[String]) -> Result<()> {
    let text = "INSERT INTO response_items (user_id, item_id, response_id) \
                SELECT user_id, $2, id FROM responses WHERE id = $1 \
                ON CONFLICT (user_id, item_id) DO UPDATE SET response_id = excluded.response_id";
    for item in items {
        sql::execute(transaction, text, [id.into(), item.as_str().into()]).await?;
    }
    Ok(())
}

/// The responses of a user that have made these items, in no order.
pub async fn makers_of(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    items: &[String],
) -> Result<Vec<String>> {
    let mut makers = Vec::new();
    for items in in_statements(items) {
        let text = format!(
            "SELECT response_id FROM response_items WHERE user_id = $1 AND item_id IN ({})",
            placeholders(2, items.len())
        );
        let items = items.iter().map(|item| item.as_str().into());
        let values = std::iter::once(user_id.into()).chain(items);
        makers.extend(sql::values::<String>(connection, &text, values).await?);
    }
    Ok(makers)
}

/// A user's response that is still kept.
pub async fn get(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    id: &str,
    now: i64,
) -> Result<Option<StoredResponse>> {
    let text = "SELECT * FROM responses WHERE id = $1 AND user_id = $2 AND expires_at > $3";
    sql::one(connection, text, [id.into(), user_id.into(), now.into()]).await
}

/// Moves a response on if it is still in the status that the caller saw; false otherwise, so that
/// a cancelled response is not completed after all.
pub async fn advance(
    transaction: &Transaction,
    id: &str,
    from: &str,
    to: &str,
    content_encrypted: Vec<u8>,
) -> Result<bool> {
    let text = "UPDATE responses SET status = $3, content_encrypted = $4 \
                WHERE id = $1 AND status = $2";
    let values = [id.into(), from.into(), to.into(), content_encrypted.into()];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// Notes that these responses are still being made. Those that are no longer to be made are not among
/// the ids that come back: somebody has cancelled, deleted or failed them.
pub async fn renew(transaction: &Transaction, ids: &[String], now: i64) -> Result<HashSet<String>> {
    let mut wanted = HashSet::new();
    for ids in in_statements(ids) {
        let text = format!(
            "UPDATE responses SET alive_at = $1 WHERE status = 'in_progress' AND id IN ({}) \
             RETURNING id",
            placeholders(2, ids.len())
        );
        let ids = ids.iter().map(|id| id.as_str().into());
        let values = std::iter::once(now.into()).chain(ids);
        wanted.extend(sql::values::<String>(transaction, &text, values).await?);
    }
    Ok(wanted)
}

/// Unfinished responses that this node made when it last ran.
pub async fn unfinished_of(
    connection: &impl ConnectionTrait,
    node_id: &str,
    limit: u32,
) -> Result<Vec<StoredResponse>> {
    let text = "SELECT * FROM responses WHERE status = 'in_progress' AND node_id = $1 \
                ORDER BY id LIMIT $2";
    sql::all(connection, text, [node_id.into(), i64::from(limit).into()]).await
}

/// Unfinished responses of which nobody has said since a time that they are being made. Versions that
/// never said so made theirs before `unsaid_since`, or are still at it.
pub async fn silent(
    connection: &impl ConnectionTrait,
    silent_since: i64,
    unsaid_since: i64,
    limit: u32,
) -> Result<Vec<StoredResponse>> {
    let text = "SELECT * FROM responses WHERE status = 'in_progress' AND (alive_at < $1 \
                OR (alive_at IS NULL AND created_at < $2)) ORDER BY id LIMIT $3";
    let values = [
        silent_since.into(),
        unsaid_since.into(),
        i64::from(limit).into(),
    ];
    sql::all(connection, text, values).await
}

/// Fails a response that nobody makes any more, with what is to be read in its place; false where
/// somebody has said something of it since it was seen.
pub async fn fail(
    transaction: &Transaction,
    seen: &StoredResponse,
    content_encrypted: Vec<u8>,
) -> Result<bool> {
    let text = "UPDATE responses SET status = 'failed', content_encrypted = $3 WHERE id = $1 \
                AND status = 'in_progress' AND COALESCE(alive_at, 0) = $2";
    let alive_at = seen.alive_at.unwrap_or(0);
    let values = [
        seen.id.as_str().into(),
        alive_at.into(),
        content_encrypted.into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// Forgets a user's response; false where it is not theirs.
pub async fn delete(transaction: &Transaction, user_id: UserId, id: &str) -> Result<bool> {
    let text = "DELETE FROM responses WHERE id = $1 AND user_id = $2";
    Ok(sql::execute(transaction, text, [id.into(), user_id.into()]).await? > 0)
}

/// Forgets responses whose time is over.
pub async fn delete_expired(transaction: &Transaction, now: i64) -> Result<u64> {
    sql::execute(
        transaction,
        "DELETE FROM responses WHERE expires_at <= $1",
        [now.into()],
    )
    .await
}
