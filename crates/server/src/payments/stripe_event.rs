//! Reads events in Stripe's form, which the sandbox writes too. Only what concerns orders is read;
//! everything else is an event that says nothing.

use serde_json::Value;

use super::event::{DisputeProgress, Happening, PaymentEvent};

/// The body is no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body is not an event")]
pub struct NotAnEvent;

/// Reads the body of a webhook.
pub fn read_event(body: &[u8]) -> Result<PaymentEvent, NotAnEvent> {
    let value: Value = serde_json::from_slice(body).map_err(|_| NotAnEvent)?;
    event_of(&value)
}

/// Reads an event that was told or asked for.
pub fn event_of(value: &Value) -> Result<PaymentEvent, NotAnEvent> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let id = text("id").filter(|id| (1..=255).contains(&id.len()));
    let event_type = text("type").unwrap_or_default();
    let object = match text("object") {
        Some("event") => &value["data"]["object"],
        // A newer form that names its object without carrying it: there is nothing to act on.
        Some("v2.core.event") => &Value::Null,
        _ => return Err(NotAnEvent),
    };
    let happening = happening(event_type, object);
    Ok(PaymentEvent {
        id: id.ok_or(NotAnEvent)?.to_owned(),
        event_type: event_type.chars().take(100).collect(),
        created_s: value["created"].as_i64().unwrap_or(0),
        livemode: value["livemode"].as_bool(),
        order_id: owned(&object["client_reference_id"])
            .or_else(|| owned(&object["metadata"]["order_id"])),
        session_id: event_type
            .starts_with("checkout.session.")
            .then(|| owned(&object["id"]))
            .flatten(),
        payment_id: reference(&object["payment_intent"]),
        happening,
    })
}

/// A checkout as the provider tells it when asked, as the event that it would have sent.
pub fn session_as_event(session: &Value) -> Option<PaymentEvent> {
    let id = owned(&session["id"])?;
    let completed = "checkout.session.completed";
    let (event_type, told) = match (session["status"].as_str(), paid_status(session)) {
        (_, "paid") => (completed, completed),
        (Some("expired"), _) => ("checkout.session.expired", "checkout.session.expired"),
        // The money is under way. That it has come is another event than this one.
        (Some("complete"), "unpaid") => (completed, "checkout.session.unpaid"),
        _ => return None,
    };
    Some(PaymentEvent {
        id: format!("asked:{told}:{id}"),
        event_type: event_type.to_owned(),
        created_s: 0,
        livemode: session["livemode"].as_bool(),
        order_id: owned(&session["client_reference_id"]),
        session_id: Some(id),
        payment_id: reference(&session["payment_intent"]),
        happening: happening(event_type, session),
    })
}

fn happening(event_type: &str, object: &Value) -> Happening {
    match event_type {
        "checkout.session.completed" if paid_status(object) != "paid" => Happening::Unpaid,
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
            Happening::Paid {
                amount_minor: amount_paid(object),
                currency: currency(object),
            }
        }
        "checkout.session.async_payment_failed" => Happening::Failed,
        "checkout.session.expired" => Happening::Expired,
        "charge.refunded" => Happening::Refunded {
            total_minor: amount(&object["amount_refunded"]),
            charged_minor: amount(&object["amount"]),
        },
        "refund.updated" | "refund.failed" | "charge.refund.updated" => refund(object),
        "charge.dispute.created"
        | "charge.dispute.updated"
        | "charge.dispute.funds_withdrawn"
        | "charge.dispute.funds_reinstated"
        | "charge.dispute.closed" => dispute(event_type, object),
        "radar.early_fraud_warning.created" => Happening::Suspected,
        _ => Happening::Nothing,
    }
}

fn paid_status(session: &Value) -> &str {
    session["payment_status"].as_str().unwrap_or_default()
}

/// What was paid for the order itself: the total or, where tax came on top, what it came on top of.
fn amount_paid(session: &Value) -> i64 {
    let details = &session["total_details"];
    let tax = amount(&details["amount_tax"]);
    match session["amount_subtotal"].as_i64() {
        Some(subtotal) if tax > 0 => subtotal - amount(&details["amount_discount"]),
        _ => amount(&session["amount_total"]),
    }
}

/// Refunds count by the charge's sum; a single one counts when it fails.
fn refund(refund: &Value) -> Happening {
    match (refund["status"].as_str(), owned(&refund["id"])) {
        (Some("failed" | "canceled"), Some(refund_id)) => Happening::RefundFailed {
            refund_id,
            amount_minor: amount(&refund["amount"]),
        },
        _ => Happening::Nothing,
    }
}

fn dispute(event_type: &str, dispute: &Value) -> Happening {
    let Some(dispute_id) = owned(&dispute["id"]) else {
        return Happening::Nothing;
    };
    let state = match (event_type, dispute["status"].as_str().unwrap_or_default()) {
        (_, "won") | ("charge.dispute.funds_reinstated", _) => DisputeProgress::Won,
        (_, "lost") => DisputeProgress::Lost,
        (_, status) if status.starts_with("warning_") => DisputeProgress::Noted,
        // Settled by a refund, which has an event of its own.
        (_, "prevented") => DisputeProgress::Noted,
        _ => DisputeProgress::Held,
    };
    Happening::Disputed {
        dispute_id,
        amount_minor: amount(&dispute["amount"]),
        state,
    }
}

fn amount(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0).max(0)
}

fn currency(object: &Value) -> String {
    let text = object["currency"].as_str().unwrap_or_default();
    text.chars().take(10).collect::<String>().to_lowercase()
}

/// An id, of a length that an id may have.
fn owned(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (1..=255).contains(&text.len()).then(|| text.to_owned())
}

/// An id, or the object that it stands for.
fn reference(value: &Value) -> Option<String> {
    owned(value).or_else(|| owned(&value["id"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(event_type: &str, object: &Value) -> PaymentEvent {
        let event = json!({"id": "evt_1", "object": "event", "type": event_type, "created": 5,
            "data": {"object": object}});
        read_event(event.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_paid_checkout_names_its_order_payment_and_amount() {
        let session = json!({"id": "cs_1", "client_reference_id": "ord_1", "payment_intent": "pi_1",
            "payment_status": "paid", "amount_total": 1000, "currency": "USD"});
        let event = read("checkout.session.completed", &session);
        assert_eq!(event.order_id.as_deref(), Some("ord_1"));
        assert_eq!(event.session_id.as_deref(), Some("cs_1"));
        assert_eq!(event.payment_id.as_deref(), Some("pi_1"));
        let paid = Happening::Paid {
            amount_minor: 1000,
            currency: "usd".to_owned(),
        };
        assert_eq!((event.created_s, event.happening), (5, paid));
    }

    #[test]
    fn tax_is_not_part_of_what_was_ordered() {
        let session = json!({"id": "cs_1", "payment_status": "paid", "amount_subtotal": 1000,
            "amount_total": 1190, "currency": "usd", "total_details": {"amount_tax": 190}});
        let event = read("checkout.session.completed", &session);
        assert!(matches!(
            event.happening,
            Happening::Paid {
                amount_minor: 1000,
                ..
            }
        ));
    }

    #[test]
    fn money_under_way_is_not_money() {
        let session = json!({"id": "cs_1", "payment_status": "unpaid", "amount_total": 1000});
        let event = read("checkout.session.completed", &session);
        assert_eq!(event.happening, Happening::Unpaid);
        let free = json!({"id": "cs_1", "payment_status": "no_payment_required"});
        let event = read("checkout.session.completed", &free);
        assert_eq!(event.happening, Happening::Unpaid);
    }

    #[test]
    fn disputes_are_read_by_their_status() {
        for (event_type, status, state) in [
            (
                "charge.dispute.created",
                "needs_response",
                DisputeProgress::Held,
            ),
            (
                "charge.dispute.created",
                "warning_needs_response",
                DisputeProgress::Noted,
            ),
            ("charge.dispute.closed", "won", DisputeProgress::Won),
            ("charge.dispute.closed", "lost", DisputeProgress::Lost),
            (
                "charge.dispute.closed",
                "warning_closed",
                DisputeProgress::Noted,
            ),
            (
                "charge.dispute.funds_reinstated",
                "under_review",
                DisputeProgress::Won,
            ),
        ] {
            let object = json!({"id": "dp_1", "amount": 700, "status": status, "payment_intent": {"id": "pi_1"}});
            let event = read(event_type, &object);
            assert_eq!(event.payment_id.as_deref(), Some("pi_1"));
            assert!(
                matches!(event.happening, Happening::Disputed { state: found, .. } if found == state),
                "{event_type} {status}"
            );
        }
    }

    #[test]
    fn what_is_no_event_is_refused_and_what_says_nothing_is_not() {
        for body in ["", "{}", "[]", "null", "{", r#"{"object":"event"}"#] {
            assert_eq!(read_event(body.as_bytes()), Err(NotAnEvent), "{body}");
        }
        let thin = r#"{"id":"evt_2","object":"v2.core.event","type":"v1.x"}"#;
        assert_eq!(
            read_event(thin.as_bytes()).unwrap().happening,
            Happening::Nothing
        );
        let other = read("payment_intent.succeeded", &json!({"id": "pi_1"}));
        assert_eq!(other.happening, Happening::Nothing);
    }
}
