//! What has happened to imported users since, and taking those out to whom nothing has happened.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{ImportId, UserId};
use crate::{sql, users};

/// What an imported user did here; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromQueryResult)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are answers to four questions, each of its own"
)]
pub struct Since {
    /// Calls in the log.
    pub has_calls: bool,
    /// Money that moved for another reason than the import.
    pub has_money: bool,
    /// Tokens that the import did not make.
    pub has_tokens: bool,
    /// Users invited who did not come with an import.
    pub has_invited: bool,
}

/// What an imported user did here.
pub async fn since(
    connection: &impl ConnectionTrait,
    user: UserId,
    import: ImportId,
) -> Result<Since> {
    let text = "SELECT \
        EXISTS (SELECT 1 FROM request_log WHERE user_id = $1) AS has_calls, \
        EXISTS (SELECT 1 FROM ledger_accounts account JOIN ledger_entries entry \
            ON entry.from_account = account.id OR entry.to_account = account.id \
            WHERE account.user_id = $1 AND entry.reference_kind <> 'import') \
            OR EXISTS (SELECT 1 FROM orders WHERE user_id = $1) AS has_money, \
        EXISTS (SELECT 1 FROM tokens WHERE user_id = $1 AND NOT EXISTS (\
            SELECT 1 FROM import_items item WHERE item.entity = 'token' \
            AND item.our_id = tokens.id AND item.import_id = $2)) AS has_tokens, \
        EXISTS (SELECT 1 FROM referrals WHERE inviter_id = $1 AND NOT EXISTS (\
            SELECT 1 FROM import_items item WHERE item.entity = 'user' \
            AND item.our_id = referrals.invitee_id)) AS has_invited";
    let found = sql::one(connection, text, [user.into(), import.into()]).await?;
    sql::returned(found)
}

/// Takes a user out, with everything that belongs to it. The row itself stays, emptied, where the
/// ledger or another record refers to it. `group` is a group for such a row to be in.
pub async fn remove_user(
    transaction: &Transaction,
    user: UserId,
    group: &str,
    now: i64,
) -> Result<()> {
    users::delete(transaction, user, now).await?;
    for text in [
        "DELETE FROM referrals WHERE invitee_id = $1 OR inviter_id = $1",
        "UPDATE users SET inviter_id = NULL WHERE inviter_id = $1",
    ] {
        sql::execute(transaction, text, [user.into()]).await?;
    }
    let text = "UPDATE users SET username = 'undone', username_key = 'undone', email = NULL, \
                email_key = NULL, display_name = '', remark = '', inviter_id = NULL, \
                aff_code = 'undone:' || $2, group_name = $3 WHERE id = $1";
    let values = [user.into(), user.to_string().into(), group.into()];
    sql::execute(transaction, text, values).await?;
    let text = "DELETE FROM users WHERE id = $1 \
        AND NOT EXISTS (SELECT 1 FROM ledger_accounts WHERE user_id = $1) \
        AND NOT EXISTS (SELECT 1 FROM leases WHERE user_id = $1) \
        AND NOT EXISTS (SELECT 1 FROM reservations WHERE user_id = $1) \
        AND NOT EXISTS (SELECT 1 FROM responses WHERE user_id = $1) \
        AND NOT EXISTS (SELECT 1 FROM tasks WHERE user_id = $1) \
        AND NOT EXISTS (SELECT 1 FROM imports WHERE created_by = $1) \
        AND NOT EXISTS (SELECT 1 FROM prices WHERE created_by = $1) \
        AND NOT EXISTS (SELECT 1 FROM announcements WHERE created_by = $1) \
        AND NOT EXISTS (SELECT 1 FROM settings WHERE updated_by = $1) \
        AND NOT EXISTS (SELECT 1 FROM redemption_codes \
            WHERE created_by = $1 OR redeemed_by = $1)";
    sql::execute(transaction, text, [user.into()]).await?;
    Ok(())
}
