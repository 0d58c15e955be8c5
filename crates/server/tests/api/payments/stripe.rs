//! Checkouts at Stripe: what is sent, what comes of failures, and that late payments still count.

use std::time::Duration;

use serde_json::{Value, json};
use store::top_ups::{self, OrderStatus};
use store::users::Role;
use testkit::{FakeUpstream, Reply};
use tokio::runtime::Runtime;

use super::service::{NOW_S, Person, SECRET, Service, completed, event, paid, signed};

const SESSIONS: &str = "/v1/checkout/sessions";

fn with_stripe(upstream: &FakeUpstream) -> Service {
    Service::with(&format!(
        "[payments.stripe]\nsecret_key = \"sk_test_canary\"\n\
         webhook_secret = \"whsec_test_gateway_0001\"\napi_base = \"{}\"\n\
         [outbound]\nallow_private = [\"127.0.0.0/8\"]\n",
        upstream.url("")
    ))
}

#[test]
fn a_checkout_is_opened_for_the_order_and_its_payment_credited() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let session = json!({"id": "cs_test_1", "url": "https://checkout.example/c/1"});
    upstream.on(SESSIONS, Reply::json(&session));
    let service = with_stripe(&upstream);
    let ann = service.person("ann", Role::User);
    let body = json!({"amount": "10", "provider": "stripe"});
    let made = service.data(&ann, "POST /api/topup/", &body);
    assert_eq!(made["checkout_url"], "https://checkout.example/c/1");
    let id = made["order_id"].as_str().unwrap();

    let request = upstream.only_request();
    assert_eq!(
        request.header("authorization"),
        Some("Bearer sk_test_canary")
    );
    assert_eq!(request.header("idempotency-key"), Some(id));
    let sent = request.text();
    for field in [
        "mode=payment".to_owned(),
        format!("client_reference_id={id}"),
        "line_items%5B0%5D%5Bprice_data%5D%5Bunit_amount%5D=1000".to_owned(),
        "line_items%5B0%5D%5Bprice_data%5D%5Bcurrency%5D=usd".to_owned(),
        format!("payment_intent_data%5Bmetadata%5D%5Border_id%5D={id}"),
        format!("success_url=http%3A%2F%2Fgate.example%2Fconsole%2Fwallet%3Forder%3D{id}"),
    ] {
        assert!(sent.split('&').any(|sent| sent == field), "{field}: {sent}");
    }

    let checkout = json!({"id": "cs_test_other", "client_reference_id": id,
        "payment_status": "paid", "amount_total": 1000, "currency": "usd"});
    let other = event("evt_1", "checkout.session.completed", &checkout);
    assert_eq!(service.verdict(&other), "wrong_checkout");
    let mut checkout = checkout;
    checkout["id"] = json!("cs_test_1");
    let right = event("evt_2", "checkout.session.completed", &checkout);
    assert_eq!(service.verdict(&right), "credited");
    assert_eq!(service.balances(&ann).wallet_nanos, 10_000_000_000);
}

#[test]
fn a_provider_that_fails_leaves_a_failed_order_and_no_secret() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let refusal = json!({"error": {"type": "invalid_request_error", "code": "api_key_expired",
        "message": "Expired API Key provided: sk_test_canary"}});
    upstream.on_each(
        SESSIONS,
        [
            Reply::json(&refusal).status(401),
            Reply::html(500),
            Reply::json(&json!({"id": "cs_1", "url": "javascript:alert(1)"})),
        ],
    );
    let service = with_stripe(&upstream);
    let ann = service.person("ann", Role::User);
    let body = json!({"amount": 10, "provider": "stripe"});
    for _ in 0..3 {
        let reply = service.call(&ann, "POST /api/topup/", &body);
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (502, &json!("upstream_error"))
        );
        assert!(!reply.body.contains("canary"), "{}", reply.body);
    }
    let list = service.data(&ann, "GET /api/topup/", &Value::Null);
    let items = list["items"].as_array().unwrap();
    assert!(
        items.iter().all(|item| item["status"] == "failed"),
        "{list}"
    );
    // The checkout was open after all, and somebody paid.
    let id = items[0]["order_id"].as_str().unwrap();
    let checkout = json!({"id": "cs_late", "client_reference_id": id,
        "payment_status": "paid", "amount_total": 1000, "currency": "usd"});
    let late = event("evt_late", "checkout.session.completed", &checkout);
    assert_eq!(service.verdict(&late), "credited");
    assert_eq!(service.stored(id).status, OrderStatus::Paid);
}

#[test]
fn a_broken_connection_is_tried_again_with_the_same_key() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let session = json!({"id": "cs_test_1", "url": "https://checkout.example/c/1"});
    upstream.on_each(SESSIONS, [Reply::nothing(), Reply::json(&session)]);
    let service = with_stripe(&upstream);
    let ann = service.person("ann", Role::User);
    let body = json!({"amount": 10, "provider": "stripe"});
    service.data(&ann, "POST /api/topup/", &body);
    let keys: Vec<Option<String>> = upstream
        .requests()
        .iter()
        .map(|request| request.header("idempotency-key").map(str::to_owned))
        .collect();
    assert_eq!(keys.len(), 2);
    assert!(keys[0].is_some() && keys[0] == keys[1], "{keys:?}");
}

#[test]
fn an_address_that_the_guard_does_not_allow_is_not_called() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let service = Service::with(&format!(
        "[payments.stripe]\nsecret_key = \"sk_test_x\"\napi_base = \"{}\"\n",
        upstream.url("")
    ));
    let ann = service.person("ann", Role::User);
    let body = json!({"amount": 10, "provider": "stripe"});
    assert_eq!(service.call(&ann, "POST /api/topup/", &body).status, 502);
    assert!(upstream.requests().is_empty());
}

/// An order of ten dollars that waits at its checkout.
fn waits(service: &Service, person: &Person, id: &str) {
    service.order(id, "stripe", person);
    service.records(async |store| {
        let transaction = store.write().await.expect("the test gave it");
        let session = format!("cs_{id}");
        let noted = top_ups::note_provider_ids(&transaction, id, Some(&session), None);
        assert!(noted.await.expect("the test gave it"));
        transaction.commit().await.expect("the test gave it");
    });
}

#[test]
fn a_lost_event_is_made_up_for_also_behind_an_order_that_is_refused() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let unknown = json!({"error": {"type": "invalid_request_error", "code": "resource_missing"}});
    let gone = Reply::json(&unknown).status(404);
    upstream.on(&format!("{SESSIONS}/cs_ord_1"), gone.clone());
    let session = paid("ord_2");
    upstream.on(&format!("{SESSIONS}/cs_ord_2"), Reply::json(&session));
    upstream.on("/v1/events", gone);
    let service = with_stripe(&upstream);
    let ann = service.person("ann", Role::User);
    waits(&service, &ann, "ord_1");
    waits(&service, &ann, "ord_2");
    service.app.clock.advance(Duration::from_secs(301));
    service.look_after(&runtime, "ord_2", OrderStatus::Paid);
    assert_eq!(service.balances(&ann).wallet_nanos, 10_000_000_000);
    let refused = service.stored("ord_1");
    assert_eq!(refused.status, OrderStatus::Pending);
    assert!(refused.asked_at > refused.created_at);
}

#[test]
fn a_refund_that_was_never_told_is_found_in_the_history() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    // The newest first, on two pages; the payment was told before.
    let charge = json!({"amount": 1000, "amount_refunded": 1000, "payment_intent": "pi_ord_1"});
    let pages = [
        json!({"data": [event("evt_3", "charge.refunded", &charge)], "has_more": true}),
        json!({"data": [completed("evt_1", "ord_1")], "has_more": false}),
    ];
    upstream.on_each("/v1/events", pages.iter().map(Reply::json));
    let service = with_stripe(&upstream);
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    assert_eq!(service.verdict(&completed("evt_1", "ord_1")), "credited");
    service.look_after(&runtime, "ord_1", OrderStatus::Refunded);
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
    let asked = upstream.requests();
    let query = |number: usize| asked[number].query.as_str();
    assert!(
        query(0).contains("types%5B%5D=charge.refunded"),
        "{}",
        query(0)
    );
    assert!(!query(0).contains("starting_after"), "{}", query(0));
    assert!(query(1).ends_with("starting_after=evt_3"), "{}", query(1));
    // Told late after all, it does nothing more.
    let late = event("evt_3", "charge.refunded", &charge);
    assert_eq!(service.verdict(&late), "duplicate");
}

/// The checkout of an order whose money is under way.
fn unpaid(order: &str) -> Value {
    let mut session = paid(order);
    session["payment_status"] = json!("unpaid");
    session
}

/// Tells an event so many seconds after the beginning, and returns the verdict.
fn told_after(service: &Service, seconds: i64, event: &Value) -> Value {
    let body = event.to_string();
    let signature = signed(&body, SECRET, NOW_S + seconds);
    let reply = service.webhook(&[("stripe-signature", &signature)], &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["data"]["verdict"].clone()
}

#[test]
fn an_order_whose_money_is_under_way_waits_until_the_provider_says() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    for order in ["told", "asked", "debit_failed"] {
        let session = Reply::json(&unpaid(order));
        upstream.on(&format!("{SESSIONS}/cs_{order}"), session);
    }
    let left = json!({"id": "cs_left", "client_reference_id": "left", "status": "open",
        "payment_status": "unpaid"});
    upstream.on(&format!("{SESSIONS}/cs_left"), Reply::json(&left));
    let nothing = Reply::json(&json!({"data": [], "has_more": false}));
    upstream.on("/v1/events", nothing);
    let service = with_stripe(&upstream);
    let ann = service.person("ann", Role::User);
    for order in ["told", "asked", "debit_failed", "left"] {
        waits(&service, &ann, order);
    }
    // Of the others the event was lost.
    let done = event("evt_1", "checkout.session.completed", &unpaid("told"));
    assert_eq!(service.verdict(&done), "awaits_payment");
    let days = 5 * 86_400;
    service.app.clock.advance(Duration::from_secs(days));
    // The one that nobody paid is given up in the same round.
    service.look_after(&runtime, "left", OrderStatus::Expired);
    for order in ["told", "asked", "debit_failed"] {
        assert_eq!(
            service.stored(order).status,
            OrderStatus::Pending,
            "{order}"
        );
    }
    let after = i64::try_from(days).unwrap();
    for (order, verdict) in [("told", "credited"), ("asked", "credited")] {
        for (again, verdict) in [(1, verdict), (2, "already_paid")] {
            let id = format!("evt_{order}_{again}");
            let came = event(
                &id,
                "checkout.session.async_payment_succeeded",
                &paid(order),
            );
            assert_eq!(told_after(&service, after, &came), verdict, "{order}");
        }
    }
    let failed = "checkout.session.async_payment_failed";
    let failed = event("evt_9", failed, &unpaid("debit_failed"));
    assert_eq!(told_after(&service, after, &failed), "not_paid");
    let order = service.stored("debit_failed");
    assert_eq!(order.status, OrderStatus::Failed);
    assert_eq!(service.balances(&ann).wallet_nanos, 20_000_000_000);
}

#[test]
fn an_order_does_not_wait_for_ever_for_money_that_is_under_way() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let session = Reply::json(&unpaid("ord_1"));
    upstream.on(&format!("{SESSIONS}/cs_ord_1"), session);
    let nothing = Reply::json(&json!({"data": [], "has_more": false}));
    upstream.on("/v1/events", nothing);
    let service = with_stripe(&upstream);
    let ann = service.person("ann", Role::User);
    waits(&service, &ann, "ord_1");
    let done = event("evt_1", "checkout.session.completed", &unpaid("ord_1"));
    assert_eq!(service.verdict(&done), "awaits_payment");
    service.app.clock.advance(Duration::from_hours(31 * 24));
    service.look_after(&runtime, "ord_1", OrderStatus::Expired);
}
