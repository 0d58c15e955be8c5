//! The second factor: an encrypted TOTP secret, the last step that was used, backup codes, and the
//! count of wrong tries. Computes no codes and decides no lock times.

use std::collections::HashSet;

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, placeholders};
use crate::error::Result;
use crate::ids::UserId;
use crate::sql;

/// A second factor as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct SecondFactor {
    /// Whose.
    pub user_id: UserId,
    /// The TOTP secret, encrypted.
    pub secret_encrypted: Vec<u8>,
    /// When it was switched on; none while the set-up waits for its first code.
    pub enabled_at: Option<i64>,
    /// The last TOTP step that was accepted; none is accepted twice.
    pub last_used_step: Option<i64>,
    /// Tries since the last success.
    pub failures: i64,
    /// Until when no try is taken.
    pub locked_until: Option<i64>,
    /// When the set-up began.
    pub created_at: i64,
}

/// Begins or replaces a set-up with its backup codes; false where a factor is switched on.
pub async fn set_up(
    transaction: &Transaction,
    user_id: UserId,
    secret_encrypted: &[u8],
    code_hashes: &[Vec<u8>],
    now: i64,
) -> Result<bool> {
    let text = "INSERT INTO second_factors (user_id, secret_encrypted, created_at) \
                VALUES ($1, $2, $3) ON CONFLICT (user_id) DO UPDATE SET \
                secret_encrypted = excluded.secret_encrypted, created_at = excluded.created_at, \
                last_used_step = NULL, failures = 0, locked_until = NULL \
                WHERE second_factors.enabled_at IS NULL";
    let values = [user_id.into(), secret_encrypted.to_vec().into(), now.into()];
    if sql::execute(transaction, text, values).await? == 0 {
        return Ok(false);
    }
    replace_backup_codes(transaction, user_id, code_hashes).await?;
    Ok(true)
}

/// The factor of a user, also while it is being set up.
pub async fn get(
    connection: &impl ConnectionTrait,
    user_id: UserId,
) -> Result<Option<SecondFactor>> {
    let text = "SELECT user_id, secret_encrypted, enabled_at, last_used_step, failures, \
                locked_until, created_at FROM second_factors WHERE user_id = $1";
    sql::one(connection, text, [user_id.into()]).await
}

/// Which of these users have a factor switched on.
pub async fn enabled_among(
    connection: &impl ConnectionTrait,
    users: &[UserId],
) -> Result<HashSet<UserId>> {
    let mut found = HashSet::new();
    for users in users.chunks(1000) {
        let text = format!(
            "SELECT user_id FROM second_factors WHERE enabled_at IS NOT NULL AND user_id IN ({})",
            placeholders(1, users.len()),
        );
        let values = users.iter().map(|user| (*user).into());
        found.extend(sql::values::<UserId>(connection, &text, values).await?);
    }
    Ok(found)
}

/// Switches a set-up on with the step of its first code; false where there is none waiting.
pub async fn enable(
    transaction: &Transaction,
    user_id: UserId,
    step: i64,
    now: i64,
) -> Result<bool> {
    let text = "UPDATE second_factors SET enabled_at = $3, last_used_step = $2, failures = 0, \
                locked_until = NULL WHERE user_id = $1 AND enabled_at IS NULL";
    Ok(sql::execute(transaction, text, [user_id.into(), step.into(), now.into()]).await? > 0)
}

/// Counts a try before its code is looked at, so that parallel guesses cannot outrun the lock.
/// Returns how many tries there were since the last success; none while locked.
pub async fn begin_attempt(
    transaction: &Transaction,
    user_id: UserId,
    now: i64,
) -> Result<Option<i64>> {
    let text = "UPDATE second_factors SET failures = failures + 1 WHERE user_id = $1 \
                AND (locked_until IS NULL OR locked_until <= $2) RETURNING failures";
    sql::value(transaction, text, [user_id.into(), now.into()]).await
}

/// Takes no further try until then.
pub async fn lock(transaction: &Transaction, user_id: UserId, until: i64) -> Result<()> {
    let text = "UPDATE second_factors SET locked_until = $2 WHERE user_id = $1";
    sql::execute(transaction, text, [user_id.into(), until.into()]).await?;
    Ok(())
}

/// Uses up a TOTP step and clears the count of tries; false where it or a later one was used.
pub async fn use_step(transaction: &Transaction, user_id: UserId, step: i64) -> Result<bool> {
    let text = "UPDATE second_factors SET last_used_step = $2, failures = 0, locked_until = NULL \
                WHERE user_id = $1 AND (last_used_step IS NULL OR last_used_step < $2)";
    Ok(sql::execute(transaction, text, [user_id.into(), step.into()]).await? > 0)
}

/// Uses up a backup code and clears the count of tries; false where it is unknown or used.
pub async fn use_backup_code(
    transaction: &Transaction,
    user_id: UserId,
    code_hash: &[u8],
    now: i64,
) -> Result<bool> {
    let text = "UPDATE backup_codes SET used_at = $3 WHERE user_id = $1 AND code_hash = $2 \
                AND used_at IS NULL";
    let values = [user_id.into(), code_hash.to_vec().into(), now.into()];
    if sql::execute(transaction, text, values).await? == 0 {
        return Ok(false);
    }
    let text = "UPDATE second_factors SET failures = 0, locked_until = NULL WHERE user_id = $1";
    sql::execute(transaction, text, [user_id.into()]).await?;
    Ok(true)
}

/// How many backup codes are left.
pub async fn backup_codes_left(connection: &impl ConnectionTrait, user_id: UserId) -> Result<i64> {
    let text = "SELECT count(*) FROM backup_codes WHERE user_id = $1 AND used_at IS NULL";
    Ok(sql::value(connection, text, [user_id.into()])
        .await?
        .unwrap_or(0))
}

/// Replaces all backup codes, used or not.
pub async fn replace_backup_codes(
    transaction: &Transaction,
    user_id: UserId,
    code_hashes: &[Vec<u8>],
) -> Result<()> {
    let text = "DELETE FROM backup_codes WHERE user_id = $1";
    sql::execute(transaction, text, [user_id.into()]).await?;
    for hash in code_hashes {
        let text = "INSERT INTO backup_codes (user_id, code_hash) VALUES ($1, $2)";
        sql::execute(transaction, text, [user_id.into(), hash.clone().into()]).await?;
    }
    Ok(())
}

/// Removes the factor and its backup codes; false where there was none.
pub async fn delete(transaction: &Transaction, user_id: UserId) -> Result<bool> {
    replace_backup_codes(transaction, user_id, &[]).await?;
    let text = "DELETE FROM second_factors WHERE user_id = $1";
    Ok(sql::execute(transaction, text, [user_id.into()]).await? > 0)
}
