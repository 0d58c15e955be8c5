//! Limits and budgets of users and groups: written by administrators, obeyed by the next call.

use serde_json::{Value, json};

use crate::support::{Office, Reply, send};

/// A model call with somebody's token.
fn call(office: &Office, key: &str) -> Reply {
    let bearer = format!("Bearer {key}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let body = json!({"model": "demo-chat", "max_tokens": 20,
        "messages": [{"role": "user", "content": "hello"}]});
    let line = "POST /v1/chat/completions";
    send(office.app.address, line, &headers, &body.to_string())
}

/// A token of a user with a wallet.
fn token(office: &Office) -> String {
    let credit = json!({"id": office.user.id.0, "action": "add_quota", "value": 500_000,
        "reason": "to try"});
    office
        .administrator
        .post("/api/user/manage", &credit)
        .data();
    let made = office
        .user
        .post("/api/token/", &json!({"name": "t"}))
        .data();
    made["key"].as_str().expect("a key").to_owned()
}

fn change(office: &Office, mut fields: Value) -> Value {
    fields["id"] = json!(office.user.id.0);
    office.administrator.put("/api/user/", &fields).data()
}

#[test]
fn a_limit_of_a_user_counts_from_the_next_call_until_it_is_taken_away() {
    let office = Office::open();
    let key = token(&office);
    assert_eq!(call(&office, &key).status, 200);
    let limited = change(&office, json!({"rpm": 1, "tpm": 100_000, "concurrency": 3}));
    assert_eq!(
        (&limited["rpm"], &limited["tpm"], &limited["concurrency"]),
        (&json!(1), &json!(100_000), &json!(3))
    );
    assert_eq!(office.user.get("/api/user/self").data()["rpm"], 1);
    let first = call(&office, &key);
    assert_eq!(first.status, 200, "{}", first.body);
    let second = call(&office, &key);
    assert_eq!(second.status, 429, "{}", second.body);
    assert!(second.header("retry-after").is_some());
    let free = change(&office, json!({"rpm": 0, "tpm": null, "concurrency": null}));
    assert_eq!(free["rpm"], Value::Null);
    assert_eq!(call(&office, &key).status, 200);
    let refused = json!({"id": office.user.id.0, "rpm": -1});
    let refused = office.administrator.put("/api/user/", &refused).refusal();
    assert_eq!(refused.0, 400);
    assert!(refused.2.contains("rpm"), "{}", refused.2);
}

#[test]
fn a_lowered_balance_counts_from_the_next_call() {
    let office = Office::open();
    let key = token(&office);
    assert_eq!(call(&office, &key).status, 200);
    let lowered = change(&office, json!({"quota": 0}));
    for (field, wanted) in [
        ("quota", json!(0)),
        ("reserved_usd", json!("0")),
        ("owed_usd", json!("0")),
    ] {
        assert_eq!(lowered[field], wanted, "{field}");
    }
    assert_eq!(call(&office, &key).status, 402);
    let credit = json!({"id": office.user.id.0, "action": "add_quota", "value": 500_000});
    let manage = |body: &Value| office.administrator.post("/api/user/manage", body).data();
    manage(&credit);
    assert_eq!(call(&office, &key).status, 200);
    let left = office.user.get("/api/user/self").data()["quota"].clone();
    // The charge of the last call, some two units, may not be written yet.
    let value = 10 - left.as_i64().expect("a number");
    let taken = manage(&json!({"id": office.user.id.0, "action": "add_quota", "value": value}));
    let quota = taken["quota"].as_i64().expect("a number");
    assert!((0..=10).contains(&quota), "{taken}");
    assert_eq!(taken["owed_usd"], json!("0"));
}

#[test]
fn a_budget_of_a_user_counts_from_the_next_call_until_it_is_taken_away() {
    let office = Office::open();
    let key = token(&office);
    for budget in ["total", "daily", "weekly", "monthly"] {
        let (quota, dollars) = (format!("budget_{budget}"), format!("budget_{budget}_usd"));
        let set = change(&office, json!({&dollars: "0"}));
        assert_eq!((&set[&quota], &set[&dollars]), (&json!(0), &json!("0")));
        let refused = call(&office, &key);
        assert_eq!(refused.status, 402, "{budget}: {}", refused.body);
        assert!(refused.body.contains("budget"), "{}", refused.body);
        assert!(!refused.body.contains("balance"), "{}", refused.body);
        let set = change(&office, json!({&quota: 500_000}));
        assert_eq!(
            (&set[&quota], &set[&dollars]),
            (&json!(500_000), &json!("1"))
        );
        assert_eq!(call(&office, &key).status, 200, "{budget}");
        change(&office, json!({&quota: null}));
    }
    assert_eq!(call(&office, &key).status, 200);
    let entries = office.administrator.get("/api/audit/?limit=50").data();
    assert!(
        entries.to_string().contains("budget_monthly_usd"),
        "{entries}"
    );
}

#[test]
fn a_limit_of_a_group_counts_for_all_its_members_at_once() {
    let office = Office::open();
    let key = token(&office);
    let groups = office.administrator.get("/api/group/").data();
    let id = groups[0]["id"].clone();
    let limited = json!({"id": id, "rpm": 1});
    let limited = office.administrator.put("/api/group/", &limited).data();
    assert_eq!(limited["rpm"], 1);
    assert_eq!(call(&office, &key).status, 200);
    assert_eq!(call(&office, &key).status, 429);
    let free = json!({"id": id, "rpm": null});
    office.administrator.put("/api/group/", &free).data();
    assert_eq!(call(&office, &key).status, 200);
}
