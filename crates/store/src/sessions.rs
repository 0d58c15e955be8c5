//! Login sessions. The secret in the cookie is known here only as its hash.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, for_update};
use crate::error::Result;
use crate::ids::{SessionId, UserId};
use crate::sql;

/// A session as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Session {
    /// The session's id, which may be shown.
    pub id: SessionId,
    /// Who is logged in.
    pub user_id: UserId,
    /// The user's auth version when the session was made or last rotated.
    pub auth_version: i64,
    /// Where it was made from.
    pub ip: Option<String>,
    /// The browser that made it.
    pub user_agent: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// When it was last used.
    pub last_seen_at: i64,
    /// When it ends.
    pub expires_at: i64,
    /// When its person last proved who they are; none if the session has seen no such proof.
    pub proved_at: Option<i64>,
}

/// What it takes to make a session.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The keyed hash of the cookie's secret.
    pub secret_hash: Vec<u8>,
    /// Who logged in.
    pub user_id: UserId,
    /// The user's auth version.
    pub auth_version: i64,
    /// Where from.
    pub ip: Option<String>,
    /// With which browser.
    pub user_agent: Option<String>,
    /// Now, in unix milliseconds.
    pub now: i64,
    /// When it ends.
    pub expires_at: i64,
    /// Whether its person has just proved who they are.
    pub is_proved: bool,
}

const COLUMNS: &str = "sessions.id, sessions.user_id, sessions.auth_version, ip, user_agent, \
                       sessions.created_at, last_seen_at, expires_at, proved_at";

/// A session counts only while its user exists and has not ended it by a new auth version.
const LIVE: &str = "FROM sessions JOIN users ON users.id = sessions.user_id \
                    AND users.auth_version = sessions.auth_version AND users.deleted_at IS NULL \
                    WHERE expires_at > $1";

/// Adds a session.
pub async fn insert(transaction: &Transaction, new: NewSession) -> Result<Session> {
    let text = "INSERT INTO sessions (secret_hash, user_id, auth_version, ip, user_agent, \
                created_at, last_seen_at, expires_at, proved_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8) RETURNING id";
    let proved_at = new.is_proved.then_some(new.now);
    let values = [
        new.secret_hash.into(),
        new.user_id.into(),
        new.auth_version.into(),
        new.ip.clone().into(),
        new.user_agent.clone().into(),
        new.now.into(),
        new.expires_at.into(),
        proved_at.into(),
    ];
    let id = sql::returned(sql::value(transaction, text, values).await?)?;
    Ok(Session {
        id,
        user_id: new.user_id,
        auth_version: new.auth_version,
        ip: new.ip,
        user_agent: new.user_agent,
        created_at: new.now,
        last_seen_at: new.now,
        expires_at: new.expires_at,
        proved_at,
    })
}

/// The live session of this secret.
pub async fn find(
    connection: &impl ConnectionTrait,
    secret_hash: &[u8],
    now: i64,
) -> Result<Option<Session>> {
    let text = format!("SELECT {COLUMNS} {LIVE} AND secret_hash = $2");
    sql::one(connection, &text, [now.into(), secret_hash.to_vec().into()]).await
}

/// Whether a session of this id is live.
pub async fn is_live(connection: &impl ConnectionTrait, id: SessionId, now: i64) -> Result<bool> {
    let text = format!("SELECT sessions.id {LIVE} AND sessions.id = $2");
    let found: Option<i64> = sql::value(connection, &text, [now.into(), id.into()]).await?;
    Ok(found.is_some())
}

/// Records that the person of a session has proved who they are; false if the session was deleted.
pub async fn prove(transaction: &Transaction, id: SessionId, now: i64) -> Result<bool> {
    let text = "UPDATE sessions SET proved_at = $2 WHERE id = $1";
    Ok(sql::execute(transaction, text, [id.into(), now.into()]).await? > 0)
}

/// The live sessions of a user, last used first.
pub async fn list(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    now: i64,
) -> Result<Vec<Session>> {
    let text = format!(
        "SELECT {COLUMNS} {LIVE} AND user_id = $2 ORDER BY last_seen_at DESC, sessions.id DESC"
    );
    sql::all(connection, &text, [now.into(), user_id.into()]).await
}

/// Notes that a session was used, and moves its end.
pub async fn touch(
    transaction: &Transaction,
    id: SessionId,
    now: i64,
    expires_at: i64,
) -> Result<()> {
    let text = "UPDATE sessions SET last_seen_at = $2, expires_at = $3 WHERE id = $1";
    sql::execute(
        transaction,
        text,
        [id.into(), now.into(), expires_at.into()],
    )
    .await?;
    Ok(())
}

/// Whether a session still counts as it was read: neither ended nor rotated since. Where it does,
/// nothing changes its user's auth version before the transaction ends: that row is locked.
pub async fn hold(transaction: &Transaction, session: &Session) -> Result<bool> {
    let lock = for_update(transaction);
    let text = format!(
        "SELECT id FROM users WHERE id = $1 AND auth_version = $2 AND deleted_at IS NULL \
         AND EXISTS (SELECT 1 FROM sessions WHERE sessions.id = $3){lock}"
    );
    let values = [
        session.user_id.into(),
        session.auth_version.into(),
        session.id.into(),
    ];
    let user: Option<i64> = sql::value(transaction, &text, values).await?;
    Ok(user.is_some())
}

/// Gives a session a new secret and the user's present auth version, so that it alone outlives a
/// change that ends the others.
pub async fn rotate(
    transaction: &Transaction,
    id: SessionId,
    secret_hash: &[u8],
    auth_version: i64,
) -> Result<bool> {
    let text = "UPDATE sessions SET secret_hash = $2, auth_version = $3 WHERE id = $1";
    let values = [id.into(), secret_hash.to_vec().into(), auth_version.into()];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// Ends one session of a user; false where it is not theirs.
pub async fn delete(transaction: &Transaction, user_id: UserId, id: SessionId) -> Result<bool> {
    let text = "DELETE FROM sessions WHERE id = $1 AND user_id = $2";
    Ok(sql::execute(transaction, text, [id.into(), user_id.into()]).await? > 0)
}

/// Removes sessions that ended.
pub async fn delete_expired(transaction: &Transaction, now: i64) -> Result<u64> {
    sql::execute(
        transaction,
        "DELETE FROM sessions WHERE expires_at <= $1",
        [now.into()],
    )
    .await
}
