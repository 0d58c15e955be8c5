//! The step-up check before sensitive calls.

use std::time::Duration;

use serde_json::{Value, json};

use super::support::{AuthenticatorApp, enable_second_factor, register};
use crate::support::{Browser, Office, ROOT_PASSWORD, Reply};

fn make_token(browser: &Browser, proof: Option<&str>) -> Reply {
    let headers: Vec<_> = proof
        .map(|proof| ("x-security-proof", proof))
        .into_iter()
        .collect();
    browser.call(
        "POST",
        "/api/user/pat",
        &headers,
        Some(&json!({"name": "ci"})),
    )
}

fn proof(browser: &Browser, app: &AuthenticatorApp, scope: &str) -> String {
    let body = json!({"method": "2fa", "code": app.code(), "scope": scope});
    let given = browser.post("/api/verify", &body).data();
    assert_eq!(given["scope"], scope);
    given["proof_token"].as_str().expect("a proof").to_owned()
}

/// Ann, whose login was a while ago.
fn ann(office: &Office) -> (Browser, AuthenticatorApp) {
    let ann = register(office, "ann");
    let (app, _) = enable_second_factor(office, &ann);
    office.app.clock.advance(Duration::from_secs(301));
    (ann, app)
}

#[test]
fn a_proof_is_needed_where_there_is_a_second_factor() {
    let office = Office::open();
    let (ann, app) = ann(&office);
    assert_eq!(
        make_token(&ann, None).refusal().1,
        "security_proof_required"
    );
    let proof = proof(&ann, &app, "access_token.create");
    make_token(&ann, Some(&proof)).data();
    office.app.clock.advance(Duration::from_secs(301));
    assert_eq!(
        make_token(&ann, Some(&proof)).refusal().1,
        "security_proof_invalid"
    );
}

#[test]
fn a_proof_counts_for_its_scope_and_its_session_only() {
    let office = Office::open();
    let (ann, app) = ann(&office);
    let other = proof(&ann, &app, "password.change");
    assert_eq!(
        make_token(&ann, Some(&other)).refusal().1,
        "security_proof_scope_mismatch"
    );
    assert_eq!(
        make_token(&ann, Some("made up")).refusal().1,
        "security_proof_invalid"
    );
    let bob = register(&office, "bob");
    enable_second_factor(&office, &bob);
    office.app.clock.advance(Duration::from_secs(301));
    let anns = proof(&ann, &app, "access_token.create");
    assert_eq!(
        make_token(&bob, Some(&anns)).refusal().1,
        "security_proof_invalid"
    );
}

#[test]
fn another_way_for_a_channels_keys_needs_a_proof_as_other_keys_do() {
    let office = Office::open();
    let root = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    let (app, _) = enable_second_factor(&office, &root);
    office.app.clock.advance(Duration::from_secs(301));
    let body = json!({"name": "open", "type": "openai", "base_url": "https://api.example.com/v1"});
    let id = office.administrator.post("/api/channel/", &body).data()["id"].clone();
    let change = |more: Value, proof: &[(&str, &str)]| {
        let mut body = json!({"id": id});
        let more = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(more);
        root.call("PUT", "/api/channel/", proof, Some(&body))
    };
    let ways = [
        json!({"proxy": "http://127.0.0.1:9"}),
        json!({"overrides": {"tls_roots": "x"}}),
    ];
    for way in ways.clone() {
        let refused = change(way, &[]).refusal();
        assert_eq!(refused.1, "security_proof_required");
    }
    assert_eq!(change(json!({"weight": 2, "proxy": null}), &[]).status, 200);
    let proof = proof(&root, &app, "channel.key.change");
    for way in ways {
        assert_eq!(change(way, &[("x-security-proof", &proof)]).status, 200);
    }
}

#[test]
fn a_proof_is_no_credential() {
    let office = Office::open();
    let (ann, app) = ann(&office);
    let proof = proof(&ann, &app, "access_token.create");
    let bearer = format!("Bearer {proof}");
    let stranger = Browser::new(office.app.address);
    let headers = [("authorization", bearer.as_str())];
    assert_eq!(
        stranger
            .call("GET", "/api/user/self", &headers, None)
            .status,
        401
    );
    stranger.set_cookie("session", &proof);
    assert_eq!(stranger.get("/api/user/self").status, 401);
    stranger.set_cookie("session", "");
    let body = json!({"code": app.code_after(1), "flow_token": proof});
    assert_eq!(
        stranger.post("/api/user/login/2fa", &body).refusal().1,
        "flow_expired"
    );
}

#[test]
fn what_cannot_be_confirmed_is_refused() {
    let office = Office::open();
    let (ann, app) = ann(&office);
    for (body, status) in [
        (json!({}), 400),
        (json!({"code": app.code(), "scope": "everything"}), 400),
        (
            json!({"code": app.code(), "scope": "password.change", "method": "sms"}),
            400,
        ),
        (json!({"code": "000000", "scope": "password.change"}), 401),
    ] {
        assert_eq!(ann.post("/api/verify", &body).refusal().0, status, "{body}");
    }
    let without = register(&office, "bob");
    let body = json!({"code": "123456", "scope": "password.change"});
    assert_eq!(without.post("/api/verify", &body).refusal().0, 409);
}

#[test]
fn a_copy_of_the_records_takes_a_proof_and_is_fetched_once() {
    let folder = tempfile::TempDir::new().unwrap();
    let office = Office::with(&format!("[server]\ndata_dir = {:?}\n", folder.path()));
    let root = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    let (app, _) = enable_second_factor(&office, &root);
    office.app.clock.advance(Duration::from_secs(301));
    let ask = |headers: &[(&str, &str)]| root.call("POST", "/api/system/backup", headers, None);
    assert_eq!(ask(&[]).refusal().1, "security_proof_required");
    // An access token shows no factor.
    let by_token = office.root.post("/api/system/backup", &json!({}));
    assert_eq!(by_token.status, 403);

    let proof = proof(&root, &app, "backup.download");
    let proof = [("x-security-proof", proof.as_str())];
    let former = ask(&proof).data();
    let made = ask(&proof).data();
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
