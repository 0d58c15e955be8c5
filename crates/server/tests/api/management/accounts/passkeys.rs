//! Passkeys: registering, logging in, confirming, and what is refused.

use std::time::Duration;

use serde_json::{Value, json};

use super::authenticator::Authenticator;
use super::support::{enable_second_factor, register};
use crate::support::{Browser, Office, Reply};

fn open() -> Office {
    Office::with("[server]\npublic_url = \"https://gate.example\"")
}

fn begin(browser: &Browser, ceremony: &str, body: &Value) -> Value {
    browser
        .post(&format!("/api/user/passkey/{ceremony}/begin"), body)
        .data()
}

fn finish(browser: &Browser, ceremony: &str, begun: &Value, credential: &Value) -> Reply {
    let body = json!({"flow_token": begun["flow_token"], "credential": credential});
    browser.post(&format!("/api/user/passkey/{ceremony}/finish"), &body)
}

fn enrol(browser: &Browser, authenticator: &mut Authenticator) -> Reply {
    let begun = begin(browser, "register", &json!({}));
    let credential = authenticator.make(&begun["options"]);
    finish(browser, "register", &begun, &credential)
}

fn log_in(office: &Office, authenticator: &Authenticator) -> (Browser, Reply) {
    let browser = Browser::new(office.app.address);
    let begun = begin(&browser, "login", &json!({}));
    let reply = finish(
        &browser,
        "login",
        &begun,
        &authenticator.sign(&begun["options"]),
    );
    (browser, reply)
}

#[test]
fn a_passkey_is_registered_and_logs_in_without_a_password_or_a_code() {
    let office = open();
    let ann = register(&office, "ann");
    enable_second_factor(&office, &ann);
    let mut authenticator = Authenticator::new(b"key-of-ann");
    let made = enrol(&ann, &mut authenticator).data();
    assert_eq!(
        ann.get("/api/user/self").status,
        200,
        "the session goes on under a new secret"
    );
    authenticator.count = 2;
    let (browser, reply) = log_in(&office, &authenticator);
    assert_eq!(reply.data()["username"], "ann");
    let listed = browser.get("/api/user/passkey").data();
    assert_eq!(
        (&listed["enabled"], &listed["passkeys"][0]["id"]),
        (&json!(true), &made["id"])
    );
    assert!(listed["last_used_at"].is_string());
}

/// Somebody who breaks one rule of a login.
type Breach = fn(&mut Authenticator);

#[test]
fn a_login_that_breaks_any_rule_is_refused() {
    let office = open();
    let mut authenticator = Authenticator::new(b"key-of-ann");
    enrol(&register(&office, "ann"), &mut authenticator).data();
    authenticator.count = 2;
    log_in(&office, &authenticator).1.data();
    let breaches: [(&str, Breach); 6] = [
        ("another page", |it| {
            it.origin = "https://evil.example".to_owned();
        }),
        ("another scheme", |it| {
            it.origin = "http://gate.example".to_owned();
        }),
        ("another host", |it| it.host = "evil.example".to_owned()),
        ("a user who was not verified", |it| it.flags = 0b001),
        ("a user who was not there", |it| it.flags = 0b100),
        ("a count that does not rise", |it| it.count = 2),
    ];
    for (what, breach) in breaches {
        authenticator.count = 3;
        breach(&mut authenticator);
        let (browser, reply) = log_in(&office, &authenticator);
        assert_eq!(reply.refusal().1, "passkey_refused", "{what}");
        assert_eq!(browser.cookie("session"), None, "{what}");
        authenticator.origin = "https://gate.example".to_owned();
        authenticator.host = "gate.example".to_owned();
        authenticator.flags = 0b101;
    }
    let stranger = Authenticator::new(b"key-of-ann");
    assert_eq!(
        log_in(&office, &stranger).1.refusal().1,
        "passkey_refused",
        "another key"
    );
    let unknown = Authenticator::new(b"unknown");
    assert_eq!(log_in(&office, &unknown).1.refusal().1, "passkey_refused");
}

#[test]
fn a_ceremony_is_finished_once_in_time_and_for_its_own_purpose() {
    let office = open();
    let ann = register(&office, "ann");
    let mut authenticator = Authenticator::new(b"key-of-ann");
    authenticator.count = 0;
    enrol(&ann, &mut authenticator).data();
    let browser = Browser::new(office.app.address);
    let begun = begin(&browser, "login", &json!({}));
    let credential = authenticator.sign(&begun["options"]);
    finish(&browser, "login", &begun, &credential).data();
    let replayed = finish(&browser, "login", &begun, &credential).refusal();
    assert_eq!(replayed.1, "flow_expired");
    let other = begin(&browser, "login", &json!({}));
    let crossed = finish(&browser, "login", &other, &credential).refusal();
    assert_eq!(
        crossed.1, "passkey_refused",
        "the challenge of another ceremony"
    );
    let verify = begin(&ann, "verify", &json!({}));
    let credential = authenticator.sign(&verify["options"]);
    assert_eq!(
        finish(&browser, "login", &verify, &credential).refusal().1,
        "flow_expired"
    );
    let begun = begin(&browser, "login", &json!({}));
    let credential = authenticator.sign(&begun["options"]);
    office.app.clock.advance(Duration::from_mins(2));
    assert_eq!(
        finish(&browser, "login", &begun, &credential).refusal().1,
        "flow_expired"
    );
}

#[test]
fn a_ceremony_belongs_to_the_session_that_began_it() {
    let office = open();
    let (ann, bob) = (register(&office, "ann"), register(&office, "bob"));
    let mut authenticator = Authenticator::new(b"key");
    let begun = begin(&ann, "register", &json!({}));
    let credential = authenticator.make(&begun["options"]);
    assert_eq!(
        finish(&bob, "register", &begun, &credential).refusal().1,
        "flow_expired"
    );
    enrol(&ann, &mut authenticator).data();
    let again = enrol(&bob, &mut authenticator).refusal();
    assert_eq!(
        (again.0, again.1.as_str()),
        (409, "conflict"),
        "one passkey, one user"
    );
}

#[test]
fn a_passkey_confirms_sensitive_calls_and_its_deletion() {
    let office = open();
    let ann = register(&office, "ann");
    let mut authenticator = Authenticator::new(b"key-of-ann");
    authenticator.count = 0;
    let made = enrol(&ann, &mut authenticator).data();
    office.app.clock.advance(Duration::from_mins(10));
    let path = format!("/api/user/passkey/{}", made["id"]);
    assert_eq!(ann.delete(&path).refusal().1, "step_up_required");
    assert_eq!(ann.get("/api/verify").data()["passkey"], true);
    let begun = begin(&ann, "verify", &json!({}));
    let signed = authenticator.sign(&begun["options"]);
    let proof = finish(&ann, "verify", &begun, &signed).data();
    assert_eq!(proof["fresh_until"], "2026-01-01T00:20:00Z");
    let reply = ann.delete(&path);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(ann.get("/api/user/passkey").data()["enabled"], false);
    assert_eq!(
        log_in(&office, &authenticator).1.refusal().1,
        "passkey_refused"
    );
}

#[test]
fn a_login_with_a_passkey_is_a_step_up() {
    let office = open();
    let mut authenticator = Authenticator::new(b"key-of-ann");
    authenticator.count = 0;
    enrol(&register(&office, "ann"), &mut authenticator).data();
    let (browser, reply) = log_in(&office, &authenticator);
    reply.data();
    let make = || browser.post("/api/user/pat", &json!({"name": "ci"}));
    make().data();
    office.app.clock.advance(Duration::from_mins(10));
    assert_eq!(make().refusal().1, "step_up_required");
}

#[test]
fn there_are_no_passkeys_for_addresses_in_numbers() {
    let office = Office::with("[server]\npublic_url = \"http://127.0.0.1:3000\"");
    let reply = Browser::new(office.app.address).post("/api/user/passkey/login/begin", &json!({}));
    assert_eq!(reply.refusal().1, "passkeys_unavailable");
}
