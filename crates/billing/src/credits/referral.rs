//! Referral earnings become spendable.

use store::ledger::{self, Account, Credit, Outcome};
use store::{Transaction, UserId};

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
