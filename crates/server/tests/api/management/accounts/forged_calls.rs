//! Calls that pages of other sites make a browser send.

use serde_json::json;

use super::support::PASSWORD;
use crate::support::{Browser, Office};

fn status(browser: &Browser, method: &str, headers: &[(&str, &str)]) -> u16 {
    let body = json!({"display_name": "x"});
    let body = (method != "GET").then_some(&body);
    browser.call(method, "/api/user/self", headers, body).status
}

#[test]
fn a_cookie_call_that_changes_something_must_come_from_our_own_pages() {
    let office = Office::open();
    let browser = Browser::logged_in(office.app.address, "root", PASSWORD);
    for (headers, expected) in [
        (vec![], 200),
        (vec![("origin", "http://gate.example")], 200),
        (vec![("sec-fetch-site", "same-origin")], 200),
        (vec![("sec-fetch-site", "none")], 200),
        (vec![("origin", "http://evil.example")], 403),
        (vec![("origin", "null")], 403),
        (vec![("sec-fetch-site", "cross-site")], 403),
        (
            vec![
                ("origin", "http://gate.example"),
                ("sec-fetch-site", "cross-site"),
            ],
            403,
        ),
    ] {
        assert_eq!(status(&browser, "PUT", &headers), expected, "{headers:?}");
        assert_eq!(
            status(&browser, "GET", &headers),
            200,
            "reading is no change: {headers:?}"
        );
    }
}

#[test]
fn an_access_token_is_its_own_proof() {
    let office = Office::open();
    let token = format!("Bearer {}", office.user.token.as_deref().unwrap());
    let headers = [
        ("authorization", token.as_str()),
        ("origin", "http://evil.example"),
    ];
    assert_eq!(
        status(&Browser::new(office.app.address), "PUT", &headers),
        200
    );
}

#[test]
fn nobody_is_logged_in_by_a_page_of_another_site() {
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "root", "password": PASSWORD});
    let headers = [("origin", "http://evil.example")];
    let reply = browser.call("POST", "/api/user/login", &headers, Some(&body));
    assert_eq!(reply.refusal().1, "foreign_origin");
    assert_eq!(browser.cookie("session"), None);
}

#[test]
fn no_other_origin_is_told_that_it_may_call() {
    let office = Office::open();
    let headers = [
        ("origin", "http://evil.example"),
        ("access-control-request-method", "PUT"),
    ];
    let browser = Browser::new(office.app.address);
    let reply = browser.call("OPTIONS", "/api/user/self", &headers, None);
    assert_eq!(
        reply.header("access-control-allow-origin"),
        None,
        "{reply:?}"
    );
}
