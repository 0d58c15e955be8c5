//! What a call costs: exactly its lines, once, and never more than the wallet has.

use serde_json::json;
use store::ledger::{Account, balance, verify};
use store::request_log;
use store::users;

use super::gateway::Gateway;

#[test]
fn a_call_is_charged_exactly_and_its_row_explains_it() {
    let mut gateway = Gateway::start();
    let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hello"}]});
    let reply = gateway.post("/v1/chat/completions", &body);
    let usage = &reply.json()["usage"];
    assert_eq!(
        (&usage["prompt_tokens"], &usage["completion_tokens"]),
        (&json!(2), &json!(10))
    );
    // 2 × 0.10 and 10 × 0.40 dollars for a million tokens: 200 and 4,000 nano-dollars.
    let request_id = reply.header("x-request-id").unwrap().to_owned();
    gateway.stop();
    gateway.records(async |store| {
        let call = request_log::find(store.read(), &request_id)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (call.charge_nanos, call.status, call.input_tokens),
            (4_200, 200, 2)
        );
        let lines: Vec<_> = call
            .price_lines
            .0
            .iter()
            .map(|l| (&*l.kind, l.amount_usd.as_str()))
            .collect();
        assert_eq!(lines, [("input", "0.0000002"), ("output", "0.000004")]);
        let root = users::find_by_login(store.read(), "root")
            .await
            .unwrap()
            .unwrap();
        let wallet = balance(store.read(), Account::Wallet(root.id))
            .await
            .unwrap();
        assert_eq!(wallet, 100_000_000_000 - 4_200);
        assert_eq!(
            balance(store.read(), Account::Held(root.id)).await.unwrap(),
            0
        );
        assert!(verify(store.read()).await.unwrap().differences.is_empty());
    });
}

#[test]
fn a_small_wallet_lowers_the_cap_and_an_empty_one_ends_the_calls() {
    // 4,000 nano-dollars: a few hundred tokens cannot be paid for, a few can.
    let mut gateway = Gateway::with_grant("0.000004");
    let body = json!({"model": "demo-chat", "max_completion_tokens": 1000,
        "messages": [{"role": "user", "content": "Hello"}]});
    let first = gateway.post("/v1/chat/completions", &body).json();
    assert_eq!(first["choices"][0]["finish_reason"], "length");
    let spent = gateway.post("/v1/chat/completions", &body);
    assert_eq!(
        (spent.status, &spent.json()["error"]["code"]),
        (402, &json!("insufficient_quota"))
    );
    assert!(
        spent.body.contains("The balance does not cover"),
        "{}",
        spent.body
    );
    gateway.stop();
    gateway.records(async |store| {
        let root = users::find_by_login(store.read(), "root")
            .await
            .unwrap()
            .unwrap();
        assert!(
            balance(store.read(), Account::Wallet(root.id))
                .await
                .unwrap()
                >= 0
        );
        assert_eq!(
            balance(store.read(), Account::Held(root.id)).await.unwrap(),
            0
        );
    });
}

#[test]
fn calls_that_race_on_one_wallet_never_overdraw_it() {
    // Each call holds 8,200 nano-dollars at most (2 input, 20 output tokens) and costs 4,200.
    let mut gateway = Gateway::with_grant("0.0000420");
    let body = json!({"model": "demo-chat", "max_completion_tokens": 10,
        "messages": [{"role": "user", "content": "Hello"}]});
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..40)
            .map(|_| scope.spawn(|| gateway.post("/v1/chat/completions", &body).status))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let served = statuses.iter().filter(|status| **status == 200).count();
    assert!(
        statuses.iter().all(|status| matches!(status, 200 | 402)),
        "{statuses:?}"
    );
    assert!((1..=10).contains(&served), "{served} were served");
    gateway.stop();
    gateway.records(async |store| {
        let root = users::find_by_login(store.read(), "root")
            .await
            .unwrap()
            .unwrap();
        assert!(
            balance(store.read(), Account::Wallet(root.id))
                .await
                .unwrap()
                >= 0
        );
        assert_eq!(
            balance(store.read(), Account::Held(root.id)).await.unwrap(),
            0
        );
        assert!(verify(store.read()).await.unwrap().differences.is_empty());
    });
}

#[test]
fn a_price_that_is_for_something_else_is_no_price() {
    let config = "[[prices]]\nmodel = \"demo-chat\"\nper_image = \"0.04\"\n";
    let gateway = Gateway::with_config(config);
    let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hello"}]});
    let refused = gateway.post("/v1/chat/completions", &body);
    let error = &refused.json()["error"];
    assert_eq!(
        (refused.status, &error["code"], &error["param"]),
        (404, &json!("model_not_found"), &json!("model"))
    );
    let text = "The model has no price for what is asked of it.";
    assert_eq!(error["message"], text);
    assert_eq!(gateway.owned(), 100_000_000_000);
}
