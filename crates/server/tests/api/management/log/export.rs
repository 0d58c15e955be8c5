//! Exports: complete, in order, safe to open in a spreadsheet, and no more than one may see.

use serde_json::Value;

use super::calls::{call, log};
use crate::support::Office;

#[test]
fn all_rows_come_as_csv_and_formulas_stay_text() {
    let office = Office::open();
    let mut calls: Vec<_> = (0..2500)
        .map(|number| call(number, office.user.id))
        .collect();
    calls[0].model = "=HYPERLINK(\"http://evil\")".into();
    calls[1].model = "a,\"b\"".into();
    log(&office, &calls);
    log(&office, &[call(9000, office.other_user.id)]);
    let reply = office.user.get("/api/log/export?format=csv");
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("text/csv; charset=utf-8"))
    );
    assert!(
        reply
            .header("content-disposition")
            .unwrap()
            .starts_with("attachment")
    );
    let text = &reply.body;
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines.len(), 1 + 2500 + 1);
    assert!(
        lines[0].starts_with("created_at,request_id,user_id,"),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].contains("\"'=HYPERLINK(\"\"http://evil\"\")\""),
        "{}",
        lines[1]
    );
    assert!(lines[2].contains("\"a,\"\"b\"\"\""), "{}", lines[2]);
    assert!(lines[2500].contains("request-002499"), "{}", lines[2500]);

    let task = reply.header("x-task-id").unwrap().to_owned();
    let path = format!("/api/task/{task}");
    let ended = office.user.get(&path).data();
    assert_eq!(
        (&ended["state"], &ended["done"]),
        (&"done".into(), &2500.into())
    );
    assert_eq!(office.other_user.get(&path).status, 404);
    assert_eq!(office.administrator.get(&path).status, 200);
}

#[test]
fn rows_come_as_json_lines_by_filter_and_scope() {
    let office = Office::open();
    let calls: Vec<_> = (0..10).map(|number| call(number, office.user.id)).collect();
    log(&office, &calls);
    log(&office, &[call(20, office.other_user.id)]);
    let rows = |reply: crate::support::Reply| -> Vec<Value> {
        assert_eq!(reply.status, 200, "{reply:?}");
        reply
            .body
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let own = rows(
        office
            .user
            .get("/api/log/export?format=jsonl&model=model-3"),
    );
    assert_eq!(own.len(), 2);
    assert_eq!(own[0]["request_id"], "request-000003");
    assert_eq!(own[0]["attempts"].as_array().unwrap().len(), 2);
    let all = rows(
        office
            .administrator
            .get("/api/log/export?format=jsonl&scope=all"),
    );
    assert_eq!(all.len(), 11);
    let none = rows(office.administrator.get("/api/log/export?format=jsonl"));
    assert_eq!(none.len(), 0);
    for (actor, query, status) in [
        (&office.user, "scope=all", 403),
        (&office.user, "scope=some", 400),
        (&office.user, "format=xml", 400),
        (&office.nobody, "", 401),
    ] {
        let reply = actor.get(&format!("/api/log/export?{query}"));
        assert_eq!(reply.status, status, "{query}");
    }
}
