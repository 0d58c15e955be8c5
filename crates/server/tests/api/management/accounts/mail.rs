//! Mail: verification of addresses and resets of passwords, through a mail server made of a socket.

use std::time::Duration;

use serde_json::{Value, json};

use super::support::PASSWORD;
use crate::support::{Browser, MailSink, Office};

/// Registers somebody with a verified address.
fn register(office: &Office, sink: &MailSink, name: &str, email: &str) -> Browser {
    let browser = Browser::new(office.app.address);
    browser
        .post("/api/user/verification", &json!({"email": email}))
        .data();
    let mail = sink.next();
    assert!(mail.contains(&format!("To: {email}")), "{mail}");
    let code = mail.split("Your code is ").nth(1).expect("a code")[..6].to_owned();
    let body = json!({"username": name, "password": PASSWORD, "email": email,
        "verification_code": code});
    browser.post("/api/user/register", &body).data();
    browser
}

#[test]
fn registration_takes_the_code_that_was_mailed_to_the_address() {
    let sink = MailSink::open();
    let office = sink.office();
    let browser = Browser::new(office.app.address);
    assert_eq!(
        browser.get("/api/status").data()["email_verification"],
        true
    );
    let mut body = json!({"username": "ann", "password": PASSWORD});
    let refused = |body: &Value| browser.post("/api/user/register", body).refusal();
    assert!(
        refused(&body)
            .2
            .contains("email: is required; verification_code: is required")
    );
    body["email"] = json!("ann@example.org");
    assert!(refused(&body).2.contains("verification_code: is required"));
    body["verification_code"] = json!("000000");
    assert!(refused(&body).2.contains("verification_code: is wrong"));
    register(&office, &sink, "ann", "ann@example.org");
    let soon = json!({"email": "ann@example.org"});
    let reply = browser.post("/api/user/verification", &soon);
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (429, Some("60"))
    );
}

#[test]
fn a_mailed_code_is_guessed_at_five_times_only() {
    let sink = MailSink::open();
    let office = sink.office();
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "ann", "password": PASSWORD, "email": "a@example.org",
        "verification_code": "000000"});
    for _ in 0..5 {
        assert_eq!(browser.post("/api/user/register", &body).status, 400);
    }
    assert_eq!(browser.post("/api/user/register", &body).status, 429);
}

#[test]
fn a_mailed_link_sets_a_new_password_once_and_ends_sessions_and_access_tokens() {
    let sink = MailSink::open();
    let office = sink.office();
    let ann = register(&office, &sink, "ann", "ann@example.org");
    let made = ann.post("/api/user/pat", &json!({"name": "ci"})).data();
    office.app.clock.advance(Duration::from_mins(1));
    let browser = Browser::new(office.app.address);
    browser
        .post("/api/user/reset", &json!({"email": "ANN@example.org"}))
        .data();
    // Mail cuts long lines softly with an equals sign, and so escapes those that it means.
    let mail = sink.next().replace("=\n", "").replace("=3D", "=");
    let token = mail.split("https://gate.example/reset?token=").nth(1);
    let token = token.expect("a link");
    let token = token.lines().next().expect("a token");
    let body = json!({"token": token, "password": "another password"});
    browser.post("/api/user/reset", &body).data();
    assert_eq!(
        browser.post("/api/user/reset", &body).refusal().1,
        "flow_expired"
    );
    assert_eq!(ann.get("/api/user/self").status, 401);
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let headers = [("authorization", bearer.as_str())];
    let by_token = browser.call("GET", "/api/user/self", &headers, None);
    assert_eq!(by_token.status, 401);
    Browser::logged_in(office.app.address, "ann", "another password");
}

#[test]
fn no_link_is_mailed_that_leads_where_a_request_says() {
    let sink = MailSink::open();
    let office = Office::with(&sink.configuration());
    register(&office, &sink, "ann", "ann@example.org");
    office.app.clock.advance(Duration::from_mins(1));
    let body = json!({"email": "ann@example.org"});
    let host = [("host", "evil.example")];
    let reply =
        Browser::new(office.app.address).call("POST", "/api/user/reset", &host, Some(&body));
    let (status, _, message) = reply.refusal();
    assert_eq!(status, 503);
    assert!(message.contains("server.public_url"), "{message}");
}

#[test]
fn whether_an_address_has_an_account_is_not_told() {
    let sink = MailSink::open();
    let office = sink.office();
    register(&office, &sink, "ann", "ann@example.org");
    office.app.clock.advance(Duration::from_mins(1));
    let browser = Browser::new(office.app.address);
    let ask = |email: &str| {
        let reply = browser.post("/api/user/reset", &json!({"email": email}));
        (reply.status, reply.body)
    };
    assert_eq!(ask("ann@example.org"), ask("nobody@example.org"));
    assert!(sink.next().contains("/reset?token="));
    assert!(
        sink.messages
            .recv_timeout(Duration::from_millis(300))
            .is_err(),
        "one mail only"
    );
}

#[test]
fn what_is_missing_is_named_and_without_a_mail_server_there_is_no_mail() {
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    for (body, words) in [
        (json!({}), "email: is required"),
        (json!({"email": "x"}), "email: must be"),
        (json!({"token": "x"}), "password: is required"),
        (json!({"password": "a long password"}), "token: is required"),
    ] {
        let (status, _, message) = browser.post("/api/user/reset", &body).refusal();
        assert_eq!(status, 400);
        assert!(message.contains(words), "{message}");
    }
    let body = json!({"email": "ann@example.org"});
    assert_eq!(browser.post("/api/user/reset", &body).refusal().0, 503);
    assert_eq!(
        browser.post("/api/user/verification", &body).refusal().0,
        503
    );
}
