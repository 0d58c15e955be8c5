//! Logging in by password.

use std::time::Duration;

use serde_json::json;

use super::support::{PASSWORD, register, username};
use crate::support::{Browser, Office};

#[test]
fn a_login_takes_a_name_or_an_address_in_any_case_and_sets_the_cookie() {
    let office = Office::open();
    let mail = json!({"username": "ann", "password": PASSWORD, "email": "Ann@example.org"});
    Browser::new(office.app.address)
        .post("/api/user/register", &mail)
        .data();
    for body in [
        json!({"username": "ann", "password": PASSWORD}),
        json!({"username": "ANN", "password": PASSWORD}),
        json!({"username": "ann@EXAMPLE.org", "password": PASSWORD}),
        json!({"email": "ann@example.org", "password": PASSWORD}),
    ] {
        let browser = Browser::new(office.app.address);
        let reply = browser.post("/api/user/login", &body);
        assert_eq!(username(&reply.data()), "ann", "{body}");
        let cookie = reply.header("set-cookie").unwrap();
        assert!(cookie.starts_with("session="), "{cookie}");
        assert!(cookie.ends_with("; HttpOnly; SameSite=Lax"), "{cookie}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(username(&browser.get("/api/user/self").data()), "ann");
    }
}

#[test]
fn the_cookie_is_secure_where_the_service_is_reached_over_tls() {
    let office = Office::with("[server]\npublic_url = \"https://gate.example\"");
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "root", "password": PASSWORD});
    let reply = browser.post("/api/user/login", &body);
    assert!(
        reply.header("set-cookie").unwrap().ends_with("; Secure"),
        "{reply:?}"
    );
}

#[test]
fn what_is_missing_is_named() {
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    for (body, words) in [
        (json!({}), "username: is required; password: is required"),
        (json!({"username": "root"}), "password: is required"),
        (json!({"password": "x"}), "username: is required"),
        (
            json!({"username": "", "password": ""}),
            "username: is required; password: is required",
        ),
        (
            json!({"username": 7, "password": "x"}),
            "username: invalid type",
        ),
        (json!({"username": "root", "password": 7}), "password: "),
    ] {
        let (status, code, message) = browser.post("/api/user/login", &body).refusal();
        assert_eq!((status, code.as_str()), (400, "invalid_request"), "{body}");
        assert!(message.contains(words), "{message}");
    }
    let empty = browser.call("POST", "/api/user/login", &[], None).refusal();
    assert_eq!(empty.0, 400);
}

#[test]
fn an_unknown_name_and_a_wrong_password_get_the_same_answer() {
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    let login = |name: &str| {
        let body = json!({"username": name, "password": "a wrong password"});
        let reply = browser.post("/api/user/login", &body);
        assert_eq!(reply.header("set-cookie"), None);
        reply.refusal()
    };
    let wrong = login("root");
    assert_eq!((wrong.0, wrong.1.as_str()), (401, "login_failed"));
    assert_eq!(login("nobody-at-all"), wrong);
    assert_eq!(login("uma"), wrong, "a user without a password");
}

#[test]
fn five_failures_lock_an_account_whether_it_exists_or_not() {
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    for name in ["root", "nobody-at-all"] {
        let body = json!({"username": name, "password": "a wrong password"});
        for _ in 0..5 {
            assert_eq!(browser.post("/api/user/login", &body).status, 401);
        }
        let right = json!({"username": name, "password": PASSWORD});
        let reply = browser.post("/api/user/login", &right);
        assert_eq!(reply.refusal().1, "rate_limit_exceeded");
        assert_eq!(
            (reply.status, reply.header("retry-after")),
            (429, Some("300"))
        );
    }
    office.app.clock.advance(Duration::from_mins(5));
    let right = json!({"username": "root", "password": PASSWORD});
    browser.post("/api/user/login", &right).data();
}

#[test]
fn right_passwords_are_never_held_up() {
    let office = Office::open();
    for _ in 0..8 {
        Browser::logged_in(office.app.address, "root", PASSWORD);
    }
}

#[test]
fn an_address_that_fails_everywhere_is_locked_too() {
    let office = Office::with("[login]\nfailures = 1\n");
    let browser = Browser::new(office.app.address);
    let fail = |name: String| {
        let body = json!({"username": name, "password": "a wrong password"});
        browser.post("/api/user/login", &body).status
    };
    for number in 0..10 {
        assert_eq!(fail(format!("name-{number}")), 401);
    }
    assert_eq!(fail("yet-another-name".to_owned()), 429);
}

#[test]
fn parallel_guesses_do_not_outrun_the_lock() {
    let office = Office::open();
    let address = office.app.address;
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let guess = |number| {
            scope.spawn(move || {
                let body = json!({"username": "root", "password": format!("guess {number}")});
                Browser::new(address).post("/api/user/login", &body).status
            })
        };
        let guesses: Vec<_> = (0..12).map(guess).collect();
        guesses
            .into_iter()
            .map(|guess| guess.join().unwrap())
            .collect()
    });
    assert_eq!(
        statuses.iter().filter(|status| **status == 401).count(),
        5,
        "{statuses:?}"
    );
    assert_eq!(
        statuses.iter().filter(|status| **status == 429).count(),
        7,
        "{statuses:?}"
    );
}

#[test]
fn a_disabled_account_is_out_at_once_and_told_so_only_with_its_password() {
    let office = Office::open();
    let browser = register(&office, "ann");
    let id = browser.get("/api/user/self").data()["id"].clone();
    let disable = json!({"id": id, "action": "disable"});
    office
        .administrator
        .post("/api/user/manage", &disable)
        .data();
    assert_eq!(browser.get("/api/user/self").status, 401);
    let login = |password: &str| {
        let body = json!({"username": "ann", "password": password});
        browser.post("/api/user/login", &body).refusal()
    };
    assert_eq!(login("a wrong password").1, "login_failed");
    let refused = login(PASSWORD);
    assert_eq!((refused.0, refused.1.as_str()), (403, "account_disabled"));
}

#[test]
fn logging_out_ends_the_session_itself() {
    let office = Office::open();
    let browser = Browser::logged_in(office.app.address, "root", PASSWORD);
    let secret = browser.cookie("session").unwrap();
    browser.post("/api/user/logout", &json!({})).data();
    assert_eq!(browser.cookie("session"), None);
    browser.set_cookie("session", &secret);
    assert_eq!(browser.get("/api/user/self").status, 401);
    assert_eq!(browser.post("/api/user/logout/", &json!({})).status, 200);
}
