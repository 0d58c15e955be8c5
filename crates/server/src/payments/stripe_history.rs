//! What Stripe says has happened lately, page by page: for events whose delivery failed for days, or that its
//! endpoint for us was never asked to send.

use http::Method;
use serde_json::Value;

use super::event::PaymentEvent;
use super::form::encode;
use super::provider::{ProviderFailure, Surroundings};
use super::stripe::call;
use super::stripe_event::event_of;

/// What concerns orders; a request may name twenty kinds.
const KINDS: [&str; 13] = [
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "charge.refunded",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
    "charge.dispute.closed",
    "radar.early_fraud_warning.created",
];
/// Pages of a hundred events that are read at most.
const MOST_PAGES: usize = 20;

/// Events since a time, oldest first.
pub(super) async fn history(
    around: &Surroundings<'_>,
    since_s: i64,
) -> Result<Vec<PaymentEvent>, ProviderFailure> {
    let mut events = Vec::new();
    let mut after = None;
    for _ in 0..MOST_PAGES {
        let path = path(since_s, after.as_deref());
        let page = call(around, Method::GET, &path, None, String::new()).await?;
        let listed = page["data"].as_array().map_or(&[][..], Vec::as_slice);
        events.extend(listed.iter().filter_map(|event| event_of(event).ok()));
        let last = listed.last().and_then(|event| event["id"].as_str());
        after = last.map(str::to_owned);
        if after.is_none() || page["has_more"] != Value::Bool(true) {
            break;
        }
    }
    events.reverse();
    Ok(events)
}

/// The newest come first, and the next page begins after the last of them.
fn path(since_s: i64, after: Option<&str>) -> String {
    let since = since_s.to_string();
    let mut fields = vec![("limit", "100"), ("created[gte]", since.as_str())];
    fields.extend(KINDS.map(|kind| ("types[]", kind)));
    fields.extend(after.map(|id| ("starting_after", id)));
    format!("/v1/events?{}", encode(&fields))
}
