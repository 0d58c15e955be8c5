//! Top-up through an EPay gateway: where the payer is sent, and which notices are believed.

use std::collections::BTreeMap;
use std::time::Duration;

use md5::{Digest as _, Md5};
use serde_json::{Value, json};
use store::top_ups::OrderStatus;
use store::users::Role;
use testkit::{FakeUpstream, Reply};
use tokio::runtime::Runtime;

use super::service::{Person, Service};
use crate::support::{self, send};

const KEY: &str = "epay_key_canary";

fn with_gateway(address: &str) -> Service {
    Service::with(&format!(
        "[payments.epay]\naddress = \"{address}\"\npid = \"1001\"\nkey = \"{KEY}\"\n\
         method = \"alipay\"\nper_usd = \"7.2345\"\n\
         [outbound]\nallow_private = [\"127.0.0.0/8\"]\n"
    ))
}

/// Signs fields as the protocol says, in a way of its own.
fn signature(fields: &BTreeMap<String, String>, key: &str) -> String {
    let said: Vec<String> = fields
        .iter()
        .filter(|(name, value)| !name.starts_with("sign") && !value.is_empty())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    hex::encode(Md5::digest(format!("{}{key}", said.join("&"))))
}

/// Orders ten dollars; the order's id and the fields of the link.
fn ordered(service: &Service, person: &Person) -> (String, String, BTreeMap<String, String>) {
    let body = json!({"amount": "10", "provider": "epay"});
    let made = service.data(person, "POST /api/topup/", &body);
    let url = made["checkout_url"].as_str().expect("a link");
    let (page, query) = url.split_once('?').expect("a query");
    let fields = form_urlencoded::parse(query.as_bytes()).into_owned();
    let id = made["order_id"].as_str().expect("an id").to_owned();
    (id, page.to_owned(), fields.collect())
}

/// A notice that the order was paid.
fn notice(order: &str, changes: &[(&str, &str)]) -> String {
    let mut fields: BTreeMap<String, String> = [
        ("pid", "1001"),
        ("trade_no", "20260101000001"),
        ("out_trade_no", order),
        ("type", "alipay"),
        ("name", "API credit 10.00 USD"),
        ("money", "72.35"),
        ("trade_status", "TRADE_SUCCESS"),
        ("sign_type", "MD5"),
    ]
    .iter()
    .chain(changes)
    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
    .collect();
    let signed = signature(&fields, KEY);
    fields.entry("sign".to_owned()).or_insert(signed);
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&fields)
        .finish()
}

fn told(service: &Service, query: &str) -> support::Reply {
    send(
        service.app.address,
        &format!("GET /pay/epay?{query}"),
        &[],
        "",
    )
}

#[test]
fn the_payer_gets_a_signed_link_and_the_notice_credits_once() {
    let service = with_gateway("https://pay.example/");
    let ann = service.person("ann", Role::User);
    let info = service.data(&ann, "GET /api/topup/info", &Value::Null);
    let offered = &info["providers"][0];
    assert_eq!(offered["id"], "epay");
    assert_eq!(offered["currency"], "cny");
    assert_eq!(offered["per_usd"], "7.2345");

    let (id, page, fields) = ordered(&service, &ann);
    assert_eq!(page, "https://pay.example/submit.php");
    for (name, value) in [
        ("pid", "1001"),
        ("type", "alipay"),
        ("out_trade_no", id.as_str()),
        ("money", "72.35"),
        ("name", "API credit 10.00 USD"),
        ("notify_url", "http://gate.example/pay/epay"),
        ("sign_type", "MD5"),
    ] {
        assert_eq!(fields[name], value, "{name}");
    }
    assert_eq!(fields["sign"], signature(&fields, KEY));

    for _ in 0..2 {
        let reply = told(&service, &notice(&id, &[]));
        assert_eq!((reply.status, reply.body.as_str()), (200, "success"));
    }
    // A form says the same as an address.
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let again = send(
        service.app.address,
        "POST /pay/epay",
        &headers,
        &notice(&id, &[]),
    );
    assert_eq!((again.status, again.body.as_str()), (200, "success"));
    assert_eq!(service.balances(&ann).wallet_nanos, 10_000_000_000);
    let order = service.data(&ann, &format!("GET /api/topup/{id}"), &Value::Null);
    assert_eq!(order["status"], "paid");
    assert_eq!(
        (&order["amount"], &order["currency"]),
        (&json!("72.35"), &json!("cny"))
    );
    assert_eq!(order["payment_id"], "20260101000001");
}

#[test]
fn what_is_not_signed_or_not_what_was_ordered_credits_nothing() {
    let service = with_gateway("https://pay.example");
    let ann = service.person("ann", Role::User);
    let (id, ..) = ordered(&service, &ann);
    for (changes, status) in [
        (&[("sign", "0123456789abcdef0123456789abcdef")][..], 400),
        (&[("sign", "")], 400),
        (&[("pid", "1002")], 400),
        (&[("trade_status", "WAIT_BUYER_PAY")], 400),
        (&[("money", "72.345")], 400),
        (&[("trade_no", "")], 400),
    ] {
        let reply = told(&service, &notice(&id, changes));
        assert_eq!(
            (reply.status, reply.body.as_str()),
            (status, "fail"),
            "{changes:?}"
        );
    }
    let twice = format!("{}&money=0.01", notice(&id, &[]));
    assert_eq!(told(&service, &twice).status, 400);
    assert_eq!(told(&service, "").status, 400);
    assert_eq!(service.stored(&id).status, OrderStatus::Pending);

    // Believed, kept and flagged: somebody must look at it.
    let less = told(&service, &notice(&id, &[("money", "0.01")]));
    assert_eq!(less.body, "success");
    assert_eq!(service.stored(&id).status, OrderStatus::Mismatch);
    assert_eq!(
        told(&service, &notice("ord_unknown", &[("trade_no", "2")])).body,
        "success"
    );
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
    let root = service.person("root", Role::Root);
    let kept = service.data(
        &root,
        "GET /api/payment/delivery/?provider=epay",
        &Value::Null,
    );
    let verdicts: Vec<&str> = kept["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["verdict"].as_str())
        .collect();
    assert!(verdicts.contains(&"wrong_amount"), "{verdicts:?}");
    assert!(verdicts.contains(&"unknown_order"), "{verdicts:?}");
    assert!(verdicts.contains(&"bad_signature"), "{verdicts:?}");
}

#[test]
fn without_a_key_nothing_is_offered_and_notices_wait() {
    let service = Service::with("");
    let ann = service.person("ann", Role::User);
    let body = json!({"amount": "10", "provider": "epay"});
    assert_eq!(service.call(&ann, "POST /api/topup/", &body).status, 400);
    let reply = told(&service, &notice("ord_1", &[]));
    assert_eq!((reply.status, reply.body.as_str()), (503, "fail"));
}

#[test]
fn a_notice_that_never_came_is_made_up_for_by_asking() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let service = with_gateway(&upstream.url(""));
    let ann = service.person("ann", Role::User);
    let (id, ..) = ordered(&service, &ann);
    let paid = json!({"code": 1, "msg": "succ", "trade_no": "20260101000001",
        "out_trade_no": id, "money": "72.35", "status": 1});
    upstream.on("/api.php", Reply::json(&paid));
    service.app.clock.advance(Duration::from_secs(301));
    service.look_after(&runtime, &id, OrderStatus::Paid);
    let asked = upstream.requests().remove(0);
    let question = format!("act=order&pid=1001&key={KEY}&out_trade_no={id}");
    assert_eq!(asked.query, question);
    assert_eq!(service.balances(&ann).wallet_nanos, 10_000_000_000);
    // The notice comes after all.
    assert_eq!(told(&service, &notice(&id, &[])).body, "success");
    assert_eq!(service.balances(&ann).wallet_nanos, 10_000_000_000);
}
