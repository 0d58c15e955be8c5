//! What invitations earn. A reward is given once; where an order earned it, it goes with that order: taken back when
//! all of the order is, given again when the order comes back or another one takes its place.

use super::invitations::Referral;
use crate::database::Transaction;
use crate::error::Result;
use crate::ids::UserId;
use crate::ledger::{self, Account, Credit, Movement, lock_users};
use crate::{leases, sql};

/// What an invitation is worth; zero is no reward.
#[derive(Clone, Copy, Debug)]
pub struct Rewards {
    /// For the inviter's referral account.
    pub inviter_nanos: i64,
    /// For the invitee's wallet.
    pub invitee_nanos: i64,
}

/// Rewards an invitation, once: the inviter's referral account and the invitee's wallet. False
/// where the user was not invited or it was rewarded before.
pub async fn reward(
    transaction: &Transaction,
    invitee_id: UserId,
    rewards: Rewards,
    now: i64,
) -> Result<bool> {
    begin(transaction, invitee_id, rewards, None, now).await
}

/// The same for an order that was paid, which the reward goes with from now on.
pub async fn reward_order(
    transaction: &Transaction,
    invitee_id: UserId,
    rewards: Rewards,
    order_id: &str,
    now: i64,
) -> Result<bool> {
    begin(transaction, invitee_id, rewards, Some(order_id), now).await
}

/// Takes back what an order earned, where the order is gone, or gives it again. What the inviter's referral account
/// does not hold any more comes from the wallet, and what that does not hold is owed.
pub async fn settle_order(
    transaction: &Transaction,
    order_id: &str,
    is_gone: bool,
    now: i64,
) -> Result<()> {
    if !is_gone {
        let text = "UPDATE referrals SET taken_back_at = NULL, turns = turns + 1 \
                    WHERE order_id = $1 AND taken_back_at IS NOT NULL RETURNING *";
        let back = sql::one::<Referral>(transaction, text, [order_id.into()]).await?;
        return match back {
            Some(referral) => give(transaction, &referral, now).await,
            None => Ok(()),
        };
    }
    let text = "UPDATE referrals SET taken_back_at = $2, turns = turns + 1 \
                WHERE order_id = $1 AND taken_back_at IS NULL RETURNING *";
    let gone = sql::one::<Referral>(transaction, text, [order_id.into(), now.into()]).await?;
    match gone {
        Some(referral) => take_back(transaction, &referral, now).await,
        None => Ok(()),
    }
}

async fn begin(
    transaction: &Transaction,
    invitee_id: UserId,
    rewards: Rewards,
    order_id: Option<&str>,
    now: i64,
) -> Result<bool> {
    let text = "UPDATE referrals SET credited_at = $2, inviter_nanos = $3, invitee_nanos = $4, \
                order_id = $5, taken_back_at = NULL, turns = turns + 1 WHERE invitee_id = $1 \
                AND (credited_at IS NULL OR taken_back_at IS NOT NULL) RETURNING *";
    let values = [
        invitee_id.into(),
        now.into(),
        rewards.inviter_nanos.into(),
        rewards.invitee_nanos.into(),
        order_id.map(str::to_owned).into(),
    ];
    let Some(referral) = sql::one::<Referral>(transaction, text, values).await? else {
        return Ok(false);
    };
    give(transaction, &referral, now).await?;
    Ok(true)
}

async fn give(transaction: &Transaction, referral: &Referral, now: i64) -> Result<()> {
    let (guest, host) = (referral.invitee_id, referral.inviter_id);
    lock_users(transaction, &[guest, host]).await?;
    if referral.invitee_nanos > 0 {
        let gift = referral.credit("invitee", guest, referral.invitee_nanos, now);
        ledger::credit(transaction, &gift).await?;
    }
    if referral.inviter_nanos > 0 {
        let accounts = (Account::Grants, Account::Referral(host));
        let earned = referral.movement("inviter", accounts, referral.inviter_nanos, now);
        ledger::post(transaction, &[earned]).await?;
    }
    Ok(())
}

async fn take_back(transaction: &Transaction, referral: &Referral, now: i64) -> Result<()> {
    let (guest, host) = (referral.invitee_id, referral.inviter_id);
    // Before the accounts are locked: leases come first in the order of locks.
    for user in [host, guest] {
        leases::recall(transaction, user, "", now).await?;
    }
    let has = lock_users(transaction, &[guest, host]).await?;
    if referral.invitee_nanos > 0 {
        let gift = referral.credit("invitee", guest, referral.invitee_nanos, now);
        ledger::take_back(transaction, &gift).await?;
    }
    let earned = has.get(&host).map_or(0, |has| has.referral_nanos);
    let earned = earned.min(referral.inviter_nanos);
    if earned > 0 {
        let accounts = (Account::Referral(host), Account::Grants);
        let back = referral.movement("inviter", accounts, earned, now);
        ledger::post(transaction, &[back]).await?;
    }
    let moved = referral.inviter_nanos - earned;
    if moved > 0 {
        let moved = referral.credit("inviter:moved", host, moved, now);
        ledger::take_back(transaction, &moved).await?;
    }
    Ok(())
}

impl Referral {
    /// Names what happens to one side in this turn for ever.
    fn key(&self, side: &str) -> String {
        let invitee = self.invitee_id;
        match self.turns {
            ..=1 => format!("referral:{invitee}:{side}"),
            turn => format!("referral:{invitee}:{side}:{turn}"),
        }
    }

    fn credit(&self, side: &str, user: UserId, amount_nanos: i64, at: i64) -> Credit {
        Credit {
            key: self.key(side),
            user,
            counterpart: Account::Grants,
            amount_nanos,
            reference_kind: "referral",
            reference_id: self.invitee_id.to_string(),
            reason: None,
            at,
        }
    }

    fn movement(
        &self,
        side: &str,
        (from, to): (Account, Account),
        amount_nanos: i64,
        at: i64,
    ) -> Movement {
        Movement {
            key: self.key(side),
            from,
            to,
            amount_nanos,
            reference_kind: "referral",
            reference_id: self.invitee_id.to_string(),
            reason: None,
            at,
        }
    }
}
