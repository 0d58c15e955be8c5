//! What follows from refunds and disputes: how much of an order's credit must be taken back in all,
//! and the one movement that gets there from where things stand. Events may come in any order.

use billing::credits::take_back;
use store::ledger::{self, Account, Credit};
use store::order_claims::{self, Refunds};
use store::top_ups::{Order, OrderStatus};
use store::{StoreError, Transaction, referrals};

/// Adds what a provider says was refunded so far. The sum only grows, unless a refund failed in
/// between: then it begins anew.
pub fn add_refund(known: Refunds, total_minor: i64, at_s: i64) -> Refunds {
    if known.failed_minor > 0 && at_s > known.failed_at {
        return Refunds {
            refunded_minor: total_minor,
            refunded_at: at_s,
            failed_minor: 0,
            failed_at: known.failed_at,
        };
    }
    Refunds {
        refunded_minor: known.refunded_minor.max(total_minor),
        refunded_at: known.refunded_at.max(at_s),
        ..known
    }
}

/// Adds a refund that failed. A newer sum of refunds has left it out already.
pub fn add_failed_refund(known: Refunds, amount_minor: i64, at_s: i64) -> Refunds {
    let failed_at = known.failed_at.max(at_s);
    if at_s < known.refunded_at {
        return Refunds { failed_at, ..known };
    }
    Refunds {
        failed_minor: known.failed_minor.saturating_add(amount_minor),
        failed_at,
        ..known
    }
}

/// The refunds of an order as they are stored.
pub fn refunds_of(order: &Order) -> Refunds {
    Refunds {
        refunded_minor: order.refunded_minor,
        refunded_at: order.refunded_at,
        failed_minor: order.refund_failed_minor,
        failed_at: order.refund_failed_at,
    }
}

/// What of an order's credit must be taken back when this much of its price is gone.
fn target_nanos(order: &Order, gone_minor: i64) -> i64 {
    let gone = gone_minor.clamp(0, order.amount_minor);
    let target = i128::from(order.credit_nanos) * i128::from(gone) / i128::from(order.amount_minor);
    i64::try_from(target).unwrap_or(order.credit_nanos)
}

/// Brings an order that was credited to what its claims ask for: takes back, or gives back. The
/// order must be locked and as stored; `cause` names the event, so that it counts once.
pub async fn settle(
    transaction: &Transaction,
    order: &Order,
    cause: &str,
    now: i64,
) -> Result<(), StoreError> {
    if order.completed_at.is_none() {
        return Ok(());
    }
    let refunds = refunds_of(order);
    let refunded = (refunds.refunded_minor - refunds.failed_minor).max(0);
    let disputed = order_claims::disputed_minor(transaction, &order.id).await?;
    let target = target_nanos(order, refunded.saturating_add(disputed));
    // Before the order's own money: it locks both users' accounts in the order that all others do.
    let is_gone = target >= order.credit_nanos;
    referrals::settle_order(transaction, &order.id, is_gone, now).await?;
    let difference = target - order.clawed_back_nanos;
    let movement = Credit {
        key: format!("claim:{}:{cause}:{target}", order.id),
        user: order.user_id,
        counterpart: Account::Payments,
        amount_nanos: difference.abs(),
        reference_kind: "order",
        reference_id: order.id.clone(),
        reason: None,
        at: now,
    };
    if difference > 0 {
        take_back(transaction, &movement).await?;
    } else if difference < 0 {
        ledger::credit(transaction, &movement).await?;
    }
    let status = if disputed > 0 {
        OrderStatus::Disputed
    } else if refunded >= order.amount_minor {
        OrderStatus::Refunded
    } else {
        OrderStatus::Paid
    };
    order_claims::set_taken_back(transaction, &order.id, target, status).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Refunds = Refunds {
        refunded_minor: 0,
        refunded_at: 0,
        failed_minor: 0,
        failed_at: 0,
    };

    /// A refund's sum, or one that failed, with its time.
    #[derive(Clone, Copy)]
    enum Told {
        Sum(i64, i64),
        Failed(i64, i64),
    }

    fn gone(told: &[Told]) -> i64 {
        let known = told.iter().fold(NONE, |known, one| match *one {
            Told::Sum(total, at) => add_refund(known, total, at),
            Told::Failed(amount, at) => add_failed_refund(known, amount, at),
        });
        (known.refunded_minor - known.failed_minor).max(0)
    }

    #[test]
    fn sums_count_by_the_largest_in_any_order() {
        let (small, large) = (Told::Sum(300, 1), Told::Sum(700, 2));
        assert_eq!(gone(&[small, large]), 700);
        assert_eq!(gone(&[large, small]), 700);
        assert_eq!(gone(&[large, large]), 700);
    }

    #[test]
    fn a_refund_that_failed_is_given_back_in_any_order() {
        let (sum, failed) = (Told::Sum(1000, 1), Told::Failed(1000, 2));
        assert_eq!(gone(&[sum, failed]), 0);
        assert_eq!(gone(&[failed, sum]), 0);
        let again = Told::Sum(1000, 3);
        for order in [
            [sum, failed, again],
            [sum, again, failed],
            [failed, sum, again],
            [failed, again, sum],
            [again, failed, sum],
            [again, sum, failed],
        ] {
            assert_eq!(gone(&order), 1000);
        }
    }
}
