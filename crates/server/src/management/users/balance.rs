//! Balances that administrators change: one entry of the ledger each, with who did it and why.

use billing::credits::{Adjustment, Grant, adjust, grant};
use billing::pricing::{nanos_of_quota, quota_of_nanos};
use store::ledger::{Balances, balances};
use store::{Transaction, UserId, users};

use crate::management::allowance::MOST_NANOS;
use crate::management::frame::{AccessScope, ApiError, Identity, require_scope};

const LONGEST_REASON: usize = 500;

/// What a user has now. Whoever else asks here waits until this transaction ends: two who each saw what was there
/// before would both change it.
async fn now(transaction: &Transaction, user: UserId) -> Result<i64, ApiError> {
    users::lock(transaction, user).await?;
    let has = balances(transaction, &[user]).await?;
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
    require_scope(actor, AccessScope::Billing)?;
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
    let balance = now(transaction, user).await?;
    if quota_of_nanos(balance.max(0)) == quota {
        return Ok(None);
    }
    Ok(Some(amount(quota)? - balance))
}

/// So many quota units that are added, or taken away where there are so many.
pub async fn addition(
    transaction: &Transaction,
    user: UserId,
    quota: i64,
) -> Result<i64, ApiError> {
    let problem =
        "must be a number of quota units other than zero, of a hundred million dollars at most";
    let nanos = nanos_of_quota(quota).filter(|nanos| *nanos != 0);
    let nanos = nanos.filter(|nanos| (-MOST_NANOS..=MOST_NANOS).contains(nanos));
    let nanos = nanos.ok_or_else(|| ApiError::bad_field("value", problem))?;
    let left = now(transaction, user).await?.saturating_add(nanos);
    if nanos < 0 && left < 0 {
        return Err(ApiError::bad_field("value", "the balance is not that much"));
    }
    Ok(nanos)
}

/// An amount of zero or more in nano-dollars.
pub fn amount(quota: i64) -> Result<i64, ApiError> {
    let problem = "must be zero or more quota units, of a hundred million dollars at most";
    let nanos = nanos_of_quota(quota).filter(|nanos| (0..=MOST_NANOS).contains(nanos));
    nanos.ok_or_else(|| ApiError::bad_field("quota", problem))
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
