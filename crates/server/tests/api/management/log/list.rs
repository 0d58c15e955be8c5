//! Lists of calls and one call: what is shown to whom, and every filter.

use serde_json::{Value, json};

use super::calls::{call, log};
use crate::support::{Actor, Office};

fn ids(reply: &Value) -> Vec<String> {
    let items = reply["items"].as_array().expect("the test gave it");
    let id = |item: &Value| {
        item["request_id"]
            .as_str()
            .expect("the test gave it")
            .to_owned()
    };
    items.iter().map(id).collect()
}

/// Follows the cursors to the end.
fn walk(actor: &Actor, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let data = actor.get(&format!("{path}&limit=7{cursor}")).data();
        found.extend(ids(&data));
        match data["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

/// Whether the call of this number is shown.
type Matches = fn(i64) -> bool;

#[test]
fn every_filter_shows_what_matches_and_pages_neither_overlap_nor_skip() {
    let office = Office::open();
    let calls: Vec<_> = (0..60).map(|number| call(number, office.user.id)).collect();
    log(&office, &calls);
    let cases: [(&str, Matches); 15] = [
        ("source=api", |n| n % 7 != 0),
        ("token_id=2", |n| n % 4 == 2),
        ("channel_id=1", |_| true),
        ("channel_id=2", |_| false),
        ("model=model-3", |n| n % 5 == 3),
        ("upstream_model=vendor-1", |n| n % 2 == 1),
        ("endpoint=/v1/responses", |n| n % 2 == 1),
        ("status=502", |n| n % 3 == 2),
        ("status_class=success", |n| n % 3 != 2),
        ("error_cause=upstream_error", |n| n % 3 == 2),
        ("stream=true", |n| n % 2 == 0),
        ("min_charge_usd=0.03", |n| n >= 29),
        ("min_total_ms=150", |n| n >= 50),
        ("ip=192.0.2.1", |n| n % 3 == 1),
        ("from=2025-12-31T23:59:30Z&to=2025-12-31T23:59:40Z", |n| {
            (20..30).contains(&n)
        }),
    ];
    for (query, matches) in cases {
        let expected: Vec<String> = (0..60)
            .filter(|number| matches(*number))
            .map(|number| format!("request-{number:06}"))
            .collect();
        let found = walk(&office.administrator, &format!("/api/log/?{query}"));
        assert_eq!(found, expected, "{query}");
        let own = walk(&office.user, &format!("/api/log/self?{query}"));
        assert_eq!(own, expected, "{query}");
    }
    let one = walk(&office.administrator, "/api/log/?request_id=request-000042");
    assert_eq!(one, ["request-000042"]);
    for query in [
        "status_class=odd",
        "min_charge_usd=x",
        "from=soon",
        "cursor=%21",
        "token_id=x",
    ] {
        let (status, code, _) = office
            .administrator
            .get(&format!("/api/log/?{query}"))
            .refusal();
        assert_eq!((status, code.as_str()), (400, "invalid_request"), "{query}");
    }
}

#[test]
fn users_see_their_own_calls_whatever_they_ask_for() {
    let office = Office::open();
    let theirs = call(1, office.other_user.id);
    log(&office, &[call(0, office.user.id), theirs.clone()]);
    let path = format!("/api/log/self?user_id={}", office.other_user.id);
    assert_eq!(ids(&office.user.get(&path).data()), ["request-000000"]);
    let path = format!("/api/log/{}", theirs.request_id);
    assert_eq!(office.user.get(&path).status, 404);
    assert_eq!(office.other_user.get(&path).status, 200);
    assert_eq!(office.administrator.get(&path).status, 200);
    let path = format!("/api/log/?user_id={}", office.other_user.id);
    assert_eq!(
        ids(&office.administrator.get(&path).data()),
        ["request-000001"]
    );
}

#[test]
fn one_call_has_its_attempts_and_its_price_lines() {
    let office = Office::open();
    log(&office, &[call(0, office.user.id)]);
    let shown = office.user.get("/api/log/request-000000").data();
    assert_eq!(shown["created_at"], "2025-12-31T23:59:59.999Z");
    assert_eq!(
        (&shown["username"], &shown["channel"]),
        (&json!("uma"), &json!("demo"))
    );
    assert_eq!(
        (&shown["charge_usd"], &shown["quota"], &shown["estimated"]),
        (&json!("0.001"), &json!(500), &json!(false))
    );
    assert_eq!(
        shown["usage"],
        json!({"input_tokens": 10, "output_tokens": 20, "cache_read_tokens": 3,
            "cache_write_tokens": 4, "reasoning_tokens": 5,
            "other": [{"kind": "audio_seconds", "units": 2}]})
    );
    assert_eq!(
        shown["price_lines"],
        json!([{"kind": "input", "units": 10, "price_usd": "0.0001", "amount_usd": "0.001"}])
    );
    let statuses: Vec<_> = shown["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| attempt["status"].as_i64())
        .collect();
    assert_eq!(statuses, [Some(429), Some(200)]);
    assert_eq!(shown["attempts"][0]["error"], "rate limit");
    assert_eq!(shown["attempts"][1]["channel"], "demo");
    assert_eq!(office.user.get("/api/log/nothing").status, 404);
}
