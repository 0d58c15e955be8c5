//! Passkeys. The credential is the verifier's own document and stays opaque here.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{PasskeyId, UserId};
use crate::sql;

/// A passkey as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Passkey {
    /// The passkey's id.
    pub id: PasskeyId,
    /// Whose.
    pub user_id: UserId,
    /// The authenticator's id of the credential; unique.
    pub credential_id: Vec<u8>,
    /// What the user calls it.
    pub name: String,
    /// Public key, counter, flags and transports, as the verifier serialises them.
    pub credential: String,
    /// When it was registered.
    pub created_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
}

const COLUMNS: &str = "id, user_id, credential_id, name, credential, created_at, last_used_at";

/// Registers a passkey; a known credential is a `Conflict`.
pub async fn insert(
    transaction: &Transaction,
    user_id: UserId,
    credential_id: &[u8],
    name: &str,
    credential: &str,
    now: i64,
) -> Result<Passkey> {
    let text = format!(
        "INSERT INTO passkeys (user_id, credential_id, name, credential, created_at) \
         VALUES ($1, $2, $3, $4, $5) RETURNING {COLUMNS}"
    );
    let values = [
        user_id.into(),
        credential_id.to_vec().into(),
        name.into(),
        credential.into(),
        now.into(),
    ];
    sql::returned(sql::one(transaction, &text, values).await?)
}

/// The passkey of this credential.
pub async fn find(
    connection: &impl ConnectionTrait,
    credential_id: &[u8],
) -> Result<Option<Passkey>> {
    let text = format!("SELECT {COLUMNS} FROM passkeys WHERE credential_id = $1");
    sql::one(connection, &text, [credential_id.to_vec().into()]).await
}

/// The passkeys of a user, oldest first.
pub async fn list(connection: &impl ConnectionTrait, user_id: UserId) -> Result<Vec<Passkey>> {
    let text = format!("SELECT {COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY id");
    sql::all(connection, &text, [user_id.into()]).await
}

/// Keeps what a use changed (the counter and flags inside the credential).
pub async fn note_use(
    transaction: &Transaction,
    id: PasskeyId,
    credential: &str,
    now: i64,
) -> Result<()> {
    let text = "UPDATE passkeys SET credential = $2, last_used_at = $3 WHERE id = $1";
    sql::execute(
        transaction,
        text,
        [id.into(), credential.into(), now.into()],
    )
    .await?;
    Ok(())
}

/// Removes a passkey of a user; false where it is not theirs.
pub async fn delete(transaction: &Transaction, user_id: UserId, id: PasskeyId) -> Result<bool> {
    let text = "DELETE FROM passkeys WHERE id = $1 AND user_id = $2";
    Ok(sql::execute(transaction, text, [id.into(), user_id.into()]).await? > 0)
}
