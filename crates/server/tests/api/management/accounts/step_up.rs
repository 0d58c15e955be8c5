//! The step-up: what counts as one, for how long, and what it is asked for.

use std::time::Duration;

use serde_json::{Value, json};

use super::support::{AuthenticatorApp, PASSWORD, enable_second_factor, register};
use crate::support::{Browser, Office, ROOT_PASSWORD, Reply};

fn make_token(browser: &Browser) -> Reply {
    browser.post("/api/user/pat", &json!({"name": "ci"}))
}

fn verify(browser: &Browser, body: &Value) -> Reply {
    browser.post("/api/verify", body)
}

fn go_stale(office: &Office) {
    office.app.clock.advance(Duration::from_mins(10));
}

/// Ann, who has a second factor, and whose login was a while ago.
fn ann(office: &Office) -> (Browser, AuthenticatorApp) {
    let ann = register(office, "ann");
    let (app, _) = enable_second_factor(office, &ann);
    go_stale(office);
    (ann, app)
}

#[test]
fn a_login_counts_for_ten_minutes_and_the_password_renews_it() {
    let office = Office::open();
    let ann = register(&office, "ann");
    office.app.clock.advance(Duration::from_secs(599));
    make_token(&ann).data();
    office.app.clock.advance(Duration::from_secs(1));
    let refused = make_token(&ann).refusal();
    assert_eq!((refused.0, refused.1.as_str()), (403, "step_up_required"));
    let takes = json!({"password": true, "second_factor": false, "passkey": false,
        "fresh_until": null});
    assert_eq!(ann.get("/api/verify").data(), takes);
    let wrong = verify(&ann, &json!({"password": "a guess"})).refusal();
    assert_eq!((wrong.0, wrong.1.as_str()), (403, "password_wrong"));
    assert_eq!(make_token(&ann).status, 403);
    let proof = verify(&ann, &json!({"password": PASSWORD})).data();
    assert_eq!(proof["fresh_until"], "2026-01-01T00:20:00Z");
    assert_eq!(
        ann.get("/api/verify").data()["fresh_until"],
        proof["fresh_until"]
    );
    make_token(&ann).data();
    let other = Browser::logged_in(office.app.address, "ann", PASSWORD);
    go_stale(&office);
    verify(&other, &json!({"password": PASSWORD})).data();
    assert_eq!(make_token(&ann).status, 403, "a session of its own");
}

#[test]
fn a_second_factor_is_part_of_it() {
    let office = Office::open();
    let (ann, app) = ann(&office);
    assert_eq!(make_token(&ann).refusal().1, "step_up_required");
    for (body, words) in [
        (json!({}), "password: is required; code: is required"),
        (json!({"password": PASSWORD}), "code: is required"),
        (json!({"code": app.code()}), "password: is required"),
    ] {
        let refused = verify(&ann, &body).refusal();
        assert_eq!((refused.0, refused.2.as_str()), (400, words), "{body}");
    }
    let wrong = json!({"password": PASSWORD, "code": "000000"});
    assert_eq!(verify(&ann, &wrong).refusal().1, "code_wrong");
    assert_eq!(make_token(&ann).status, 403);
    let right = json!({"password": PASSWORD, "code": app.code()});
    verify(&ann, &right).data();
    make_token(&ann).data();
    assert_eq!(
        verify(&ann, &right).refusal().1,
        "code_wrong",
        "a code counts once"
    );
}

#[test]
fn guesses_at_a_step_up_lock_it() {
    let office = Office::open();
    let ann = register(&office, "ann");
    for _ in 0..5 {
        assert_eq!(verify(&ann, &json!({"password": "a guess"})).status, 403);
    }
    assert_eq!(verify(&ann, &json!({"password": PASSWORD})).status, 429);
}

#[test]
fn another_way_for_a_channels_keys_is_a_step_up_for_sessions() {
    let office = Office::open();
    let root = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    go_stale(&office);
    let body = json!({"name": "open", "type": "openai", "base_url": "https://api.example.com/v1"});
    let id = office.administrator.post("/api/channel/", &body).data()["id"].clone();
    let change = |more: Value| {
        let mut body = json!({"id": id});
        let more = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(more);
        root.put("/api/channel/", &body)
    };
    let ways = [
        json!({"proxy": "http://127.0.0.1:9"}),
        json!({"overrides": {"tls_roots": "x"}}),
    ];
    for way in ways.clone() {
        assert_eq!(change(way).refusal().1, "step_up_required");
    }
    assert_eq!(change(json!({"weight": 2, "proxy": null})).status, 200);
    verify(&root, &json!({"password": ROOT_PASSWORD})).data();
    for way in ways {
        assert_eq!(change(way).status, 200);
    }
}

#[test]
fn a_new_password_takes_a_step_up_where_there_is_a_second_factor() {
    let office = Office::open();
    let change = json!({"password": "another password", "original_password": PASSWORD});
    let bob = register(&office, "bob");
    let (ann, app) = ann(&office);
    bob.put("/api/user/self", &change).data();
    let refused = ann.put("/api/user/self", &change).refusal();
    assert_eq!(refused.1, "step_up_required");
    verify(&ann, &json!({"password": PASSWORD, "code": app.code()})).data();
    ann.put("/api/user/self", &change).data();
}

#[test]
fn a_copy_of_the_records_is_a_step_up_and_is_fetched_once() {
    let folder = tempfile::TempDir::new().unwrap();
    let office = Office::with(&format!("[server]\ndata_dir = {:?}\n", folder.path()));
    let root = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    go_stale(&office);
    let ask = || root.call("POST", "/api/system/backup", &[], None);
    assert_eq!(ask().refusal().1, "step_up_required");
    verify(&root, &json!({"password": ROOT_PASSWORD})).data();
    let former = ask().data();
    let made = ask().data();
    let path = |made: &Value| format!("/api/system/backup/{}", made["ticket"].as_str().unwrap());
    assert_eq!(root.get(&path(&former)).status, 404, "it made way");
    let copy = root.get(&path(&made));
    assert_eq!(copy.status, 200);
    assert!(copy.body.starts_with("SQLite format 3\0"));
    let length = copy.header("content-length").unwrap();
    assert_eq!(length, made["size_bytes"].to_string());
    let name = copy.header("content-disposition").unwrap();
    assert!(name.contains("modelgate-20260101-"), "{name}");
    assert_eq!(root.get(&path(&made)).status, 404, "once");
    assert_eq!(root.get("/api/system/backup/..%2Fmodelgate.db").status, 404);
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left = left.filter_map(|file| file.unwrap().file_name().into_string().ok());
    let left: Vec<String> = left.filter(|name| name.starts_with("backup")).collect();
    assert!(left.is_empty(), "{left:?}");
    let audit = office.root.get("/api/audit/?action=backup.make").data();
    assert_eq!(audit["items"].as_array().unwrap().len(), 2);
}
