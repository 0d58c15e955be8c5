//! Answers of the responses format that a client asked to keep. Input and output are encrypted;
//! only their owner finds them.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
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
}

/// Keeps a response; the same id again is a `Conflict`.
pub async fn insert(transaction: &Transaction, response: StoredResponse) -> Result<()> {
    let text = "INSERT INTO responses (id, user_id, previous_id, status, content_encrypted, \
                created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values = [
        response.id.into(),
        response.user_id.into(),
        response.previous_id.into(),
        response.status.into(),
        response.content_encrypted.into(),
        response.created_at.into(),
        response.expires_at.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
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
