//! What clients are told that a token spent and may still spend.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::gateway::Gateway;
use crate::support::send;

const PATIENCE: Duration = Duration::from_secs(20);

/// Tokens beside the first: one with a budget, bound to an endpoint, and one that may come from elsewhere only.
const TOKENS: &str = r#"
[[tokens]]
name = "small"
key = "sk-small-0123456789abcdef"
endpoints = ["/v1/embeddings"]
budget_total_usd = "2.5"
[[tokens]]
name = "elsewhere"
key = "sk-elsewhere-0123456789abcdef"
cidrs = ["192.0.2.0/24"]
"#;

fn ask(gateway: &Gateway, path: &str, token: &str) -> (u16, Value) {
    let bearer = format!("Bearer {token}");
    let line = format!("GET {path}");
    let reply = send(
        gateway.program.address,
        &line,
        &[("authorization", &bearer)],
        "",
    );
    (reply.status, reply.json())
}

#[test]
fn a_client_learns_what_its_token_spent_and_has_left() {
    let gateway = Gateway::start();
    let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hello"}]});
    assert_eq!(gateway.post("/v1/chat/completions", &body).status, 200);
    // 4,200 nano-dollars, in cents. Sums follow calls.
    let spent = json!({"object": "list", "total_usage": 0.00042});
    let began = Instant::now();
    loop {
        let path = "/v1/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-01-31";
        let told = ask(&gateway, path, &gateway.token);
        if told == (200, spent.clone()) {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{told:?}");
    }
    for path in [
        "/v1/dashboard/billing/subscription",
        "/dashboard/billing/subscription",
    ] {
        let (status, told) = ask(&gateway, path, &gateway.token);
        assert_eq!((status, &told["hard_limit_usd"]), (200, &json!(100)));
        assert_eq!(told["access_until"], 0);
    }
    assert_eq!(
        ask(&gateway, "/dashboard/billing/usage", &gateway.token).1,
        spent
    );
}

#[test]
fn a_budget_is_less_than_the_wallet_and_strangers_learn_nothing() {
    let gateway = Gateway::with_config(TOKENS);
    let path = "/v1/dashboard/billing/subscription";
    let small = "sk-small-0123456789abcdef";
    let (_, told) = ask(&gateway, path, small);
    assert_eq!(told["hard_limit_usd"], json!(2.5));
    // What the node has leased of the budget and not spent is still the token's.
    let bearer = format!("Bearer {small}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let body = json!({"model": "demo-embedding", "input": "Hello"}).to_string();
    let address = gateway.program.address;
    let answer = send(address, "POST /v1/embeddings", &headers, &body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let began = Instant::now();
    while ask(&gateway, "/v1/dashboard/billing/usage", small).1["total_usage"] == json!(0) {
        assert!(began.elapsed() < PATIENCE, "the call is never counted");
    }
    let (_, told) = ask(&gateway, path, small);
    assert_eq!(told["hard_limit_usd"], json!(2.5));
    let refused = |token| {
        let (status, told) = ask(&gateway, path, token);
        (status, told["error"]["type"].as_str().map(str::to_owned))
    };
    let kind = |text: &str| Some(text.to_owned());
    assert_eq!(
        refused("sk-elsewhere-0123456789abcdef"),
        (403, kind("permission_error"))
    );
    assert_eq!(refused("sk-nobody"), (401, kind("invalid_request_error")));
}
