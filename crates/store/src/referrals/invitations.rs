//! Who invited whom.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, placeholders};
use crate::error::Result;
use crate::ids::UserId;
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
    /// The order that earned it, where one did.
    pub order_id: Option<String>,
    /// When it was taken back, with that order.
    pub taken_back_at: Option<i64>,
    /// How often it was given or taken back.
    pub turns: i64,
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
