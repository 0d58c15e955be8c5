//! Statistics: sums that agree with the log, of what one may see.

use serde_json::json;

use super::log::calls::{call, log};
use crate::support::Office;

#[test]
fn sums_are_those_of_the_calls_that_one_may_see() {
    let office = Office::open();
    let calls: Vec<_> = (0..30).map(|number| call(number, office.user.id)).collect();
    log(&office, &calls);
    log(&office, &[call(100, office.other_user.id)]);
    let own = office.user.get("/api/stats/summary").data();
    let nanos: i64 = calls.iter().map(|call| call.charge_nanos).sum();
    assert_eq!(own["current"]["requests"], 30);
    assert_eq!(own["current"]["errors"], 10);
    assert_eq!(own["current"]["input_tokens"], 300);
    assert_eq!(own["current"]["quota"], nanos / 2000);
    assert_eq!(own["previous"]["requests"], 0);
    let p95 = own["current"]["total_ms"]["p95"].as_i64().unwrap();
    assert!((100..=150).contains(&p95), "{p95}");
    let all = office
        .administrator
        .get("/api/stats/summary?scope=all")
        .data();
    assert_eq!(all["current"]["requests"], 31);
    let one = format!(
        "/api/stats/summary?scope=all&user_id={}",
        office.other_user.id
    );
    assert_eq!(
        office.administrator.get(&one).data()["current"]["requests"],
        1
    );
    let nothing = office.administrator.get("/api/stats/summary").data();
    assert_eq!(nothing["current"]["requests"], 0);
    assert_eq!(nothing["current"]["total_ms"]["p95"], json!(null));
    let latency = office
        .user
        .get("/api/stats/percentiles?model=model-1")
        .data();
    assert_eq!(latency["requests"], 6);
}

#[test]
fn series_and_breakdowns_sum_to_the_same() {
    let office = Office::open();
    let calls: Vec<_> = (0..300)
        .map(|number| call(number, office.user.id))
        .collect();
    log(&office, &calls);
    let requests = |items: &serde_json::Value| -> i64 {
        let items = items.as_array().unwrap();
        items
            .iter()
            .map(|item| item["sums"]["requests"].as_i64().unwrap())
            .sum()
    };
    let series = office.user.get("/api/stats/timeseries?step_s=60").data();
    assert_eq!(requests(&series["points"]), 300);
    assert_eq!(series["step_s"], 60);
    assert_eq!(series["points"].as_array().unwrap().len(), 5);
    let grouped = office
        .user
        .get("/api/stats/timeseries?group_by=model")
        .data();
    assert_eq!(requests(&grouped["points"]), 300);
    let models = office.user.get("/api/stats/breakdown?rank=requests").data();
    assert_eq!(models["items"].as_array().unwrap().len(), 5);
    assert_eq!(requests(&models["items"]), 300);
    assert_eq!(models["items"][0]["key"], "model-0");
    let top = office.user.get("/api/stats/top?by=token&limit=2").data();
    assert_eq!(top["items"].as_array().unwrap().len(), 2);
    let users = "/api/stats/breakdown?by=user&scope=all";
    assert_eq!(office.user.get("/api/stats/breakdown?by=user").status, 403);
    assert_eq!(
        office.administrator.get(users).data()["items"][0]["name"],
        "uma"
    );
    let channels = office.administrator.get("/api/stats/channel_health").data();
    let failures: i64 = channels
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["failures"].as_i64().unwrap())
        .sum();
    assert_eq!((failures, &channels[0]["channel"]), (300, &json!("demo")));
    let causes = office.administrator.get("/api/stats/errors").data();
    assert_eq!(
        (&causes[0]["error_cause"], &causes[0]["calls"]),
        (&json!("upstream_error"), &json!(100))
    );
}

#[test]
fn questions_that_make_no_sense_are_refused_by_name() {
    let office = Office::open();
    for (path, field) in [
        (
            "summary?from=2026-01-01T00:00:00Z&to=2025-01-01T00:00:00Z",
            "to",
        ),
        ("summary?from=1900-01-01T00:00:00Z", "from"),
        ("timeseries?step_s=0", "step_s"),
        ("timeseries?group_by=mood", "group_by"),
        ("breakdown?by=mood", "by"),
        ("breakdown?rank=mood", "rank"),
        ("summary?scope=mine", "scope"),
    ] {
        let (status, _, message) = office.user.get(&format!("/api/stats/{path}")).refusal();
        assert_eq!(status, 400, "{path}");
        assert!(message.starts_with(field), "{path}: {message}");
    }
}
