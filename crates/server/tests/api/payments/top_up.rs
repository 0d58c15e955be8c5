//! Top-up through the sandbox, from the order to the balance, as a browser without scripts does it.

use serde_json::{Value, json};
use store::top_ups;
use store::users::Role;

use super::service::{NOW_S, Person, Service, completed, signed};
use crate::support::{Reply, get, send};

const SANDBOX: &str = "[payments.sandbox]\nenabled = true\n";
const NEW: &str = "POST /api/topup/";

/// The path of a URL of ours.
fn path(url: &str) -> &str {
    url.strip_prefix("http://gate.example")
        .expect("our own address")
}

fn order(service: &Service, person: &Person, amount: &Value) -> (String, String) {
    let body = json!({"amount": amount, "provider": "sandbox"});
    let made = service.data(person, NEW, &body);
    let text = |name: &str| made[name].as_str().expect("the test gave it").to_owned();
    (text("order_id"), text("checkout_url"))
}

/// Submits one of the page's forms.
fn submit(service: &Service, checkout: &str, fields: &str) -> Reply {
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let line = format!("POST {}", path(checkout));
    send(service.app.address, &line, &form, fields)
}

fn status(service: &Service, person: &Person, order: &str) -> String {
    let list = service.data(person, "GET /api/topup/", &Value::Null);
    let items = list["items"].as_array().expect("the test gave it");
    let found = items.iter().find(|item| item["order_id"] == order);
    found.expect("the test gave it")["status"]
        .as_str()
        .expect("the test gave it")
        .to_owned()
}

#[test]
fn an_order_is_paid_on_the_page_and_credited_once() {
    let service = Service::with(SANDBOX);
    let ann = service.person("ann", Role::User);
    let info = service.data(&ann, "GET /api/topup/info", &Value::Null);
    assert_eq!(info["providers"][0]["id"], "sandbox");
    let (id, checkout) = order(&service, &ann, &json!("12.34"));
    assert_eq!(status(&service, &ann, &id), "pending");

    let page = get(service.app.address, path(&checkout));
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    assert!(page.body.contains("12.34 USD"), "{}", page.body);
    assert!(
        page.body.contains("<form method=\"post\">"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("<script"), "{}", page.body);
    assert!(page.body.contains("href=\"/icon.svg\""), "{}", page.body);

    for _ in 0..2 {
        let done = submit(&service, &checkout, "outcome=pay");
        assert_eq!(done.status, 303, "{}", done.body);
        let wallet = format!("http://gate.example/console/wallet?order={id}");
        assert_eq!(done.header("location"), Some(wallet.as_str()));
    }
    assert_eq!(status(&service, &ann, &id), "paid");
    assert_eq!(service.balances(&ann).wallet_nanos, 12_340_000_000);
    let one = service.data(&ann, &format!("GET /api/topup/{id}"), &Value::Null);
    assert_eq!(
        (&one["quota"], &one["quota_usd"], &one["amount"]),
        (&json!(6_170_000), &json!("12.34"), &json!("12.34"))
    );
}

#[test]
fn a_payment_can_fail_and_be_tried_again_and_be_taken_back() {
    let service = Service::with(SANDBOX);
    let ann = service.person("ann", Role::User);
    let (id, checkout) = order(&service, &ann, &json!(10));
    for (choice, state, wallet) in [
        ("outcome=decline", "failed", 0),
        ("", "paid", 10_000_000_000),
        ("outcome=dispute", "disputed", 0),
    ] {
        assert_eq!(submit(&service, &checkout, choice).status, 303);
        assert_eq!(status(&service, &ann, &id), state);
        assert_eq!(service.balances(&ann).wallet_nanos, wallet);
    }
    let (id, checkout) = order(&service, &ann, &json!(10));
    submit(&service, &checkout, "outcome=pay");
    submit(&service, &checkout, "outcome=refund");
    assert_eq!(status(&service, &ann, &id), "refunded");
    assert_eq!(submit(&service, &checkout, "outcome=steal").status, 400);
}

#[test]
fn what_cannot_be_ordered_is_refused_by_name() {
    let service = Service::with(SANDBOX);
    let ann = service.person("ann", Role::User);
    for (body, field) in [
        (json!({}), "amount"),
        (json!({"amount": 10}), "provider"),
        (json!({"amount": 0, "provider": "sandbox"}), "amount"),
        (json!({"amount": -5, "provider": "sandbox"}), "amount"),
        (json!({"amount": "1.005", "provider": "sandbox"}), "amount"),
        (json!({"amount": 100_000, "provider": "sandbox"}), "amount"),
        (json!({"amount": 10, "provider": "stripe"}), "provider"),
        (json!({"amount": 10, "provider": "cash"}), "provider"),
    ] {
        let reply = service.call(&ann, NEW, &body);
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (400, &json!("invalid_request"))
        );
        let message = reply.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(field), "{body}: {message}");
    }
    let list = service.data(&ann, "GET /api/topup/", &Value::Null);
    assert_eq!(list["total"], 0);
}

#[test]
fn orders_that_wait_are_bounded_for_each_user() {
    let service = Service::with(SANDBOX);
    let (ann, bob) = (
        service.person("ann", Role::User),
        service.person("bob", Role::User),
    );
    for number in 0..100 {
        service.order(&format!("ord_{number}"), "sandbox", &ann);
    }
    let body = json!({"amount": 10, "provider": "sandbox"});
    let refused = service.call(&ann, NEW, &body);
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert!(refused.header("retry-after").is_some());
    order(&service, &bob, &json!(10));
    service.records(async |store| {
        let transaction = store.write().await.unwrap();
        let done = top_ups::complete(&transaction, "ord_1", 1).await;
        assert!(done.unwrap().is_some());
        transaction.commit().await.unwrap();
    });
    order(&service, &ann, &json!(10));
}

#[test]
fn the_sandbox_is_off_unless_it_is_switched_on() {
    let service = Service::with("");
    let ann = service.person("ann", Role::User);
    let info = service.data(&ann, "GET /api/topup/info", &Value::Null);
    assert_eq!(
        (&info["enabled"], &info["providers"]),
        (&json!(false), &json!([]))
    );
    let body = json!({"amount": 10, "provider": "sandbox"});
    assert_eq!(service.call(&ann, NEW, &body).status, 400);
    service.order("ord_1", "sandbox", &ann);
    assert_eq!(
        get(service.app.address, "/pay/sandbox/cs_sandbox_x").status,
        404
    );
    let body = completed("evt_1", "ord_1").to_string();
    let signature = signed(&body, "whsec_guess", NOW_S);
    let reply = service.webhook(&[("modelgate-signature", &signature)], &body);
    assert_eq!(reply.status, 503);
}

#[test]
fn the_sandboxs_events_can_be_signed_by_hand_with_its_secret() {
    let secret = "whsec_play";
    let service = Service::with(&format!("{SANDBOX}webhook_secret = \"{secret}\"\n"));
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "sandbox", &ann);
    let body = completed("evt_1", "ord_1").to_string();
    let signature = signed(&body, secret, NOW_S);
    let reply = service.webhook(&[("modelgate-signature", &signature)], &body);
    assert_eq!(
        (reply.status, &reply.json()["data"]["verdict"]),
        (200, &json!("credited"))
    );
    assert_eq!(service.balances(&ann).wallet_nanos, 10_000_000_000);
}

#[test]
fn orders_are_seen_by_whose_they_are_and_by_administrators() {
    let service = Service::with(SANDBOX);
    let (ann, bob) = (
        service.person("ann", Role::User),
        service.person("bob", Role::User),
    );
    let root = service.person("root", Role::Root);
    let (id, _) = order(&service, &ann, &json!(10));
    let line = format!("GET /api/topup/{id}");
    assert_eq!(service.call(&bob, &line, &Value::Null).status, 404);
    assert_eq!(service.call(&root, &line, &Value::Null).status, 200);
    assert_eq!(
        service.data(&bob, "GET /api/topup/", &Value::Null)["total"],
        0
    );
    let all = "GET /api/topup/all?status=pending";
    assert_eq!(service.call(&bob, all, &Value::Null).status, 403);
    let list = service.data(&root, all, &Value::Null);
    assert_eq!(
        (&list["total"], &list["items"][0]["user_id"]),
        (&json!(1), &json!(ann.id.0))
    );
    assert_eq!(
        service.data(&root, "GET /api/topup/all?status=paid", &Value::Null)["total"],
        0
    );
    assert_eq!(
        service
            .call(&root, "GET /api/topup/all?status=x", &Value::Null)
            .status,
        400
    );
}
