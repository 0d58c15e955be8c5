//! Logins, links and forgeries.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::provider::{IdentityProvider, Key, NOW_S};
use crate::support::{Browser, Office, ROOT_PASSWORD, Reply};

/// A part of the address that a browser is sent to.
fn part(location: &str, name: &str) -> String {
    let rest = location.split(&format!("&{name}=")).nth(1).expect("a part");
    rest.split('&').next().expect("a value").to_owned()
}

/// Goes to the provider; state and nonce.
fn leave(browser: &Browser) -> (String, String) {
    let reply = browser.get("/api/oauth/work");
    assert_eq!(reply.status, 303, "{reply:?}");
    let location = reply.header("location").expect("an address");
    let start = "/authorize?response_type=code&client_id=gate";
    assert!(location.contains(start), "{location}");
    assert!(
        location.contains("&code_challenge_method=S256"),
        "{location}"
    );
    (part(location, "state"), part(location, "nonce"))
}

fn come_back(browser: &Browser, state: &str) -> Reply {
    browser.get(&format!("/api/oauth/work/callback?code=abc&state={state}"))
}

fn location(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{reply:?}");
    reply.header("location").expect("an address").to_owned()
}

/// A whole login that says this; where the browser ends up.
fn log_in(provider: &IdentityProvider, browser: &Browser, says: &Value) -> String {
    let (state, nonce) = leave(browser);
    provider.will_say(&nonce, says);
    location(&come_back(browser, &state))
}

#[test]
fn a_person_gets_an_account_and_comes_back_to_it() {
    let provider = IdentityProvider::open();
    let office = provider.office(("", ""));
    let browser = Browser::new(office.app.address);
    let status = browser.get("/api/status").data();
    assert_eq!(status["sign_in"], json!([{"id": "work", "label": "Work"}]));
    assert_eq!(log_in(&provider, &browser, &json!({})), "/console");
    let first = browser.get("/api/user/self").data();
    assert_eq!(
        (&first["username"], &first["email"]),
        (&json!("Mona"), &json!("mona@example.org"))
    );
    let again = Browser::new(office.app.address);
    log_in(&provider, &again, &json!({"preferred_username": "renamed"}));
    assert_eq!(again.get("/api/user/self").data()["id"], first["id"]);
    let other = Browser::new(office.app.address);
    log_in(&provider, &other, &json!({"sub": "person-2"}));
    let second = other.get("/api/user/self").data();
    assert_ne!(second["id"], first["id"]);
    assert_eq!(
        second["email"],
        Value::Null,
        "an address belongs to one user"
    );
    let forms = provider.forms.lock().expect("no panic");
    assert!(
        forms[0].contains("&code_verifier=") && forms[0].contains("code=abc"),
        "{forms:?}"
    );
    let secret = base64::engine::general_purpose::STANDARD.encode("gate:hush%20hush%20canary");
    let expected = format!("authorization: basic {}", secret.to_ascii_lowercase());
    assert!(
        forms[0].to_ascii_lowercase().contains(&expected),
        "{forms:?}"
    );
}

#[test]
fn tokens_with_rsa_signatures_count_too() {
    let provider = IdentityProvider::signing_with(Key::rsa());
    let office = provider.office(("", ""));
    let browser = Browser::new(office.app.address);
    assert_eq!(log_in(&provider, &browser, &json!({})), "/console");
}

#[test]
fn a_token_that_is_not_for_us_or_not_for_now_is_refused() {
    let provider = IdentityProvider::open();
    let office = provider.office(("", ""));
    for says in [
        json!({"aud": "another"}),
        json!({"aud": ["gate", "another"]}),
        json!({"aud": ["gate", "another"], "azp": "another"}),
        json!({"iss": "https://evil.example"}),
        json!({"exp": NOW_S - 61}),
        json!({"nonce": "another"}),
        json!({"nonce": null}),
        json!({"sub": ""}),
    ] {
        let browser = Browser::new(office.app.address);
        let place = log_in(&provider, &browser, &says);
        assert_eq!(place, "/login?error=provider_failed", "{says}");
        assert_eq!(browser.cookie("session"), None);
    }
    let browser = Browser::new(office.app.address);
    let both = json!({"aud": ["gate", "another"], "azp": "gate"});
    assert_eq!(log_in(&provider, &browser, &both), "/console");
}

#[test]
fn a_forged_token_is_refused() {
    let provider = IdentityProvider::open();
    let office = provider.office(("", ""));
    let forgeries: [fn(&Value) -> String; 4] = [
        |claims| Key::ec().sign(claims),
        |claims| Key::rsa().sign(claims),
        |claims| {
            let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
            format!(
                "{}.{}.",
                part(r#"{"alg":"none"}"#),
                part(&claims.to_string())
            )
        },
        |claims| {
            let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
            let message = format!(
                "{}.{}",
                part(r#"{"alg":"HS256","kid":"k"}"#),
                part(&claims.to_string())
            );
            let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &[0, 0, 0]);
            let by = ring::hmac::sign(&key, message.as_bytes());
            format!("{message}.{}", URL_SAFE_NO_PAD.encode(by))
        },
    ];
    for forge in forgeries {
        let browser = Browser::new(office.app.address);
        let (state, nonce) = leave(&browser);
        let forged = forge(&provider.claims(&nonce, &json!({})));
        *provider.token.lock().expect("no panic") = forged;
        let place = location(&come_back(&browser, &state));
        assert_eq!(place, "/login?error=provider_failed");
        assert_eq!(browser.cookie("session"), None);
    }
}

#[test]
fn only_the_browser_that_left_comes_back_and_only_once() {
    let provider = IdentityProvider::open();
    let office = provider.office(("", ""));
    let left = Browser::new(office.app.address);
    let stranger = Browser::new(office.app.address);
    let (state, nonce) = leave(&left);
    provider.will_say(&nonce, &json!({}));
    let over = "/login?error=flow_expired";
    assert_eq!(location(&come_back(&stranger, &state)), over);
    leave(&stranger);
    assert_eq!(
        location(&come_back(&stranger, &state)),
        over,
        "another browser's state"
    );
    let cookie = left.cookie("oidc_journey").expect("a cookie");
    assert_eq!(location(&come_back(&left, &state)), "/console");
    left.set_cookie("oidc_journey", &cookie);
    assert_eq!(
        location(&come_back(&left, &state)),
        over,
        "a replayed state"
    );
    let (state, _) = leave(&left);
    office
        .app
        .clock
        .advance(std::time::Duration::from_secs(601));
    assert_eq!(location(&come_back(&left, &state)), over, "too late");
    assert_eq!(left.get("/api/oauth/unknown").refusal().0, 404);
    let (state, _) = leave(&left);
    let refused = left.get(&format!(
        "/api/oauth/work/callback?error=access_denied&state={state}"
    ));
    assert_eq!(location(&refused), "/login?error=provider_refused");
}

#[test]
fn nobody_new_gets_an_account_where_registration_is_off() {
    let provider = IdentityProvider::open();
    for rules in [
        ("[registration]\nenabled = false", ""),
        ("[registration]\ninvite_only = true", ""),
        ("", "register = false"),
    ] {
        let office = provider.office(rules);
        let browser = Browser::new(office.app.address);
        let place = log_in(&provider, &browser, &json!({}));
        assert_eq!(place, "/login?error=no_account");
    }
}

#[test]
fn an_account_with_the_same_address_is_taken_only_where_that_is_configured_and_verified() {
    let provider = IdentityProvider::open();
    let mail = "[mail]\nhost = \"127.0.0.1\"";
    let links = "link_by_email = true";
    for (rules, says, is_taken) in [
        ((mail, ""), json!({}), false),
        ((mail, links), json!({"email_verified": false}), false),
        ((mail, links), json!({"email_verified": null}), false),
        ((mail, links), json!({"email": "MONA@example.org"}), true),
    ] {
        let office = provider.office(rules);
        let mona = mona(&office);
        let browser = Browser::new(office.app.address);
        assert_eq!(log_in(&provider, &browser, &says), "/console");
        let is_mona = browser.get("/api/user/self").data()["id"] == mona["id"];
        assert_eq!(is_mona, is_taken, "{rules:?} {says}");
    }
}

/// Somebody who has the address that the provider speaks of.
fn mona(office: &Office) -> Value {
    let body = json!({"username": "mo", "password": "a long password",
        "email": "mona@example.org"});
    office.administrator.post("/api/user/", &body).data()
}

#[test]
fn without_a_mail_server_no_account_is_taken_by_its_address() {
    let provider = IdentityProvider::open();
    let office = provider.office(("", "link_by_email = true"));
    mona(&office);
    let browser = Browser::new(office.app.address);
    let place = log_in(&provider, &browser, &json!({}));
    assert_eq!(place, "/login?error=no_account", "nor is another made");
    let new = json!({"sub": "person-2", "email": "nina@example.org"});
    assert_eq!(log_in(&provider, &browser, &new), "/console");
}

#[test]
fn an_identity_is_linked_by_its_owner_and_unlinked_unless_it_is_the_only_way_in() {
    let provider = IdentityProvider::open();
    let office = provider.office(("", ""));
    let root = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    let link = |browser: &Browser| {
        let reply = browser.post("/api/oauth/work/link", &json!({}));
        let url = reply.data()["url"].as_str().expect("an address").to_owned();
        let (state, nonce) = (part(&url, "state"), part(&url, "nonce"));
        provider.will_say(&nonce, &json!({}));
        location(&come_back(browser, &state))
    };
    assert_eq!(link(&root), "/console/account?identity=linked");
    let linked = root.get("/api/user/identities").data();
    assert_eq!(
        (&linked[0]["provider"], &linked[0]["label"]),
        (&json!("work"), &json!("mona@example.org"))
    );
    let browser = Browser::new(office.app.address);
    assert_eq!(log_in(&provider, &browser, &json!({})), "/console");
    assert_eq!(browser.get("/api/user/self").data()["username"], "root");
    let other = Browser::new(office.app.address);
    log_in(&provider, &other, &json!({"sub": "person-2"}));
    assert_eq!(link(&other), "/console/account?identity=identity_taken");
    let only = other.get("/api/user/identities").data()[0]["id"].clone();
    let refused = other
        .delete(&format!("/api/user/identities/{only}"))
        .refusal();
    assert_eq!((refused.0, refused.1.as_str()), (409, "last_sign_in"));
    let id = linked[0]["id"].clone();
    root.delete(&format!("/api/user/identities/{id}")).data();
    assert_eq!(root.get("/api/user/identities").data(), json!([]));
    let pat = office.user.post("/api/oauth/work/link", &json!({}));
    assert_eq!(pat.status, 403, "an access token cannot link");
}

#[test]
fn the_domain_that_a_provider_tells_is_checked_at_every_login() {
    let provider = IdentityProvider::open();
    let rules = "[registration]\nemail_domains = [\"example.org\"]";
    let office = provider.office((rules, ""));
    let browser = Browser::new(office.app.address);
    for says in [
        json!({"email": "mona@elsewhere.example"}),
        json!({"email_verified": false}),
    ] {
        let place = log_in(&provider, &browser, &says);
        assert_eq!(place, "/login?error=no_account", "{says}");
    }
    assert_eq!(log_in(&provider, &browser, &json!({})), "/console");
    let moved = json!({"email": "mona@elsewhere.example"});
    let place = log_in(&provider, &browser, &moved);
    assert_eq!(place, "/login?error=email_domain");
}

#[test]
fn a_login_through_a_provider_is_a_step_up_for_accounts_without_another_way() {
    let provider = IdentityProvider::open();
    let office = provider.office(("", ""));
    let mona = Browser::new(office.app.address);
    log_in(&provider, &mona, &json!({}));
    let make = |browser: &Browser| browser.post("/api/user/pat", &json!({"name": "ci"}));
    make(&mona).data();
    let refused = mona
        .post("/api/verify", &json!({"password": "a guess"}))
        .refusal();
    assert_eq!((refused.0, refused.1.as_str()), (409, "password_missing"));
    let root = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    let reply = root.post("/api/oauth/work/link", &json!({}));
    let url = reply.data()["url"].as_str().expect("an address").to_owned();
    provider.will_say(&part(&url, "nonce"), &json!({"sub": "person-2"}));
    come_back(&root, &part(&url, "state"));
    let by_provider = Browser::new(office.app.address);
    log_in(&provider, &by_provider, &json!({"sub": "person-2"}));
    assert_eq!(by_provider.get("/api/user/self").data()["username"], "root");
    assert_eq!(make(&by_provider).refusal().1, "step_up_required");
    by_provider
        .post("/api/verify", &json!({"password": ROOT_PASSWORD}))
        .data();
    make(&by_provider).data();
}

#[test]
fn where_a_provider_sends_browsers_is_not_the_callers_choice() {
    let provider = IdentityProvider::open();
    let settings = format!(
        "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n[[oidc]]\nname = \"work\"\nissuer = \"{}\"\n\
         client_id = \"gate\"\nclient_secret = \"hush\"\n",
        provider.issuer
    );
    let office = Office::with(&settings);
    let refused = Browser::new(office.app.address)
        .get("/api/oauth/work")
        .refusal();
    assert_eq!((refused.0, refused.1.as_str()), (503, "public_url_missing"));
    assert!(refused.2.contains("server.public_url"), "{refused:?}");
}
