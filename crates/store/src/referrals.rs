//! Who invited whom, and whether that was rewarded. When to reward is the server's business.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, placeholders};
use crate::error::Result;
use crate::ids::UserId;
use crate::ledger::{self, Account, Credit, Movement, lock_users};
use crate::sql;

/// A referral as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Referral {
    /// Who was invited.
    pub invitee_id: UserId,
    /// By whom.
    pub inviter_id: UserId,
    /// When the invitee registered.
    pub created_at: i64,
    /// When it was rewarded.
    pub credited_at: Option<i64>,
    /// What the inviter got.
    pub inviter_nanos: i64,
    /// What the invitee got.
    pub invitee_nanos: i64,
}

/// What an invitation is worth; zero is no reward.
#[derive(Clone, Copy, Debug)]
pub struct Rewards {
    /// For the inviter's referral account.
    pub inviter_nanos: i64,
    /// For the invitee's wallet.
    pub invitee_nanos: i64,
}

/// Notes an invitation; nobody is invited twice.
pub async fn insert(
    transaction: &Transaction,
    invitee_id: UserId,
    invited_by: UserId,
    now: i64,
) -> Result<()> {
    let text = "INSERT INTO referrals (inviter_id, invitee_id, created_at) VALUES ($1, $2, $3)";
    sql::execute(
        transaction,
        text,
        [invited_by.into(), invitee_id.into(), now.into()],
    )
    .await?;
    Ok(())
}

/// Notes an invitation that was rewarded, or not, somewhere else: nothing will be for it here.
pub async fn insert_settled(
    transaction: &Transaction,
    invitee_id: UserId,
    invited_by: UserId,
    now: i64,
) -> Result<()> {
    let text = "INSERT INTO referrals (inviter_id, invitee_id, created_at, credited_at) \
                VALUES ($1, $2, $3, $3)";
    let values = [invited_by.into(), invitee_id.into(), now.into()];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// The invitation of a user.
pub async fn get(
    connection: &impl ConnectionTrait,
    invitee_id: UserId,
) -> Result<Option<Referral>> {
    let text = "SELECT * FROM referrals WHERE invitee_id = $1";
    sql::one(connection, text, [invitee_id.into()]).await
}

/// How many users somebody invited.
pub async fn count(connection: &impl ConnectionTrait, inviter_id: UserId) -> Result<i64> {
    let text = "SELECT count(*) FROM referrals WHERE inviter_id = $1";
    Ok(sql::value(connection, text, [inviter_id.into()])
        .await?
        .unwrap_or(0))
}

/// How many users each of these invited; who invited nobody is not in the answer.
pub async fn counts(
    connection: &impl ConnectionTrait,
    inviters: &[UserId],
) -> Result<HashMap<UserId, i64>> {
    #[derive(FromQueryResult)]
    struct Row {
        inviter_id: UserId,
        invited: i64,
    }
    let mut found = HashMap::new();
    for inviters in inviters.chunks(1000) {
        let text = format!(
            "SELECT inviter_id, count(*) AS invited FROM referrals WHERE inviter_id IN ({}) \
             GROUP BY inviter_id",
            placeholders(1, inviters.len()),
        );
        let values = inviters.iter().map(|user| (*user).into());
        let rows = sql::all::<Row>(connection, &text, values).await?;
        found.extend(rows.into_iter().map(|row| (row.inviter_id, row.invited)));
    }
    Ok(found)
}

/// Rewards an invitation, once: the inviter's referral account and the invitee's wallet. False
/// where the user was not invited or it was rewarded before.
pub async fn reward(
    transaction: &Transaction,
    invitee_id: UserId,
    rewards: Rewards,
    now: i64,
) -> Result<bool> {
    let text = "UPDATE referrals SET credited_at = $2, inviter_nanos = $3, invitee_nanos = $4 \
                WHERE invitee_id = $1 AND credited_at IS NULL RETURNING inviter_id";
    let values = [
        invitee_id.into(),
        now.into(),
        rewards.inviter_nanos.into(),
        rewards.invitee_nanos.into(),
    ];
    let Some(inviter) = sql::value::<UserId>(transaction, text, values).await? else {
        return Ok(false);
    };
    lock_users(transaction, &[invitee_id, inviter]).await?;
    if rewards.invitee_nanos > 0 {
        let credit = Credit {
            key: format!("referral:{invitee_id}:invitee"),
            user: invitee_id,
            counterpart: Account::Grants,
            amount_nanos: rewards.invitee_nanos,
            reference_kind: "referral",
            reference_id: invitee_id.to_string(),
            reason: None,
            at: now,
        };
        ledger::credit(transaction, &credit).await?;
    }
    if rewards.inviter_nanos > 0 {
        let movement = Movement {
            key: format!("referral:{invitee_id}:inviter"),
            from: Account::Grants,
            to: Account::Referral(inviter),
            amount_nanos: rewards.inviter_nanos,
            reference_kind: "referral",
            reference_id: invitee_id.to_string(),
            reason: None,
            at: now,
        };
        ledger::post(transaction, &[movement]).await?;
    }
    Ok(true)
}
