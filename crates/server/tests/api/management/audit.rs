//! The audit log: every act with the fields that changed, and no secrets.

use serde_json::json;
use store::users::Role;

use crate::support::Office;

#[test]
fn acts_are_listed_with_their_changes_and_can_be_searched() {
    let office = Office::open();
    let id = office.user.id.0;
    let change = json!({"id": id, "display_name": "Uma", "password": "a new secret word"});
    assert_eq!(office.administrator.put("/api/user/", &change).status, 200);
    let notice = json!({"title": "Maintenance"});
    assert_eq!(office.root.post("/api/notice/", &notice).status, 200);
    let reply = office.administrator.get("/api/audit/");
    assert!(!reply.body.contains("secret word") && !reply.body.contains("argon2"));
    let items = reply.data()["items"].clone();
    let items = items.as_array().unwrap();
    let update = items
        .iter()
        .find(|item| item["object_kind"] == "user")
        .unwrap();
    assert_eq!(update["actor"], "adam");
    assert_eq!(update["object_id"], id.to_string());
    assert_eq!(
        update["changes"]["display_name"],
        json!({"from": "uma", "to": "Uma"})
    );
    assert!(update["ip"].is_string() && update["request_id"].is_string());
    for (query, count) in [
        ("object_kind=notice", 1),
        ("action=notice.create", 1),
        (&format!("object_kind=user&object_id={id}"), 1),
        (
            &format!("action=notice.create&actor_id={}", office.root.id),
            1,
        ),
        (
            &format!("action=notice.create&actor_id={}", office.user.id),
            0,
        ),
        ("actor_id=999", 0),
        ("from=2026-01-02T00:00:00Z", 0),
        ("to=2025-01-01T00:00:00Z", 0),
    ] {
        let found = office
            .administrator
            .get(&format!("/api/audit/?{query}"))
            .data();
        assert_eq!(found["items"].as_array().unwrap().len(), count, "{query}");
    }
    let first = office.administrator.get("/api/audit/?limit=1").data();
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = office
        .administrator
        .get(&format!("/api/audit/?limit=1&cursor={cursor}"))
        .data();
    assert_ne!(first["items"][0]["id"], second["items"][0]["id"]);
    let nobody = office.hire("nina", Role::User);
    assert_eq!(nobody.get("/api/audit/").status, 403);
}
