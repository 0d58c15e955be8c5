//! Referral earnings: when an invitation is rewarded, and how earnings become spendable.

use store::ledger::{self, Account, Credit, Outcome};
use store::referrals::{self, Rewards};
use store::{Transaction, UserId};

/// What an invited user did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferralEvent {
    /// Registered.
    Registration,
    /// Paid for the first time.
    FirstTopUp,
}

/// What the operator promises for an invitation.
#[derive(Clone, Copy, Debug)]
pub struct ReferralRule {
    /// What must have happened.
    pub event: ReferralEvent,
    /// What it is worth.
    pub rewards: Rewards,
}

/// Rewards an invitation where the rule says so, once. May be told every event: false where it is
/// another one, nobody invited the user, or it was rewarded before.
pub async fn reward_referral(
    transaction: &Transaction,
    rule: &ReferralRule,
    event: ReferralEvent,
    invitee: UserId,
    now: i64,
) -> store::Result<bool> {
    if rule.event != event {
        return Ok(false);
    }
    referrals::reward(transaction, invitee, rule.rewards, now).await
}

/// Moves referral earnings to the wallet. `InsufficientFunds` where less was earned; the same key
/// again does nothing.
pub async fn transfer(
    transaction: &Transaction,
    user: UserId,
    amount_nanos: i64,
    key: &str,
    now: i64,
) -> store::Result<Outcome> {
    let credit = Credit {
        key: format!("transfer:{user}:{key}"),
        user,
        counterpart: Account::Referral(user),
        amount_nanos,
        reference_kind: "referral",
        reference_id: key.to_owned(),
        reason: None,
        at: now,
    };
    ledger::credit(transaction, &credit).await
}
