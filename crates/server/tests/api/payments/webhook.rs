//! `POST /api/payment/webhook`: what is refused and in which order, and that what is believed is
//! credited exactly once.

use serde_json::{Value, json};
use store::top_ups::OrderStatus;
use store::users::Role;

use super::service::{NOW_S, SECRET, STRIPE, Service, completed, event, paid, signed};
use crate::support::send;

const TEN_DOLLARS: i64 = 10_000_000_000;

#[test]
fn deliveries_are_refused_in_the_contracts_order() {
    let service = Service::with(STRIPE);
    let get = send(service.app.address, "GET /api/payment/webhook", &[], "");
    assert_eq!(
        (get.status, &get.json()["code"]),
        (405, &json!("method_not_allowed"))
    );
    let long = "x".repeat(1 << 20);
    let body = completed("evt_1", "ord_1").to_string();
    let right = signed(&body, SECRET, NOW_S);
    for (headers, body, status) in [
        (&[][..], long.as_str(), 413),
        (&[("stripe-signature", right.as_str())], &long, 413),
        (&[], "", 400),
        (&[("stripe-signature", &right)], "", 400),
        (&[], &body, 400),
        (&[("x-signature", &right)], &body, 400),
        (&[("modelgate-signature", &right)], &body, 503),
        (
            &[
                ("stripe-signature", &right),
                ("modelgate-signature", &right),
            ],
            &body,
            400,
        ),
        (
            &[("stripe-signature", &right), ("stripe-signature", &right)],
            &body,
            400,
        ),
        (&[("stripe-signature", "t=1,v1=00")], &body, 400),
        (&[("stripe-signature", "nonsense")], &body, 400),
        (&[("stripe-signature", &right)], &body, 200),
    ] {
        let reply = service.webhook(headers, body);
        assert_eq!(reply.status, status, "{headers:?} {}", reply.body);
        assert_eq!(reply.json()["success"], status == 200);
    }
    let slashed = send(
        service.app.address,
        "POST /api/payment/webhook/",
        &[("stripe-signature", &right)],
        &body,
    );
    assert_eq!(slashed.status, 200);
}

#[test]
fn without_a_secret_nothing_is_believed() {
    let service = Service::with("");
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    let body = completed("evt_1", "ord_1").to_string();
    for secret in ["", SECRET] {
        let signature = signed(&body, secret, NOW_S);
        let reply = service.webhook(&[("stripe-signature", &signature)], &body);
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (503, &json!("unavailable"))
        );
    }
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
}

#[test]
fn forged_stale_and_changed_events_credit_nothing() {
    let service = Service::with(STRIPE);
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    let body = completed("evt_1", "ord_1").to_string();
    let changed = body.replace("1000", "9000");
    for (signature, body) in [
        (signed(&body, "whsec_of_somebody_else", NOW_S), &body),
        (signed(&body, SECRET, NOW_S - 301), &body),
        (signed(&body, SECRET, NOW_S + 301), &body),
        (signed(&body, SECRET, NOW_S), &changed),
        (signed(&body, SECRET, NOW_S).replace("v1=", "v0="), &body),
    ] {
        let reply = service.webhook(&[("stripe-signature", &signature)], body);
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (400, &json!("invalid_signature"))
        );
    }
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
    let signature = signed(&body, SECRET, NOW_S - 300);
    let reply = service.webhook(&[("stripe-signature", &signature)], &body);
    assert_eq!(reply.status, 200);
    assert_eq!(service.balances(&ann).wallet_nanos, TEN_DOLLARS);
}

#[test]
fn what_is_signed_and_no_event_is_refused() {
    let service = Service::with(STRIPE);
    for body in [
        "{}",
        "[]",
        "not json",
        r#"{"id":1}"#,
        r#"{"note":"Zürich ☕"}"#,
    ] {
        let signature = signed(body, SECRET, NOW_S);
        let reply = service.webhook(&[("stripe-signature", &signature)], body);
        assert_eq!(reply.status, 400, "{body}");
    }
    let thin = json!({"id": "evt_v2", "object": "v2.core.event", "type": "v1.billing"});
    assert_eq!(service.verdict(&thin), "ignored");
    let noise = event("evt_2", "payment_intent.succeeded", &paid("ord_1"));
    assert_eq!(service.verdict(&noise), "ignored");
}

#[test]
fn an_event_that_is_replayed_a_hundred_times_at_once_credits_once() {
    let service = Service::with(STRIPE);
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    let same = completed("evt_1", "ord_1");
    let verdicts: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..100)
            .map(|number| {
                // Half of them are the same event, half are events of their own for one payment.
                let event = match number % 2 {
                    0 => same.clone(),
                    _ => event(
                        &format!("evt_{number}"),
                        "checkout.session.async_payment_succeeded",
                        &paid("ord_1"),
                    ),
                };
                let service = &service;
                scope.spawn(move || service.verdict(&event))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let credited = verdicts.iter().filter(|verdict| *verdict == "credited");
    assert_eq!(credited.count(), 1, "{verdicts:?}");
    assert_eq!(service.balances(&ann).wallet_nanos, TEN_DOLLARS);
    let order = service.stored("ord_1");
    assert_eq!(
        (order.status, order.payment_id.as_deref()),
        (OrderStatus::Paid, Some("pi_ord_1"))
    );
}

#[test]
fn another_amount_or_currency_is_flagged_and_never_credited() {
    let service = Service::with(STRIPE);
    let ann = service.person("ann", Role::User);
    for (order, field, value, verdict) in [
        ("less", "amount_total", json!(999), "wrong_amount"),
        ("more", "amount_total", json!(1001), "wrong_amount"),
        ("none", "amount_total", Value::Null, "wrong_amount"),
        ("euros", "currency", json!("eur"), "wrong_currency"),
    ] {
        service.order(order, "stripe", &ann);
        let mut checkout = paid(order);
        checkout[field] = value;
        let wrong = event(
            &format!("evt_{order}"),
            "checkout.session.completed",
            &checkout,
        );
        assert_eq!(service.verdict(&wrong), verdict);
        assert_eq!(service.stored(order).status, OrderStatus::Mismatch);
        assert_eq!(service.verdict(&wrong), "duplicate");
        // Somebody must look at it: a right event does not make up for the wrong one.
        let right = completed(&format!("evt_{order}_2"), order);
        assert_eq!(service.verdict(&right), "wrong_amount");
    }
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
}

#[test]
fn unknown_and_foreign_orders_are_recorded_and_change_nothing() {
    let service = Service::with(
        "[payments.stripe]\nwebhook_secret = \"whsec_test_gateway_0001\"\n\
         secret_key = \"sk_test_x\"\n",
    );
    let ann = service.person("ann", Role::User);
    service.order("play", "sandbox", &ann);
    service.order("real", "stripe", &ann);
    assert_eq!(
        service.verdict(&completed("evt_1", "nobody")),
        "unknown_order"
    );
    assert_eq!(
        service.verdict(&completed("evt_2", "play")),
        "wrong_checkout"
    );
    let mut live = completed("evt_3", "real");
    live["livemode"] = json!(true);
    assert_eq!(service.verdict(&live), "wrong_mode");
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
    for order in ["play", "real"] {
        assert_eq!(service.stored(order).status, OrderStatus::Pending);
    }
    live["livemode"] = json!(false);
    live["id"] = json!("evt_4");
    assert_eq!(service.verdict(&live), "credited");
}

#[test]
fn events_of_an_order_count_in_any_order() {
    let service = Service::with(STRIPE);
    let ann = service.person("ann", Role::User);
    let told = |order: &str, number: u8, event_type: &str, payment_status: &str| {
        let mut checkout = paid(order);
        checkout["payment_status"] = json!(payment_status);
        let id = format!("evt_{order}_{number}");
        service.verdict(&event(
            &id,
            &format!("checkout.session.{event_type}"),
            &checkout,
        ))
    };
    service.order("slow", "stripe", &ann);
    assert_eq!(told("slow", 1, "completed", "unpaid"), "awaits_payment");
    assert_eq!(service.stored("slow").status, OrderStatus::Pending);
    assert_eq!(
        told("slow", 2, "async_payment_succeeded", "paid"),
        "credited"
    );
    assert_eq!(told("slow", 3, "completed", "paid"), "already_paid");

    service.order("late", "stripe", &ann);
    assert_eq!(told("late", 1, "expired", "unpaid"), "not_paid");
    assert_eq!(service.stored("late").status, OrderStatus::Expired);
    assert_eq!(told("late", 2, "completed", "paid"), "credited");

    service.order("early", "stripe", &ann);
    assert_eq!(told("early", 1, "completed", "paid"), "credited");
    assert_eq!(
        told("early", 2, "async_payment_failed", "unpaid"),
        "already_paid"
    );
    assert_eq!(told("early", 3, "expired", "unpaid"), "already_paid");
    assert_eq!(service.stored("early").status, OrderStatus::Paid);

    service.order("never", "stripe", &ann);
    assert_eq!(
        told("never", 1, "async_payment_failed", "unpaid"),
        "not_paid"
    );
    assert_eq!(service.stored("never").status, OrderStatus::Failed);
    assert_eq!(service.balances(&ann).wallet_nanos, 3 * TEN_DOLLARS);
}

#[test]
fn while_the_database_is_away_the_provider_is_asked_to_try_again() {
    let service = Service::with(STRIPE);
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    service.records(async |store| store.clone().close().await.unwrap());
    let event = completed("evt_1", "ord_1");
    let reply = service.tell(&event);
    assert_eq!(
        (reply.status, &reply.json()["code"]),
        (500, &json!("internal_error"))
    );
    let body = event.to_string();
    let forged = signed(&body, "whsec_of_somebody_else", NOW_S);
    let reply = service.webhook(&[("stripe-signature", &forged)], &body);
    assert_eq!(reply.status, 400, "who is not believed learns nothing");
}

#[test]
fn a_secret_can_be_rotated_without_losing_an_event() {
    let service = Service::with(
        "[payments.stripe]\nwebhook_secret = \"whsec_new, whsec_test_gateway_0001\"\n",
    );
    for secret in ["whsec_new", SECRET] {
        let body = completed(secret, "nobody").to_string();
        let signature = signed(&body, secret, NOW_S);
        let reply = service.webhook(&[("stripe-signature", &signature)], &body);
        assert_eq!(reply.status, 200, "{secret}");
    }
    let body = completed("evt", "nobody").to_string();
    let signature = signed(&body, "whsec_new, whsec_test_gateway_0001", NOW_S);
    let reply = service.webhook(&[("stripe-signature", &signature)], &body);
    assert_eq!(reply.status, 400);
}
