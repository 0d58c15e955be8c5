//! Announcements: shown to everybody for their time, managed by administrators.

use serde_json::{Value, json};

use crate::support::Office;

fn titles(reply: &Value) -> Vec<&str> {
    let items = reply.as_array().expect("the test gave it");
    items
        .iter()
        .map(|item| item["title"].as_str().expect("the test gave it"))
        .collect()
}

#[test]
fn an_announcement_is_shown_for_its_time() {
    let office = Office::open();
    let made = office
        .administrator
        .post(
            "/api/notice/",
            &json!({"title": "Now", "body": "**Hello**"}),
        )
        .data();
    let later = json!({"title": "Later", "level": "incident", "starts_at": "2026-02-01T00:00:00Z"});
    office.administrator.post("/api/notice/", &later).data();
    assert_eq!(titles(&office.nobody.get("/api/notice/").data()), ["Now"]);
    let all = office.administrator.get("/api/notice/all").data();
    assert_eq!(titles(&all), ["Later", "Now"]);
    let ended = json!({"id": made["id"], "ends_at": "2026-01-01T00:00:01Z", "title": "Over soon"});
    let changed = office.administrator.put("/api/notice/", &ended).data();
    assert_eq!(
        (&changed["title"], &changed["body"]),
        (&json!("Over soon"), &json!("**Hello**"))
    );
    let lasting = json!({"id": made["id"], "ends_at": null});
    let changed = office.administrator.put("/api/notice/", &lasting).data();
    assert_eq!(changed["ends_at"], json!(null));
    let path = format!("/api/notice/{}", made["id"]);
    assert_eq!(office.user.delete(&path).status, 403);
    assert_eq!(office.administrator.delete(&path).status, 200);
    assert_eq!(office.administrator.delete(&path).status, 404);
    assert_eq!(
        titles(&office.nobody.get("/api/notice/").data()),
        Vec::<&str>::new()
    );
}

#[test]
fn what_cannot_be_announced_is_refused_by_name() {
    let office = Office::open();
    for (body, field) in [
        (json!({}), "title"),
        (json!({"title": " "}), "title"),
        (json!({"title": "x", "level": "panic"}), "level"),
        (json!({"title": "x", "ends_at": 1}), "ends_at"),
        (json!({"title": "x", "body": "x".repeat(20_001)}), "body"),
    ] {
        let (status, _, message) = office.administrator.post("/api/notice/", &body).refusal();
        assert_eq!(status, 400);
        assert!(message.starts_with(field), "{message}");
    }
    assert_eq!(
        office
            .administrator
            .put("/api/notice/", &json!({"id": 99}))
            .status,
        404
    );
}

#[test]
fn an_announcement_reaches_whom_it_is_for() {
    let office = Office::open();
    for audience in ["everyone", "users", "administrators"] {
        let body = json!({"title": audience, "audience": audience});
        office.administrator.post("/api/notice/", &body).data();
    }
    for (actor, count) in [(&office.nobody, 1), (&office.user, 2), (&office.root, 3)] {
        let seen = actor.get("/api/notice/").data();
        assert_eq!(seen.as_array().unwrap().len(), count);
    }
    let body = json!({"title": "x", "audience": "friends"});
    assert_eq!(
        office.administrator.post("/api/notice/", &body).refusal().0,
        400
    );
}
