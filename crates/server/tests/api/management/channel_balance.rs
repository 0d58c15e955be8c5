//! What is left at a vendor, where it tells.

use serde_json::json;
use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use crate::support::Office;

const LOOPBACK: &str = "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n";

#[test]
fn a_vendor_that_tells_is_asked_with_each_key() {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let office = Office::with(LOOPBACK);
    let credits = json!({"data": {"total_credits": 10, "total_usage": 2.25}});
    let refusal = json!({"error": {"message": "No auth credentials found", "code": 401}});
    upstream.on_each(
        "/api/v1/credits",
        [
            Scripted::json(&credits),
            Scripted::json(&refusal).status(401),
        ],
    );
    let told = json!({"is_available": true,
        "balance_infos": [{"currency": "CNY", "total_balance": "110.00"}]});
    upstream.on("/user/balance", Scripted::json(&told));
    let ask = |provider: &str, path: &str, keys: &[&str]| {
        let channel = json!({"name": provider, "type": provider, "base_url": upstream.url(path),
            "keys": keys, "models": ["m"]});
        let made = office.administrator.post("/api/channel/", &channel).data();
        let path = format!("/api/channel/{}/balance", made["id"]);
        office.administrator.post(&path, &json!({})).data()
    };
    let left = ask("openrouter", "/api/v1", &["sk-first-key", "sk-second-key"]);
    assert_eq!(
        left["keys"][0],
        json!({"index": 0, "amounts": [{"amount": "7.75", "currency": "USD"}], "error": null})
    );
    assert_eq!(left["keys"][1]["amounts"], json!([]));
    assert!(left["keys"][1]["error"].is_string(), "{left}");
    let left = ask("deepseek", "/v1", &["sk-third-key"]);
    let amount = &left["keys"][0]["amounts"][0];
    assert_eq!(amount, &json!({"amount": "110", "currency": "CNY"}));
    let asked = upstream.requests();
    let keys: Vec<_> = asked
        .iter()
        .map(|one| one.header("authorization"))
        .collect();
    assert_eq!(
        keys,
        [
            Some("Bearer sk-first-key"),
            Some("Bearer sk-second-key"),
            Some("Bearer sk-third-key")
        ]
    );
    let silent = office
        .administrator
        .post("/api/channel/1/balance", &json!({}));
    assert_eq!(silent.data(), json!({"supported": false, "keys": []}));
    let gone = office
        .administrator
        .post("/api/channel/999/balance", &json!({}));
    assert_eq!(gone.status, 404);
}
