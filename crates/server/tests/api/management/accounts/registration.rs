//! Accounts that visitors make for themselves.

use serde_json::json;

use super::support::{PASSWORD, register};
use crate::support::{Browser, MailSink, Office};

#[test]
fn an_invitation_rewards_both_sides_by_the_rule() {
    let office = Office::with("[referral]\ninviter_usd = \"2\"\ninvitee_usd = \"0.5\"\n");
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "ann", "password": PASSWORD, "aff_code": "code-uma"});
    let ann = browser.post("/api/user/register", &body).data();
    assert_eq!(
        (&ann["quota"], &ann["inviter_id"]),
        (&json!(250_000), &json!(office.user.id.0))
    );
    let uma = office.user.get("/api/user/self").data();
    assert_eq!(
        (&uma["aff_quota_usd"], &uma["aff_count"]),
        (&json!("2"), &json!(1))
    );
    assert_eq!(uma["quota"], 0, "earnings are moved to the wallet by hand");
}

#[test]
fn nothing_is_earned_before_the_first_payment_where_that_is_the_rule() {
    let rule = "[referral]\nevent = \"first_topup\"\ninviter_usd = \"2\"\ninvitee_usd = \"1\"\n";
    let office = Office::with(rule);
    let body = json!({"username": "ann", "password": PASSWORD, "aff_code": "code-uma"});
    let ann = Browser::new(office.app.address)
        .post("/api/user/register", &body)
        .data();
    assert_eq!(ann["quota"], 0);
    let uma = office.user.get("/api/user/self").data();
    assert_eq!(
        (&uma["aff_quota"], &uma["aff_count"]),
        (&json!(0), &json!(1))
    );
}

#[test]
fn an_invited_visitor_sees_who_invites_and_cannot_try_codes_for_long() {
    let office = Office::open();
    let visitor = Browser::new(office.app.address);
    let inviter = visitor.get("/api/user/aff/code-uma").data();
    assert_eq!(inviter, json!({"display_name": "uma"}));
    for _ in 0..5 {
        assert_eq!(visitor.get("/api/user/aff/nobodys").refusal().0, 404);
    }
    assert_eq!(visitor.get("/api/user/aff/nobodys").refusal().0, 429);
}

#[test]
fn what_cannot_be_an_account_is_refused() {
    let office = Office::open();
    register(&office, "ann");
    let browser = Browser::new(office.app.address);
    for (body, status, words) in [
        (
            json!({}),
            400,
            "username: is required; password: is required",
        ),
        (
            json!({"username": "a@b.example", "password": PASSWORD}),
            400,
            "username: ",
        ),
        (
            json!({"username": "bob", "password": "short"}),
            400,
            "password: ",
        ),
        (
            json!({"username": "bob", "password": PASSWORD, "email": "x"}),
            400,
            "email: ",
        ),
        (
            json!({"username": "bob", "password": PASSWORD, "aff_code": "x"}),
            400,
            "aff_code: ",
        ),
        (
            json!({"username": "ANN", "password": PASSWORD}),
            409,
            "exists already",
        ),
    ] {
        let refused = browser.post("/api/user/register", &body).refusal();
        assert_eq!(refused.0, status, "{body}");
        assert!(refused.2.contains(words), "{refused:?}");
    }
    let role = json!({"username": "bob", "password": PASSWORD, "role": 100, "quota": 5});
    let bob = browser.post("/api/user/register", &role).data();
    assert_eq!(
        (&bob["role"], &bob["quota"]),
        (&json!(1), &json!(0)),
        "nobody promotes themselves"
    );
}

#[test]
fn registration_can_be_switched_off() {
    let office = Office::with("[registration]\nenabled = false\n");
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "ann", "password": PASSWORD});
    assert_eq!(browser.post("/api/user/register", &body).refusal().0, 403);
    assert_eq!(browser.get("/api/status").data()["registration"], false);
}

#[test]
fn a_new_account_begins_with_what_it_is_given_once() {
    let rules = "[registration]\ngrant_usd = \"0.5\"\n[referral]\ninvitee_usd = \"1\"\n";
    let office = Office::with(rules);
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "ann", "password": PASSWORD, "aff_code": "code-uma"});
    let ann = browser.post("/api/user/register", &body).data();
    assert_eq!(
        ann["quota_usd"], "1.5",
        "the gift, and what the invited get"
    );
    let entries = office.records(async |store| {
        let ledger = store::ledger::verify(store.read()).await.expect("a ledger");
        ledger.differences
    });
    assert!(entries.is_empty(), "{entries:?}");
    let made = json!({"username": "bob", "password": PASSWORD});
    let bob = office.administrator.post("/api/user/", &made).data();
    assert_eq!(
        bob["quota"], 0,
        "whom an administrator makes is given what they say"
    );
}

#[test]
fn only_the_invited_register_where_that_is_the_rule() {
    let office = Office::with("[registration]\ninvite_only = true\n");
    let browser = Browser::new(office.app.address);
    assert_eq!(browser.get("/api/status").data()["invite_only"], true);
    let mut body = json!({"username": "ann", "password": PASSWORD});
    let refused = browser.post("/api/user/register", &body).refusal();
    assert_eq!((refused.0, refused.2.contains("aff_code")), (400, true));
    body["aff_code"] = json!("nobodys");
    assert_eq!(browser.post("/api/user/register", &body).refusal().0, 400);
    body["aff_code"] = json!("code-uma");
    assert_eq!(
        browser.post("/api/user/register", &body).data()["inviter_id"],
        office.user.id.0
    );
}

#[test]
fn one_place_makes_so_many_accounts_a_day() {
    let office = Office::with("[registration]\ndaily = 2\n");
    let browser = Browser::new(office.app.address);
    let ask = |name: &str| {
        let body = json!({"username": name, "password": PASSWORD});
        browser.post("/api/user/register", &body)
    };
    ask("ann").data();
    // What makes no account does not count.
    assert_eq!(ask("ann").refusal().0, 409);
    ask("bob").data();
    let refused = ask("cid");
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    let path = "/api/user/?search=cid";
    assert_eq!(office.administrator.get(path).data()["total"], 0);
    let day = std::time::Duration::from_secs(24 * 60 * 60 + 1);
    office.app.clock.advance(day);
    ask("cid").data();
}

#[test]
fn addresses_of_other_domains_are_refused_and_so_is_everybody_without_a_mail_server() {
    let rules = "[registration]\nemail_domains = [\"example.org\"]\n";
    let office = Office::with(rules);
    let mut body = json!({"username": "ann", "password": PASSWORD, "email": "ann@example.org"});
    let ask = |office: &Office, body: &serde_json::Value| {
        let browser = Browser::new(office.app.address);
        browser.post("/api/user/register", body).refusal()
    };
    assert_eq!(ask(&office, &body).0, 403, "nobody can verify it");

    let sink = MailSink::open();
    let office = Office::with(&format!("{}{rules}", sink.configuration()));
    assert!(ask(&office, &body).2.contains("verification_code"));
    body["email"] = json!("ann@example.com");
    assert!(ask(&office, &body).2.contains("at example.org"));
    body["email"] = json!(null);
    assert!(ask(&office, &body).2.contains("email: is required"));
    body["email"] = json!("ann@evil.example.org");
    assert!(ask(&office, &body).2.contains("at example.org"));
}

#[test]
fn the_domain_of_an_address_is_checked_at_every_login() {
    let office = Office::open();
    let make = |name: &str, email: Option<&str>| {
        let body = json!({"username": name, "password": PASSWORD, "email": email});
        office.root.post("/api/user/", &body).data();
    };
    make("ann", Some("ann@example.org"));
    make("bob", Some("bob@elsewhere.example"));
    make("eve", None);
    let log_in = |name: &str| {
        let body = json!({"username": name, "password": PASSWORD});
        Browser::new(office.app.address).post("/api/user/login", &body)
    };
    assert_eq!(log_in("bob").status, 200);
    let values = json!({"values": {"registration.email_domains": ["example.org"]}});
    office.root.put("/api/option/", &values).data();
    assert_eq!(log_in("ann").status, 200);
    for name in ["bob", "eve"] {
        let refused = log_in(name).refusal();
        assert_eq!((refused.0, refused.1.as_str()), (403, "email_domain"));
    }
    assert_eq!(log_in("root").status, 200, "root is not locked out");
    let ann = Browser::logged_in(office.app.address, "ann", PASSWORD);
    let moved = ann.put("/api/user/self", &json!({"email": "ann@elsewhere.example"}));
    assert_eq!(moved.refusal().0, 400);
}
