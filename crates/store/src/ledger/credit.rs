//! Giving to and taking from a user, with the rule on debts: a credit pays what is owed first, and
//! what a wallet cannot give back is booked as owed.

use std::collections::HashMap;

use super::account::{Account, lock_user, lock_users};
use super::post::{Movement, Outcome, post};
use crate::database::Transaction;
use crate::error::Result;
use crate::ids::UserId;

/// Money that comes to a user's wallet, or leaves it again.
#[derive(Clone, Debug)]
pub struct Credit {
    /// Names this credit for ever.
    pub key: String,
    /// Whose wallet.
    pub user: UserId,
    /// The other side: payments, grants, adjustments, or the user's referral account.
    pub counterpart: Account,
    /// How much; above zero.
    pub amount_nanos: i64,
    /// What kind of thing caused it.
    pub reference_kind: &'static str,
    /// Which one.
    pub reference_id: String,
    /// What an administrator gave as the reason.
    pub reason: Option<String>,
    /// Now, in unix milliseconds.
    pub at: i64,
}

/// How much of what was taken back came from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// From the wallet.
    pub wallet_nanos: i64,
    /// What the wallet did not have, now owed.
    pub owed_nanos: i64,
}

impl Credit {
    fn movement(&self, suffix: &str, from: Account, to: Account, amount_nanos: i64) -> Movement {
        Movement {
            key: format!("{}{suffix}", self.key),
            from,
            to,
            amount_nanos,
            reference_kind: self.reference_kind,
            reference_id: self.reference_id.clone(),
            reason: self.reason.clone(),
            at: self.at,
        }
    }
}

/// Credits a wallet and pays what the user owes out of it. The same key again does nothing.
pub async fn credit(transaction: &Transaction, credit: &Credit) -> Result<Outcome> {
    let wallet = Account::Wallet(credit.user);
    let gift = credit.movement("", credit.counterpart, wallet, credit.amount_nanos);
    Ok(pay_in(transaction, &[gift]).await?[0])
}

/// Posts what comes, or comes back, to wallets, and pays out of it what their users owe: so nobody
/// has money to spend and debts at once.
pub(crate) async fn pay_in(
    transaction: &Transaction,
    movements: &[Movement],
) -> Result<Vec<Outcome>> {
    let mut users: Vec<UserId> = movements.iter().filter_map(paid_to).collect();
    users.sort_unstable();
    users.dedup();
    let mut owed = HashMap::new();
    for users in users.chunks(1000) {
        let balances = lock_users(transaction, users).await?;
        owed.extend(balances.iter().map(|(user, has)| (*user, has.owed_nanos)));
    }
    let outcomes = post(transaction, movements).await?;
    let mut payments = Vec::new();
    for (movement, outcome) in movements.iter().zip(&outcomes) {
        let Some(user) = paid_to(movement).filter(|_| *outcome == Outcome::Posted) else {
            continue;
        };
        let debt = owed.entry(user).or_default();
        let payment = movement.amount_nanos.min(*debt);
        if payment > 0 {
            *debt -= payment;
            payments.push(Movement {
                key: format!("{}:owed", movement.key),
                from: Account::Wallet(user),
                to: Account::Owed(user),
                amount_nanos: payment,
                ..movement.clone()
            });
        }
    }
    post(transaction, &payments).await?;
    Ok(outcomes)
}

fn paid_to(movement: &Movement) -> Option<UserId> {
    match movement.to {
        Account::Wallet(user) => Some(user),
        _ => None,
    }
}

/// Takes back what was credited: from the wallet as far as it goes, the rest as owed. None where
/// the key was used before.
pub async fn take_back(transaction: &Transaction, credit: &Credit) -> Result<Option<TakenBack>> {
    let (wallet, owed) = (Account::Wallet(credit.user), Account::Owed(credit.user));
    let has = lock_user(transaction, credit.user).await?.wallet_nanos;
    // The whole amount is owed at first and keeps the caller's key, whatever the wallet holds at
    // a repetition; then the wallet pays what it can.
    let debt = credit.movement("", owed, credit.counterpart, credit.amount_nanos);
    if post(transaction, &[debt]).await?[0] == Outcome::Duplicate {
        return Ok(None);
    }
    let wallet_nanos = has.min(credit.amount_nanos);
    if wallet_nanos > 0 {
        let payment = credit.movement(":wallet", wallet, owed, wallet_nanos);
        post(transaction, &[payment]).await?;
    }
    Ok(Some(TakenBack {
        wallet_nanos,
        owed_nanos: credit.amount_nanos - wallet_nanos,
    }))
}
