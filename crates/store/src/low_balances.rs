//! Who is to be told that their balance is low: once for each fall, for whoever's balance was seen above the
//! threshold before. What balances are, the ledger knows; who sends the mail is not known here.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, in_statements, placeholders};
use crate::error::Result;
use crate::ids::UserId;
use crate::sql;

/// Somebody whose balance is looked at.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Watched {
    /// Who.
    pub user_id: UserId,
    /// The login name.
    pub username: String,
    /// Where mail goes.
    pub email: String,
    /// What is less than this is low; more than zero.
    pub threshold_nanos: i64,
    /// The balance was not low since the last mail.
    pub is_armed: bool,
    /// No mail before this time.
    pub not_before: i64,
}

/// Enabled users with an address who want to be told, after this one in the order of ids; `default_nanos` counts for
/// those who did not choose.
pub async fn watched(
    connection: &impl ConnectionTrait,
    default_nanos: i64,
    after: UserId,
    limit: u32,
) -> Result<Vec<Watched>> {
    let text = "SELECT users.id AS user_id, users.username, users.email, \
                COALESCE(users.low_balance_nanos, $1) AS threshold_nanos, \
                COALESCE(notice.is_armed, FALSE) AS is_armed, \
                COALESCE(notice.not_before, 0) AS not_before \
                FROM users LEFT JOIN low_balance_notices notice ON notice.user_id = users.id \
                WHERE users.id > $2 AND users.deleted_at IS NULL AND users.status = 1 \
                AND users.email IS NOT NULL AND COALESCE(users.low_balance_nanos, $1) > 0 \
                ORDER BY users.id LIMIT $3";
    let values = [default_nanos.into(), after.into(), i64::from(limit).into()];
    sql::all(connection, text, values).await
}

/// Notes that the balances of these users are not low: their next fall is told.
pub async fn arm(transaction: &Transaction, users: &[UserId]) -> Result<()> {
    for users in in_statements(users) {
        let text = format!(
            "INSERT INTO low_balance_notices (user_id, is_armed, not_before) \
             SELECT id, TRUE, 0 FROM users WHERE id IN ({}) ORDER BY id \
             ON CONFLICT (user_id) DO UPDATE SET is_armed = TRUE",
            placeholders(1, users.len()),
        );
        let values = users.iter().map(|user| (*user).into());
        sql::execute(transaction, &text, values).await?;
    }
    Ok(())
}

/// Takes it upon the caller to tell a user, who is then told nothing more until the time `next`; false where
/// somebody else did, or where it is too early.
pub async fn claim(transaction: &Transaction, user: UserId, now: i64, next: i64) -> Result<bool> {
    let text = "UPDATE low_balance_notices SET is_armed = FALSE, not_before = $3 \
                WHERE user_id = $1 AND is_armed AND not_before <= $2";
    let done = sql::execute(transaction, text, [user.into(), now.into(), next.into()]).await?;
    Ok(done > 0)
}

/// Gives a claim back: the user could not be told, and is to be from the time `next` on.
pub async fn give_back(transaction: &Transaction, user: UserId, next: i64) -> Result<()> {
    let text = "UPDATE low_balance_notices SET is_armed = TRUE, not_before = $2 WHERE user_id = $1";
    sql::execute(transaction, text, [user.into(), next.into()]).await?;
    Ok(())
}
