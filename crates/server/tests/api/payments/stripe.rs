//! Checkouts at Stripe: what is sent, what comes of failures, and that late payments still count.

use serde_json::{Value, json};
use store::top_ups::OrderStatus;
use store::users::Role;
use testkit::{FakeUpstream, Reply};
use tokio::runtime::Runtime;

use super::service::{Service, event};

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
