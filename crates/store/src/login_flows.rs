//! Things begun and to be finished once: a login that waits for its second factor, a passkey
//! ceremony, a proof for a sensitive call. A flow is no session, and purposes never cross.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::UserId;
use crate::sql;

/// A flow as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct LoginFlow {
    /// What it is for, such as `2fa_login`.
    pub purpose: String,
    /// Who began it, where that is known.
    pub user_id: Option<UserId>,
    /// The user's auth version when it began.
    pub auth_version: i64,
    /// What the finisher needs, encrypted or opaque.
    pub state: Option<Vec<u8>>,
    /// How often somebody tried to finish it.
    pub attempts: i64,
    /// When it ends.
    pub expires_at: i64,
}

const COLUMNS: &str = "purpose, user_id, auth_version, state, attempts, expires_at";

/// Begins a flow; `secret_hash` is the keyed hash of its token.
pub async fn begin(
    transaction: &Transaction,
    secret_hash: &[u8],
    flow: &LoginFlow,
    now: i64,
) -> Result<()> {
    let text = "INSERT INTO login_flows (secret_hash, purpose, user_id, auth_version, state, \
                created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values = [
        secret_hash.to_vec().into(),
        flow.purpose.as_str().into(),
        flow.user_id.into(),
        flow.auth_version.into(),
        flow.state.clone().into(),
        now.into(),
        flow.expires_at.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Counts a try to finish and returns the flow: none where it is unknown, of another purpose,
/// over, finished, or was tried `limit` times.
pub async fn attempt(
    transaction: &Transaction,
    purpose: &str,
    secret_hash: &[u8],
    limit: i64,
    now: i64,
) -> Result<Option<LoginFlow>> {
    let text = format!(
        "UPDATE login_flows SET attempts = attempts + 1 WHERE secret_hash = $1 AND purpose = $2 \
         AND consumed_at IS NULL AND expires_at > $3 AND attempts < $4 RETURNING {COLUMNS}"
    );
    let values = [
        secret_hash.to_vec().into(),
        purpose.into(),
        now.into(),
        limit.into(),
    ];
    sql::one(transaction, &text, values).await
}

/// Finishes a flow; true for exactly one caller.
pub async fn consume(
    transaction: &Transaction,
    purpose: &str,
    secret_hash: &[u8],
    now: i64,
) -> Result<bool> {
    let text = "UPDATE login_flows SET consumed_at = $3 WHERE secret_hash = $1 AND purpose = $2 \
                AND consumed_at IS NULL AND expires_at > $3";
    let values = [secret_hash.to_vec().into(), purpose.into(), now.into()];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// A flow that can still be finished, without counting a try.
pub async fn find(
    connection: &impl ConnectionTrait,
    purpose: &str,
    secret_hash: &[u8],
    now: i64,
) -> Result<Option<LoginFlow>> {
    let text = format!(
        "SELECT {COLUMNS} FROM login_flows WHERE secret_hash = $1 AND purpose = $2 \
         AND consumed_at IS NULL AND expires_at > $3"
    );
    let values = [secret_hash.to_vec().into(), purpose.into(), now.into()];
    sql::one(connection, &text, values).await
}

/// Removes flows that are over.
pub async fn delete_expired(transaction: &Transaction, now: i64) -> Result<u64> {
    sql::execute(
        transaction,
        "DELETE FROM login_flows WHERE expires_at <= $1",
        [now.into()],
    )
    .await
}
