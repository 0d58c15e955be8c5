//! What administrators see of deliveries, and acting on one again.

use serde_json::{Value, json};
use store::users::Role;

use super::service::{NOW_S, SECRET, STRIPE, Service, completed, signed};

const LIST: &str = "GET /api/payment/delivery/";

#[test]
fn deliveries_are_listed_with_their_verdict_and_without_secrets() {
    let service = Service::with(STRIPE);
    let root = service.person("root", Role::Root);
    service.order("ord_1", "stripe", &root);
    service.tell(&completed("evt_1", "ord_1"));
    service.tell(&completed("evt_1", "ord_1"));
    service.tell(&completed("evt_2", "nobody"));
    let body = completed("evt_3", "ord_1").to_string();
    let forged = signed(&body, "whsec_of_somebody_else", NOW_S);
    for _ in 0..5 {
        service.webhook(&[("stripe-signature", &forged)], &body);
    }
    let reply = service.call(&root, LIST, &Value::Null);
    for secret in [SECRET, "whsec", "v1="] {
        assert!(!reply.body.contains(secret), "{}", reply.body);
    }
    let items = reply.json()["data"]["items"].clone();
    let mut seen: Vec<(String, i64)> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (
                item["verdict"].as_str().unwrap().to_owned(),
                item["deliveries"].as_i64().unwrap(),
            )
        })
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            ("bad_signature".to_owned(), 1),
            ("credited".to_owned(), 2),
            ("unknown_order".to_owned(), 1)
        ],
        "of many forged ones in a second one is kept"
    );
    let of_order = service.data(&root, &format!("{LIST}?order_id=ord_1"), &Value::Null);
    assert_eq!(of_order["items"].as_array().unwrap().len(), 1);
    assert_eq!(of_order["items"][0]["facts"]["order_id"], "ord_1");
    let page = service.data(&root, &format!("{LIST}?limit=2"), &Value::Null);
    let next = page["next_cursor"].as_str().unwrap();
    let rest = service.data(
        &root,
        &format!("{LIST}?limit=2&cursor={next}"),
        &Value::Null,
    );
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    assert!(rest["next_cursor"].is_null());
}

#[test]
fn an_event_can_be_acted_on_again_and_counts_once() {
    let service = Service::with(STRIPE);
    let root = service.person("root", Role::Root);
    let ann = service.person("ann", Role::User);
    assert_eq!(
        service.verdict(&completed("evt_1", "ord_1")),
        "unknown_order"
    );
    service.order("ord_1", "stripe", &ann);
    let which = json!({"provider": "stripe", "event_id": "evt_1"});
    let line = "POST /api/payment/delivery/replay";
    for verdict in ["credited", "already_paid", "already_paid"] {
        assert_eq!(service.data(&root, line, &which)["verdict"], verdict);
        assert_eq!(service.balances(&ann).wallet_nanos, 10_000_000_000);
    }
    assert_eq!(service.call(&ann, line, &which).status, 403);
    let unknown = json!({"provider": "stripe", "event_id": "evt_2"});
    assert_eq!(service.call(&root, line, &unknown).status, 404);
    let reply = service.call(&root, line, &json!({}));
    assert_eq!(reply.status, 400);
    let message = reply.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("provider") && message.contains("event_id"),
        "{message}"
    );
}
