//! Corrections by administrators, and what refunds and disputes take back. A wallet never goes
//! below zero: what it cannot give is owed, and the next money that comes pays it.

use store::ledger::{self, Account, Credit, Outcome, TakenBack};
use store::{Transaction, UserId, leases};

/// A correction of a user's balance.
#[derive(Clone, Debug)]
pub struct Adjustment {
    /// Names this correction for ever; the same again does nothing.
    pub key: String,
    /// Whose balance.
    pub user: UserId,
    /// How much; below zero takes.
    pub amount_nanos: i64,
    /// Why; administrators must say.
    pub reason: String,
    /// Now, in unix milliseconds.
    pub at: i64,
}

/// Corrects a balance. Zero is nothing, and says so as a repetition would.
pub async fn adjust(transaction: &Transaction, by: &Adjustment) -> store::Result<Outcome> {
    let credit = Credit {
        key: format!("adjustment:{}", by.key),
        user: by.user,
        counterpart: Account::Adjustments,
        amount_nanos: by.amount_nanos.saturating_abs(),
        reference_kind: "adjustment",
        reference_id: by.key.clone(),
        reason: Some(by.reason.clone()),
        at: by.at,
    };
    match by.amount_nanos {
        0 => Ok(Outcome::Duplicate),
        1.. => ledger::credit(transaction, &credit).await,
        ..0 => {
            let taken = take_back(transaction, &credit).await?;
            Ok(taken.map_or(Outcome::Duplicate, |_| Outcome::Posted))
        }
    }
}

/// Takes back what was credited, and asks all nodes for what they leased of the wallet: what they
/// give back pays what is owed, and until then calls are refused. None where the key was used
/// before.
pub async fn take_back(
    transaction: &Transaction,
    credit: &Credit,
) -> store::Result<Option<TakenBack>> {
    // Before the accounts are locked: leases come first in the order of locks.
    leases::recall(transaction, credit.user, "", credit.at).await?;
    ledger::take_back(transaction, credit).await
}
