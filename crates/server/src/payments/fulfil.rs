//! Acts on one event of a provider: credits a paid order once, notes what failed, flags what does
//! not fit. Everything happens inside the caller's transaction, with the order locked.

use store::order_claims;
use store::referrals::{self, Rewards};
use store::top_ups::{self, Order, OrderStatus};
use store::{StoreError, Transaction};

use super::claims::{add_failed_refund, add_refund, refunds_of, settle};
use super::event::{Happening, PaymentEvent};

/// What came of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The order is paid, and credited by this event.
    Credited,
    /// The order was paid before; nothing was done.
    AlreadyPaid,
    /// The checkout is done, the money is under way.
    AwaitsPayment,
    /// The payment failed, or its time is over.
    NotPaid,
    /// Refunds or disputes were counted.
    ClaimsCounted,
    /// The payer's bank suspects fraud: nothing was done.
    FraudWarning,
    /// No order of ours is known by what the event says.
    UnknownOrder,
    /// Another amount than ordered: not credited.
    WrongAmount,
    /// Another currency than ordered: not credited.
    WrongCurrency,
    /// The order belongs to another provider or another checkout: not touched.
    WrongCheckout,
    /// Test money on a live set-up, or the other way round: not touched.
    WrongMode,
    /// An event that does not concern orders.
    Ignored,
    /// The same event was acted on before; nothing was done.
    Duplicate,
}

impl Verdict {
    /// Its name on the interface and in the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Credited => "credited",
            Self::AlreadyPaid => "already_paid",
            Self::AwaitsPayment => "awaits_payment",
            Self::NotPaid => "not_paid",
            Self::ClaimsCounted => "claims_counted",
            Self::FraudWarning => "fraud_warning",
            Self::UnknownOrder => "unknown_order",
            Self::WrongAmount => "wrong_amount",
            Self::WrongCurrency => "wrong_currency",
            Self::WrongCheckout => "wrong_checkout",
            Self::WrongMode => "wrong_mode",
            Self::Ignored => "ignored",
            Self::Duplicate => "duplicate",
        }
    }

    /// Whether somebody should look at whatever ends so.
    fn is_flagged(self) -> bool {
        matches!(
            self,
            Self::UnknownOrder
                | Self::WrongAmount
                | Self::WrongCurrency
                | Self::WrongCheckout
                | Self::WrongMode
        )
    }
}

/// What the operator chose that matters here.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Whether real money is expected, where that is known.
    pub livemode: Option<bool>,
    /// What an invitation is worth, where the first top-up rewards it.
    pub rewards: Option<Rewards>,
}

/// What came of an event, and for which order.
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The order as it was before.
    pub order: Option<Order>,
    /// Whether somebody should look at it.
    pub is_flagged: bool,
}

/// Acts on an event.
pub async fn fulfil(
    transaction: &Transaction,
    provider: &str,
    event: &PaymentEvent,
    rules: Rules,
    now: i64,
) -> Result<Outcome, StoreError> {
    if event.happening == Happening::Nothing {
        return Ok(Outcome {
            verdict: Verdict::Ignored,
            order: None,
            is_flagged: false,
        });
    }
    let order = find_order(transaction, provider, event).await?;
    let verdict = match &order {
        None => Verdict::UnknownOrder,
        Some(order) => {
            let act = Act {
                transaction,
                provider,
                event,
                rules,
                order,
                now,
            };
            act.run().await?
        }
    };
    let is_flagged = verdict.is_flagged() || event.happening.is_alarming();
    Ok(Outcome {
        verdict,
        order,
        is_flagged,
    })
}

/// The order that an event is about, locked: by our id, else by the payment.
async fn find_order(
    transaction: &Transaction,
    provider: &str,
    event: &PaymentEvent,
) -> Result<Option<Order>, StoreError> {
    if let Some(id) = &event.order_id
        && let Some(order) = top_ups::lock(transaction, id).await?
    {
        return Ok(Some(order));
    }
    let Some(payment) = &event.payment_id else {
        return Ok(None);
    };
    match top_ups::find_by_payment(transaction, provider, payment).await? {
        Some(found) => top_ups::lock(transaction, &found.id).await,
        None => Ok(None),
    }
}

/// One event on its way into one order.
struct Act<'a> {
    transaction: &'a Transaction,
    provider: &'a str,
    event: &'a PaymentEvent,
    rules: Rules,
    order: &'a Order,
    now: i64,
}

impl Act<'_> {
    async fn run(&self) -> Result<Verdict, StoreError> {
        if let Some(verdict) = self.misfit() {
            return Ok(verdict);
        }
        match &self.event.happening {
            Happening::Paid {
                amount_minor,
                currency,
            } => self.paid(*amount_minor, currency).await,
            Happening::Unpaid => {
                self.note_ids().await?;
                Ok(Verdict::AwaitsPayment)
            }
            Happening::Failed => self.give_up(OrderStatus::Failed).await,
            Happening::Expired => self.give_up(OrderStatus::Expired).await,
            Happening::Refunded {
                total_minor,
                charged_minor,
            } => {
                let total = self.in_order_units(*total_minor, *charged_minor);
                let known = refunds_of(self.order);
                let refunds = add_refund(known, total, self.event.created_s);
                order_claims::set_refunds(self.transaction, &self.order.id, refunds).await?;
                self.settle_claims().await
            }
            Happening::RefundFailed {
                refund_id,
                amount_minor,
            } => self.refund_failed(refund_id, *amount_minor).await,
            Happening::Disputed {
                dispute_id,
                amount_minor,
                state,
            } => {
                order_claims::note_dispute(
                    self.transaction,
                    self.provider,
                    dispute_id,
                    &self.order.id,
                    *amount_minor,
                    (*state).into(),
                )
                .await?;
                self.settle_claims().await
            }
            Happening::Suspected => Ok(Verdict::FraudWarning),
            Happening::Nothing => Ok(Verdict::Ignored),
        }
    }

    /// What does not belong to this order or to this set-up at all.
    fn misfit(&self) -> Option<Verdict> {
        let (expected, told) = (self.rules.livemode, self.event.livemode);
        if expected.is_some() && told.is_some() && expected != told {
            return Some(Verdict::WrongMode);
        }
        let (ours, theirs) = (&self.order.session_id, &self.event.session_id);
        let is_other_checkout = ours.is_some() && theirs.is_some() && ours != theirs;
        let is_other_provider = self.order.provider != self.provider;
        (is_other_checkout || is_other_provider).then_some(Verdict::WrongCheckout)
    }

    async fn paid(&self, amount_minor: i64, currency: &str) -> Result<Verdict, StoreError> {
        let order = self.order;
        let is_open = matches!(
            order.status,
            OrderStatus::Pending | OrderStatus::Failed | OrderStatus::Expired
        );
        let misfit = if currency != order.currency {
            Some(Verdict::WrongCurrency)
        } else if amount_minor != order.amount_minor {
            Some(Verdict::WrongAmount)
        } else {
            None
        };
        if let Some(verdict) = misfit {
            if is_open {
                let mismatch = OrderStatus::Mismatch;
                top_ups::change_status(self.transaction, &order.id, order.status, mismatch).await?;
            }
            return Ok(verdict);
        }
        if order.status == OrderStatus::Mismatch {
            return Ok(Verdict::WrongAmount);
        }
        self.note_ids().await?;
        if !is_open {
            return Ok(Verdict::AlreadyPaid);
        }
        // Before the credit: it locks both users' accounts in the order that all others do.
        if let Some(rewards) = self.rules.rewards {
            let (records, payer) = (self.transaction, order.user_id);
            referrals::reward_order(records, payer, rewards, &order.id, self.now).await?;
        }
        if top_ups::complete(self.transaction, &order.id, self.now)
            .await?
            .is_none()
        {
            return Ok(Verdict::AlreadyPaid);
        }
        // Refunds and disputes that came first.
        self.settle_claims().await?;
        Ok(Verdict::Credited)
    }

    /// A payment that came before or comes later counts more.
    async fn give_up(&self, status: OrderStatus) -> Result<Verdict, StoreError> {
        let pending = OrderStatus::Pending;
        let changed =
            top_ups::change_status(self.transaction, &self.order.id, pending, status).await?;
        Ok(if changed || self.order.completed_at.is_none() {
            Verdict::NotPaid
        } else {
            Verdict::AlreadyPaid
        })
    }

    async fn refund_failed(
        &self,
        refund_id: &str,
        amount_minor: i64,
    ) -> Result<Verdict, StoreError> {
        let order = &self.order.id;
        let is_new = order_claims::note_failed_refund(
            self.transaction,
            self.provider,
            refund_id,
            order,
            amount_minor,
        )
        .await?;
        if is_new {
            let known = refunds_of(self.order);
            let refunds = add_failed_refund(known, amount_minor, self.event.created_s);
            order_claims::set_refunds(self.transaction, order, refunds).await?;
        }
        self.settle_claims().await
    }

    /// Refunds are told of what was charged, which may include tax that was never ordered.
    fn in_order_units(&self, total_minor: i64, charged_minor: i64) -> i64 {
        if charged_minor <= 0 || charged_minor == self.order.amount_minor {
            return total_minor;
        }
        let scaled = i128::from(total_minor) * i128::from(self.order.amount_minor)
            / i128::from(charged_minor);
        i64::try_from(scaled).unwrap_or(self.order.amount_minor)
    }

    async fn settle_claims(&self) -> Result<Verdict, StoreError> {
        self.note_ids().await?;
        let order = top_ups::get(self.transaction, &self.order.id).await?;
        if let Some(order) = order {
            settle(self.transaction, &order, &self.event.id, self.now).await?;
        }
        Ok(Verdict::ClaimsCounted)
    }

    async fn note_ids(&self) -> Result<(), StoreError> {
        let session = self.event.session_id.as_deref();
        let session = session.filter(|_| self.order.session_id.is_none());
        let payment = self.event.payment_id.as_deref();
        top_ups::note_provider_ids(self.transaction, &self.order.id, session, payment).await?;
        Ok(())
    }
}
