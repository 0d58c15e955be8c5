//! Balances that administrators change: one entry of the ledger each, with who did it and why.

use billing::credits::{Adjustment, Grant, adjust, grant};
use billing::pricing::{nanos_of_quota, quota_of_nanos};
use store::ledger::{Balances, balances};
use store::{ConnectionTrait, Transaction, UserId};

use crate::management::frame::{ApiError, Identity};

const LONGEST_REASON: usize = 500;

/// What a user has now.
async fn now(records: &impl ConnectionTrait, user: UserId) -> Result<i64, ApiError> {
    let has = balances(records, &[user]).await?;
    Ok(has.get(&user).copied().map_or(0, Balances::left_nanos))
}

/// Gives a new user something to begin with.
pub async fn begin_with(
    transaction: &Transaction,
    user: UserId,
    nanos: i64,
    reason: String,
    at: i64,
) -> Result<(), ApiError> {
    let gift = Grant {
        key: format!("user:{user}"),
        user,
        amount_nanos: nanos,
        reason: Some(reason),
        at,
    };
    if nanos > 0 {
        grant(transaction, &gift).await?;
    }
    Ok(())
}

/// Changes a balance by so many nano-dollars; the request that asked for it names the change.
pub async fn change(
    transaction: &Transaction,
    actor: &Identity,
    user: UserId,
    (amount_nanos, reason): (i64, String),
    at: i64,
) -> Result<(), ApiError> {
    let adjustment = Adjustment {
        key: actor.caller.request_id.to_string(),
        user,
        amount_nanos,
        reason,
        at,
    };
    adjust(transaction, &adjustment).await?;
    Ok(())
}

/// What the balance must change by to become `quota`; none where it already is that, so that a
/// record that was read can be sent back.
pub async fn difference(
    transaction: &Transaction,
    user: UserId,
    quota: i64,
) -> Result<Option<i64>, ApiError> {
    let wanted = amount(quota)?;
    let balance = now(transaction, user).await?;
    let is_same = quota_of_nanos(balance.max(0)) == quota;
    Ok((!is_same).then_some(wanted - balance))
}

/// Refuses to take more than there is.
pub async fn must_afford(
    transaction: &Transaction,
    user: UserId,
    nanos: i64,
) -> Result<(), ApiError> {
    let left = now(transaction, user).await?.checked_add(nanos);
    if nanos < 0 && left.is_none_or(|left| left < 0) {
        return Err(ApiError::bad_field("value", "the balance is not that much"));
    }
    Ok(())
}

/// An amount of zero or more in nano-dollars.
pub fn amount(quota: i64) -> Result<i64, ApiError> {
    let nanos = nanos_of_quota(quota).filter(|nanos| *nanos >= 0);
    nanos.ok_or_else(|| ApiError::bad_field("quota", "must be zero or more quota units"))
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
