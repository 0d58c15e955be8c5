//! Logging in by password.

use std::time::Duration;

use serde_json::json;

use super::support::{PASSWORD, register, username};
use crate::support::{Browser, Office, Reply};

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

/// A service behind a proxy that says where its clients are, and who calls from there.
fn from(office: &Office, network: &str, browser: &Browser, password: &str) -> Reply {
    let headers = [("x-forwarded-for", network)];
    let body = json!({"username": "ann", "password": password});
    assert!(office.app.address.ip().is_loopback());
    browser.call("POST", "/api/user/login", &headers, Some(&body))
}

const PROXY: &str = "[server]\ntrusted_proxies = [\"127.0.0.0/8\"]\n";

#[test]
fn strangers_do_not_lock_out_the_owner() {
    let office = Office::with(PROXY);
    let owner = register(&office, "ann");
    owner.post("/api/user/logout", &json!({})).data();
    let stranger = Browser::new(office.app.address);
    for _ in 0..5 {
        let reply = from(&office, "198.51.100.7", &stranger, "a wrong password");
        assert_eq!(reply.status, 401);
    }
    let locked = from(&office, "198.51.100.7", &stranger, PASSWORD);
    assert_eq!(
        locked.status, 429,
        "its network is locked out of the account"
    );
    let elsewhere = Browser::new(office.app.address);
    assert_eq!(
        from(&office, "203.0.113.9", &elsewhere, PASSWORD).status,
        200
    );
    // From the very network of the strangers, a device that is known.
    assert_eq!(from(&office, "198.51.100.7", &owner, PASSWORD).status, 200);
}

#[test]
fn a_known_device_is_let_in_while_all_networks_fail() {
    let office = Office::with(PROXY);
    let owner = register(&office, "ann");
    let stranger = Browser::new(office.app.address);
    for network in 0..10 {
        for _ in 0..5 {
            let place = format!("2001:db8:0:{network}::1");
            assert_eq!(
                from(&office, &place, &stranger, "a wrong password").status,
                401
            );
        }
    }
    let fresh = Browser::new(office.app.address);
    assert_eq!(from(&office, "203.0.113.9", &fresh, PASSWORD).status, 429);
    let locked = from(&office, "2001:db8:0:3:ffff::2", &stranger, PASSWORD);
    assert_eq!(locked.status, 429, "one network has 64 bits");
    assert_eq!(from(&office, "203.0.113.9", &owner, PASSWORD).status, 200);
    // It is counted, too.
    for _ in 0..5 {
        let reply = from(&office, "203.0.113.9", &owner, "a wrong password");
        assert_eq!(reply.status, 401);
    }
    assert_eq!(from(&office, "203.0.113.9", &owner, PASSWORD).status, 429);
}

#[test]
fn a_forged_or_foreign_mark_knows_no_device() {
    let office = Office::with(PROXY);
    let owner = register(&office, "ann");
    let id = owner.get("/api/user/self").data()["id"].clone();
    let eve = register(&office, "eve");
    let her = eve.get("/api/user/self").data()["id"].clone();
    let stranger = Browser::new(office.app.address);
    for _ in 0..5 {
        from(&office, "198.51.100.7", &stranger, "a wrong password");
    }
    let mark = |browser: &Browser, id: &serde_json::Value| {
        browser.cookie(&format!("device-{id}")).expect("a mark")
    };
    let cut = mark(&owner, &id);
    for forged in [
        mark(&eve, &her),
        format!("{}x", &cut[..cut.len() - 1]),
        String::new(),
    ] {
        let thief = Browser::new(office.app.address);
        thief.set_cookie(&format!("device-{id}"), &forged);
        assert_eq!(from(&office, "198.51.100.7", &thief, PASSWORD).status, 429);
    }
    let known = Browser::new(office.app.address);
    known.set_cookie(&format!("device-{id}"), &mark(&owner, &id));
    assert_eq!(from(&office, "198.51.100.7", &known, PASSWORD).status, 200);
}

#[test]
fn a_known_device_keeps_its_mark_which_scripts_cannot_read() {
    let office = Office::open();
    let browser = register(&office, "ann");
    let name = format!("device-{}", browser.get("/api/user/self").data()["id"]);
    let mark = browser.cookie(&name).expect("a mark");
    let body = json!({"username": "ann", "password": PASSWORD});
    let reply = browser.post("/api/user/login", &body);
    let mut cookies = reply
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie");
    let set = cookies.find_map(|(_, line)| line.strip_prefix(&format!("{name}={mark}; ")));
    let rest = set.expect("the same mark");
    assert_eq!(
        rest,
        "Path=/api; Max-Age=34560000; HttpOnly; SameSite=Strict"
    );
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
