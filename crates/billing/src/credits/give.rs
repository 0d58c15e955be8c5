//! Gifts of the house.

use store::ledger::{self, Account, Credit, Outcome};
use store::{Transaction, UserId};

/// A gift to a user's wallet.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Names this gift for ever; the same again does nothing.
    pub key: String,
    /// Who gets it.
    pub user: UserId,
    /// How much; above zero.
    pub amount_nanos: i64,
    /// Why.
    pub reason: Option<String>,
    /// Now, in unix milliseconds.
    pub at: i64,
}

/// Gives; what the user owes is paid out of it first.
pub async fn grant(transaction: &Transaction, grant: &Grant) -> store::Result<Outcome> {
    let credit = Credit {
        key: format!("grant:{}", grant.key),
        user: grant.user,
        counterpart: Account::Grants,
        amount_nanos: grant.amount_nanos,
        reference_kind: "grant",
        reference_id: grant.key.clone(),
        reason: grant.reason.clone(),
        at: grant.at,
    };
    ledger::credit(transaction, &credit).await
}
