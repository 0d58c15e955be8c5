//! Login sessions and personal access tokens.

use std::time::Duration;

use serde_json::{Value, json};

use super::support::{PASSWORD, register};
use crate::support::{Browser, Connection, Office, Reply};

#[test]
fn sessions_are_listed_and_revoked() {
    let office = Office::open();
    let here = register(&office, "ann");
    let there = Browser::logged_in(office.app.address, "ann", PASSWORD);
    let listed = here.get("/api/user/sessions").data();
    let sessions = listed.as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    let others = sessions
        .iter()
        .find(|session| session["is_current"] == false)
        .unwrap();
    assert_eq!(others["ip"], "127.0.0.1");
    let path = format!("/api/user/sessions/{}", others["id"]);
    assert_eq!(
        register(&office, "bob").delete(&path).status,
        404,
        "somebody else's"
    );
    here.delete(&path).data();
    assert_eq!(there.get("/api/user/self").status, 401);
    assert_eq!(here.delete(&path).status, 404);
    assert_eq!(here.delete("/api/user/sessions/x").status, 404);
}

#[test]
fn all_other_sessions_end_at_once() {
    let office = Office::open();
    let here = register(&office, "ann");
    let there = Browser::logged_in(office.app.address, "ann", PASSWORD);
    here.delete("/api/user/sessions").data();
    assert_eq!(there.get("/api/user/self").status, 401);
    assert_eq!(here.get("/api/user/self").status, 200);
}

/// How a request ends whose sender was let in, and sends the body only after Ann has ended all sessions
/// but hers, which got a new secret.
fn held_back(ann: &Browser, thief: &Browser, office: &Office, line: &str, body: &Value) -> Reply {
    let body = body.to_string();
    let mut request = Connection::open(office.app.address);
    request.write(&format!(
        "{line} HTTP/1.1\r\nhost: gate.example\r\nconnection: close\r\nexpect: 100-continue\r\n\
         cookie: session={}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        thief.cookie("session").expect("a session"),
        body.len()
    ));
    // Whoever is asked for the body was let in.
    request.read_until("100 Continue\r\n\r\n");
    ann.delete("/api/user/sessions").data();
    request.write(&body);
    request.read_to_end()
}

#[test]
fn a_session_that_was_ended_does_not_come_back_through_a_request_that_was_held_back() {
    let office = Office::open();
    let ann = register(&office, "ann");
    let password = json!({"password": "another password", "original_password": PASSWORD});
    for (line, body) in [
        ("PUT /api/user/self", password),
        ("PUT /api/user/self", json!({"email": "thief@example.org"})),
        ("POST /api/user/pat", json!({"name": "back door"})),
    ] {
        let other = Browser::logged_in(office.app.address, "ann", PASSWORD);
        for thief in [&other, &ann] {
            let reply = held_back(&ann, thief, &office, line, &body);
            assert_eq!(reply.refusal().0, 401, "{body}");
            assert_eq!(reply.header("set-cookie"), None, "{body}");
        }
    }
    assert_eq!(ann.get("/api/user/self").data()["email"], Value::Null);
    assert_eq!(ann.get("/api/user/pat").data(), json!([]));
}

#[test]
fn a_session_lives_as_long_as_it_is_used() {
    let office = Office::with("[login]\nsession_hours = 1");
    let browser = Browser::logged_in(office.app.address, "root", PASSWORD);
    for _ in 0..3 {
        office.app.clock.advance(Duration::from_mins(40));
        assert_eq!(browser.get("/api/user/self").status, 200);
    }
    office.app.clock.advance(Duration::from_mins(61));
    assert_eq!(browser.get("/api/user/self").status, 401);
}

#[test]
fn the_records_hold_neither_the_secret_of_a_session_nor_a_token() {
    let office = Office::open();
    let browser = Browser::logged_in(office.app.address, "root", PASSWORD);
    let made = browser.post("/api/user/pat", &json!({"name": "ci"})).data();
    let secrets = [
        browser.cookie("session").unwrap(),
        made["token"].as_str().unwrap().to_owned(),
    ];
    let bytes = office.app.record_bytes();
    for secret in secrets {
        let found = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!found, "a secret is in the records");
    }
}

#[test]
fn an_access_token_is_shown_once_works_and_ends() {
    let office = Office::open();
    let browser = Browser::logged_in(office.app.address, "root", PASSWORD);
    let plain = browser
        .post("/api/user/pat", &json!({"name": "plain"}))
        .data();
    assert_eq!(plain["expires_at"], "2026-04-01T00:00:00Z");
    assert_eq!(plain["scopes"], json!(["read", "write", "billing"]));
    let body = json!({"name": "ci", "expires_at": 1_767_225_600 + 60,
        "scopes": ["read", "read"]});
    let made = browser.post("/api/user/pat", &body).data();
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("pat-") && token.len() == 52, "{token}");
    let bearer = format!("Bearer {token}");
    let call = |path: &str| {
        let headers = [("authorization", bearer.as_str())];
        Browser::new(office.app.address).call("GET", path, &headers, None)
    };
    assert_eq!(call("/api/user/self").data()["username"], "root");
    let listed = call("/api/user/pat").data();
    let ours = listed
        .as_array()
        .unwrap()
        .iter()
        .find(|each| each["name"] == "ci")
        .unwrap();
    assert_eq!(ours["expires_at"], "2026-01-01T00:01:00Z");
    assert_eq!(ours["scopes"], json!(["read"]));
    assert_eq!(ours["last_used_at"], "2026-01-01T00:00:00Z");
    assert_eq!(ours.get("token"), None);
    office.app.clock.advance(Duration::from_mins(1));
    assert_eq!(call("/api/user/self").status, 401);
}

#[test]
fn an_access_token_is_deleted_by_its_user_only() {
    let office = Office::open();
    let ann = register(&office, "ann");
    let made = ann.post("/api/user/pat", &json!({"name": "ci"})).data();
    let path = format!("/api/user/pat/{}", made["id"]);
    assert_eq!(office.root.delete(&path).status, 404);
    ann.delete(&path).data();
    assert_eq!(ann.delete(&path).status, 404);
    for (body, words) in [
        (json!({}), "name: is required"),
        (json!({"name": ""}), "name: must have"),
        (
            json!({"name": "x", "expires_at": 1}),
            "expires_at: must be in the future",
        ),
        (
            json!({"name": "x", "expires_at": "2027-01-02T00:00:00Z"}),
            "expires_at: must be within a year",
        ),
        (
            json!({"name": "x", "scopes": []}),
            "scopes: must name a scope",
        ),
        (json!({"name": "x", "scopes": ["root"]}), "scopes"),
    ] {
        let (status, _, message) = ann.post("/api/user/pat", &body).refusal();
        assert_eq!(status, 400);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn what_is_no_access_token_is_nobody() {
    let office = Office::open();
    for value in [
        "Bearer pat-nothing",
        "Bearer sk-x",
        "Bearer ",
        "pat-of-user-1-for-tests",
    ] {
        let headers = [("authorization", value)];
        let browser = Browser::new(office.app.address);
        assert_eq!(
            browser.call("GET", "/api/user/self", &headers, None).status,
            401,
            "{value}"
        );
    }
    let browser = Browser::logged_in(office.app.address, "root", PASSWORD);
    let basic = [("authorization", "Basic cHJveHk6eA==")];
    let status = browser.call("GET", "/api/user/self", &basic, None).status;
    assert_eq!(status, 200, "what a proxy wants is not ours");
}
