//! Personal access tokens: what scripts use on the management interface, known by their hash.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{AccessTokenId, UserId};
use crate::sql;

/// A personal access token as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct AccessToken {
    /// The token's id.
    pub id: AccessTokenId,
    /// Whose.
    pub user_id: UserId,
    /// What the user calls it.
    pub name: String,
    /// When it was made.
    pub created_at: i64,
    /// When it ends.
    pub expires_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
    /// Its scopes, separated by spaces.
    pub scopes: String,
}

/// The values of a new access token.
#[derive(Clone, Copy, Debug)]
pub struct NewAccessToken<'a> {
    /// Whose.
    pub user_id: UserId,
    /// What the user calls it.
    pub name: &'a str,
    /// The keyed hash of its secret.
    pub secret_hash: &'a [u8],
    /// Its scopes, separated by spaces.
    pub scopes: &'a str,
    /// When it ends.
    pub expires_at: i64,
}

/// A node of an older version may still write tokens without an expiry; those end after a year.
const COLUMNS: &str = "id, user_id, name, created_at, \
                       COALESCE(expires_at, created_at + 31536000000) AS expires_at, \
                       last_used_at, scopes";

/// Adds a token.
pub async fn insert(
    transaction: &Transaction,
    new: NewAccessToken<'_>,
    now: i64,
) -> Result<AccessToken> {
    let text = format!(
        "INSERT INTO personal_access_tokens (user_id, name, secret_hash, scopes, expires_at, \
         created_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING {COLUMNS}"
    );
    let values = [
        new.user_id.into(),
        new.name.into(),
        new.secret_hash.to_vec().into(),
        new.scopes.into(),
        new.expires_at.into(),
        now.into(),
    ];
    sql::returned(sql::one(transaction, &text, values).await?)
}

/// The token of this secret, unless it is over.
pub async fn find(
    connection: &impl ConnectionTrait,
    secret_hash: &[u8],
    now: i64,
) -> Result<Option<AccessToken>> {
    let text = format!(
        "SELECT {COLUMNS} FROM personal_access_tokens WHERE secret_hash = $1 \
         AND COALESCE(expires_at, created_at + 31536000000) > $2"
    );
    sql::one(connection, &text, [secret_hash.to_vec().into(), now.into()]).await
}

/// Whether a token of this id exists and has not expired.
pub async fn is_live(
    connection: &impl ConnectionTrait,
    id: AccessTokenId,
    now: i64,
) -> Result<bool> {
    let text = "SELECT id FROM personal_access_tokens WHERE id = $1 \
                AND COALESCE(expires_at, created_at + 31536000000) > $2";
    let found: Option<i64> = sql::value(connection, text, [id.into(), now.into()]).await?;
    Ok(found.is_some())
}

/// The tokens of a user, newest first.
pub async fn list(connection: &impl ConnectionTrait, user_id: UserId) -> Result<Vec<AccessToken>> {
    let text =
        format!("SELECT {COLUMNS} FROM personal_access_tokens WHERE user_id = $1 ORDER BY id DESC");
    sql::all(connection, &text, [user_id.into()]).await
}

/// Notes that a token was used.
pub async fn touch(transaction: &Transaction, id: AccessTokenId, now: i64) -> Result<()> {
    let text = "UPDATE personal_access_tokens SET last_used_at = $2 WHERE id = $1";
    sql::execute(transaction, text, [id.into(), now.into()]).await?;
    Ok(())
}

/// Removes every token of a user.
pub async fn delete_all(transaction: &Transaction, user_id: UserId) -> Result<()> {
    let text = "DELETE FROM personal_access_tokens WHERE user_id = $1";
    sql::execute(transaction, text, [user_id.into()]).await?;
    Ok(())
}

/// Removes a token of a user; false where it is not theirs.
pub async fn delete(transaction: &Transaction, user_id: UserId, id: AccessTokenId) -> Result<bool> {
    let text = "DELETE FROM personal_access_tokens WHERE id = $1 AND user_id = $2";
    Ok(sql::execute(transaction, text, [id.into(), user_id.into()]).await? > 0)
}
