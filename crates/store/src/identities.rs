//! Who users are at identity providers. An identity belongs to one user at a time.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{IdentityId, UserId};
use crate::sql;

/// An identity as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Identity {
    /// The identity's id.
    pub id: IdentityId,
    /// Whose.
    pub user_id: UserId,
    /// The provider.
    pub issuer: String,
    /// The provider's own name for the person.
    pub subject: String,
    /// What the provider calls the person.
    pub label: String,
    /// When it was linked.
    pub created_at: i64,
    /// When it was last logged in with.
    pub last_used_at: i64,
}

const COLUMNS: &str = "id, user_id, issuer, subject, label, created_at, last_used_at";

/// What it takes to link an identity.
#[derive(Clone, Copy, Debug)]
pub struct NewIdentity<'a> {
    /// Whose.
    pub user_id: UserId,
    /// The provider.
    pub issuer: &'a str,
    /// The provider's own name for the person.
    pub subject: &'a str,
    /// What the provider calls the person.
    pub label: &'a str,
}

/// Links an identity to a user; a known identity is a `Conflict`.
pub async fn insert(transaction: &Transaction, new: NewIdentity<'_>, now: i64) -> Result<Identity> {
    let text = format!(
        "INSERT INTO identities (user_id, issuer, subject, label, created_at, last_used_at) \
         VALUES ($1, $2, $3, $4, $5, $5) RETURNING {COLUMNS}"
    );
    let values = [
        new.user_id.into(),
        new.issuer.into(),
        new.subject.into(),
        new.label.into(),
        now.into(),
    ];
    sql::returned(sql::one(transaction, &text, values).await?)
}

/// Whose identity it is, and notes that it was used; none where nobody has it.
pub async fn note_use(
    transaction: &Transaction,
    issuer: &str,
    subject: &str,
    now: i64,
) -> Result<Option<UserId>> {
    let text = "UPDATE identities SET last_used_at = $3 WHERE issuer = $1 AND subject = $2 \
                RETURNING user_id";
    let values = [issuer.into(), subject.into(), now.into()];
    sql::value(transaction, text, values).await
}

/// A user's identities, oldest first.
pub async fn list(connection: &impl ConnectionTrait, user_id: UserId) -> Result<Vec<Identity>> {
    let text = format!("SELECT {COLUMNS} FROM identities WHERE user_id = $1 ORDER BY id");
    sql::all(connection, &text, [user_id.into()]).await
}

/// Unlinks an identity of a user; false where the user has no such one.
pub async fn delete(transaction: &Transaction, user_id: UserId, id: IdentityId) -> Result<bool> {
    let text = "DELETE FROM identities WHERE user_id = $1 AND id = $2";
    let done = sql::execute(transaction, text, [user_id.into(), id.into()]).await?;
    Ok(done > 0)
}
