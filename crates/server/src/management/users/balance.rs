//! Balances that administrators change: one entry of the ledger each, with who did it and why.

use billing::pricing::{nanos_of_quota, quota_of_nanos};
use store::ledger::{Account, Credit, balances, credit, take_back};
use store::{Transaction, UserId};

use crate::management::frame::{ApiError, Identity};

const LONGEST_REASON: usize = 500;

/// A change of a balance by an administrator.
#[derive(Debug)]
pub struct Adjustment {
    user: UserId,
    nanos: i64,
    key: String,
    reason: String,
    at: i64,
}

impl Adjustment {
    /// A change by so many nano-dollars; the request that asked for it names it.
    pub fn by(actor: &Identity, user: UserId, nanos: i64, reason: String, at: i64) -> Self {
        Self {
            user,
            nanos,
            key: format!("adjustment:{}", actor.caller.request_id),
            reason,
            at,
        }
    }
}

/// Moves the amount. What is taken from a wallet whose money is set aside for running calls is owed
/// until it comes back.
pub async fn adjust(transaction: &Transaction, adjustment: &Adjustment) -> Result<(), ApiError> {
    let movement = Credit {
        key: adjustment.key.clone(),
        user: adjustment.user,
        counterpart: Account::Adjustments,
        amount_nanos: adjustment.nanos.abs(),
        reference_kind: "adjustment",
        reference_id: adjustment.user.to_string(),
        reason: Some(adjustment.reason.clone()),
        at: adjustment.at,
    };
    if adjustment.nanos > 0 {
        credit(transaction, &movement).await?;
    } else if adjustment.nanos < 0 {
        take_back(transaction, &movement).await?;
    }
    Ok(())
}

/// What the balance must change by to become `quota`; none where it already is that, so that a
/// record that was read can be sent back.
pub async fn difference(
    transaction: &Transaction,
    user: UserId,
    quota: i64,
) -> Result<Option<i64>, ApiError> {
    let wanted = amount("quota", quota)?;
    let has = balances(transaction, &[user]).await?;
    let has = has.get(&user).copied().unwrap_or_default();
    let balance = has.wallet_nanos.saturating_add(has.held_nanos);
    if quota_of_nanos(balance) == quota {
        return Ok(None);
    }
    Ok(Some(wanted - balance))
}

/// Refuses to take more than there is.
pub async fn must_afford(
    transaction: &Transaction,
    user: UserId,
    nanos: i64,
) -> Result<(), ApiError> {
    let has = balances(transaction, &[user]).await?;
    let has = has.get(&user).copied().unwrap_or_default();
    let balance = has.wallet_nanos.saturating_add(has.held_nanos);
    if balance.checked_add(nanos).is_none_or(|left| left < 0) {
        return Err(ApiError::bad_field("value", "the balance is not that much"));
    }
    Ok(())
}

/// What a new wallet begins with.
pub fn first_amount(quota: Option<i64>) -> Result<i64, ApiError> {
    quota.map_or(Ok(0), |quota| amount("quota", quota))
}

/// An amount of zero or more in nano-dollars.
fn amount(field: &str, quota: i64) -> Result<i64, ApiError> {
    let nanos = nanos_of_quota(quota).filter(|nanos| *nanos >= 0);
    nanos.ok_or_else(|| ApiError::bad_field(field, "must be zero or more quota units"))
}

/// The reason that the ledger keeps; where none was given, who did it.
pub fn reason(text: Option<&str>, actor: &Identity) -> Result<String, ApiError> {
    match text.unwrap_or_default().trim() {
        "" => Ok(format!("changed by {}", actor.user.username)),
        long if long.chars().count() > LONGEST_REASON => {
            Err(ApiError::bad_field("reason", "is too long"))
        }
        given => Ok(given.to_owned()),
    }
}
