//! Logins through a provider that speaks OAuth 2 as GitHub does.

use serde_json::{Value, json};

use super::oauth_provider::{OAuthProvider, addresses, profile};
use crate::support::{Browser, Office, Reply};

const OPEN: &str = "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n";

fn location(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{reply:?}");
    reply.header("location").expect("an address").to_owned()
}

/// Goes to the provider and gets a code there; code and state.
fn leave(provider: &OAuthProvider, browser: &Browser, name: &str) -> (String, String) {
    let page = location(&browser.get(&format!("/api/oauth/{name}")));
    provider.visit(&page)
}

fn come_back(browser: &Browser, name: &str, (code, state): &(String, String)) -> String {
    let path = format!("/api/oauth/{name}/callback?code={code}&state={state}");
    location(&browser.get(&path))
}

/// A whole login; where the browser ends up.
fn log_in(provider: &OAuthProvider, browser: &Browser) -> String {
    let brought = leave(provider, browser, "github");
    come_back(browser, "github", &brought)
}

fn whoami(browser: &Browser) -> Value {
    browser.get("/api/user/self").data()
}

/// Somebody who has the address that the provider speaks of.
fn mona(office: &Office) -> Value {
    let body = json!({"username": "mo", "password": "a long password",
        "email": "mona@example.org"});
    office.administrator.post("/api/user/", &body).data()
}

#[test]
fn a_person_gets_an_account_and_comes_back_to_it() {
    let provider = OAuthProvider::open();
    let office = provider.office((OPEN, ""));
    let browser = Browser::new(office.app.address);
    let status = browser.get("/api/status").data();
    assert_eq!(
        status["sign_in"],
        json!([{"id": "github", "label": "GitHub"}])
    );
    let page = location(&browser.get("/api/oauth/github"));
    assert!(page.contains("&scope=read%3Auser%20user%3Aemail"), "{page}");
    assert_eq!(log_in(&provider, &browser), "/console");
    let first = whoami(&browser);
    assert_eq!(
        (&first["username"], &first["display_name"], &first["email"]),
        (
            &json!("mona"),
            &json!("Mona Lisa"),
            &json!("mona@example.org")
        )
    );
    let linked = browser.get("/api/user/identities").data();
    assert_eq!(
        (&linked[0]["provider"], &linked[0]["provider_label"]),
        (&json!("github"), &json!("GitHub"))
    );
    // Renamed, and the same number as a text.
    provider.says(&profile(&json!({"login": "lisa", "id": "583231"})), None);
    let again = Browser::new(office.app.address);
    assert_eq!(log_in(&provider, &again), "/console");
    assert_eq!(whoami(&again)["id"], first["id"]);
    provider.says(&profile(&json!({"id": 583_232})), None);
    let other = Browser::new(office.app.address);
    assert_eq!(log_in(&provider, &other), "/console");
    assert_ne!(whoami(&other)["id"], first["id"], "another person");
}

#[test]
fn only_the_browser_that_left_comes_back_and_only_once() {
    let provider = OAuthProvider::open();
    let office = provider.office((OPEN, ""));
    let (left, stranger) = (
        Browser::new(office.app.address),
        Browser::new(office.app.address),
    );
    let brought = leave(&provider, &left, "github");
    let over = "/login?error=flow_expired";
    assert_eq!(come_back(&stranger, "github", &brought), over);
    let forged = (brought.0.clone(), "forged".to_owned());
    assert_eq!(come_back(&left, "github", &forged), over);
    assert!(provider.asked().is_empty(), "no code was spent");
    let brought = leave(&provider, &left, "github");
    let cookie = left.cookie("oidc_journey").expect("a cookie");
    assert_eq!(come_back(&left, "github", &brought), "/console");
    left.set_cookie("oidc_journey", &cookie);
    assert_eq!(come_back(&left, "github", &brought), over, "a replay");
}

#[test]
fn a_refusal_that_looks_like_success_is_one() {
    let provider = OAuthProvider::open();
    let office = provider.office((OPEN, ""));
    let browser = Browser::new(office.app.address);
    let (_, state) = leave(&provider, &browser, "github");
    let guessed = ("guessed".to_owned(), state);
    let failed = "/login?error=provider_failed";
    assert_eq!(come_back(&browser, "github", &guessed), failed);
    assert_eq!(provider.asked(), ["/token"]);
    assert_eq!(browser.cookie("session"), None);
}

#[test]
fn an_account_is_taken_by_its_address_only_where_that_is_verified() {
    let provider = OAuthProvider::open();
    let before = format!("{OPEN}[mail]\nhost = \"127.0.0.1\"\n");
    let shown = json!({"email": "mona@example.org"});
    let good = addresses(true, true);
    for (rules, shown, listed, is_taken) in [
        ("", json!({}), Some(&good), false),
        ("link_by_email = true", json!({}), Some(&good), true),
        ("link_by_email = true", shown.clone(), None, false),
        (
            "link_by_email = true",
            shown.clone(),
            Some(&addresses(true, false)),
            false,
        ),
        (
            "link_by_email = true",
            shown.clone(),
            Some(&addresses(false, true)),
            false,
        ),
        (
            "link_by_email = true",
            shown,
            Some(&json!({"message": "no list"})),
            false,
        ),
    ] {
        let office = provider.office((&before, rules));
        let mona = mona(&office);
        provider.says(&profile(&shown), listed);
        let browser = Browser::new(office.app.address);
        assert_eq!(log_in(&provider, &browser), "/console");
        let found = whoami(&browser);
        assert_eq!(found["id"] == mona["id"], is_taken, "{rules} {listed:?}");
        let email = if is_taken {
            json!("mona@example.org")
        } else {
            Value::Null
        };
        assert_eq!(found["email"], email, "{rules} {listed:?}");
    }
}

#[test]
fn a_profile_that_names_nobody_is_refused() {
    let provider = OAuthProvider::open();
    let office = provider.office((OPEN, ""));
    for changed in [
        json!({"id": null}),
        json!({"id": ""}),
        json!({"id": 1.5}),
        json!({"id": ["583231"]}),
        json!({"padding": "x".repeat(1 << 20)}),
    ] {
        provider.says(&profile(&changed), None);
        let browser = Browser::new(office.app.address);
        let place = log_in(&provider, &browser);
        assert_eq!(place, "/login?error=provider_failed");
        assert_eq!(browser.cookie("session"), None);
    }
}

#[test]
fn another_provider_is_described_field_by_field() {
    let provider = OAuthProvider::open();
    let entry = "label = \"The club\"\nclient_auth = \"basic\"\nsubject_field = \"data.uid\"\n\
                 username_field = \"data.nick\"\nemail_field = \"data.mail\"\n\
                 email_verified_field = \"data.is_checked\"\n";
    let office = provider.office_with(OPEN, "club", entry);
    let says = |uid: &str, is_checked: Value| {
        let mail = format!("{uid}@example.org");
        let data = json!({"uid": uid, "nick": uid, "mail": mail, "is_checked": is_checked});
        provider.says(&json!({"data": data}), None);
    };
    let enter = || {
        let browser = Browser::new(office.app.address);
        let brought = leave(&provider, &browser, "club");
        assert_eq!(come_back(&browser, "club", &brought), "/console");
        whoami(&browser)
    };
    says("ann", json!(true));
    let ann = enter();
    assert_eq!(
        (&ann["username"], &ann["email"]),
        (&json!("ann"), &json!("ann@example.org"))
    );
    says("bob", json!("true"));
    assert_eq!(enter()["email"], Value::Null, "a text is not true");
}

#[test]
fn a_provider_in_a_private_network_is_not_called_unless_that_is_allowed() {
    let provider = OAuthProvider::open();
    let office = provider.office(("", ""));
    let browser = Browser::new(office.app.address);
    let place = log_in(&provider, &browser);
    assert_eq!(place, "/login?error=provider_failed");
    assert!(provider.asked().is_empty());
}
