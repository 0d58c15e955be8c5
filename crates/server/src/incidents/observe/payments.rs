//! Payments that somebody has to look at: money that payers' banks want back, or may want back soon.

use serde_json::json;
use store::incidents::Severity;
use store::order_claims::DisputeState;
use store::payment_flags::{self, OpenDispute, SuspectedOrder};
use store::{Result, UserId};

use super::super::finding::Finding;
use super::super::rule::Rule;
use crate::app::App;

/// Most disputes, and most suspected orders, that become incidents at once.
const MOST: u32 = 50;
/// A suspicion that nothing followed for so long is over.
const SUSPECTED_FOR_MS: i64 = 30 * 86_400_000;

/// Looks for disputes that are not decided, and for orders under suspicion that are still paid.
pub(in crate::incidents) async fn payments(app: &App, now: i64) -> Result<Vec<Finding>> {
    let records = app.store().read();
    let disputes = payment_flags::open_disputes(records, MOST).await?;
    let since = now - SUSPECTED_FOR_MS;
    let suspected = payment_flags::suspected_orders(records, since, MOST).await?;
    let found = disputes.iter().map(disputed);
    Ok(found.chain(suspected.iter().map(warned)).collect())
}

fn disputed(dispute: &OpenDispute) -> Finding {
    let (state, what) = match dispute.state {
        DisputeState::Noted => ("noted", "The payer's bank asks; nothing was taken yet."),
        _ => (
            "held",
            "The payer's bank has taken the money back until it is decided.",
        ),
    };
    let answer = "Answer it at the provider before its time is over.";
    let summary = format!("{what} {answer}");
    let order = (&*dispute.provider, &*dispute.order_id, dispute.user_id);
    let money = (dispute.amount_minor, &*dispute.currency);
    let title = format!("Order {} is disputed", dispute.order_id);
    let mut finding = finding((title, summary), order, money);
    finding.facts["dispute"] = json!(dispute.dispute_id);
    finding.facts["state"] = json!(state);
    finding.about(format!(
        "dispute:{}:{}",
        dispute.provider, dispute.dispute_id
    ))
}

fn warned(order: &SuspectedOrder) -> Finding {
    let title = format!("Order {} may be fraud", order.order_id);
    let summary = "The payer's bank suspects fraud. Paying it back now may spare the dispute.";
    let about = format!("order:{}", order.order_id);
    let money = (order.amount_minor, &*order.currency);
    let order = (&*order.provider, &*order.order_id, order.user_id);
    finding((title, summary.to_owned()), order, money).about(about)
}

fn finding(
    texts: (String, String),
    (provider, order_id, user_id): (&str, &str, UserId),
    (amount_minor, currency): (i64, &str),
) -> Finding {
    let facts = json!({
        "provider": provider,
        "order_id": order_id,
        "user_id": user_id.0,
        "amount_minor": amount_minor,
        "currency": currency,
    });
    Finding::of_service(Rule::PaymentFlagged, Severity::Warning, texts, facts)
}
