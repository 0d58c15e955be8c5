//! Accounts that visitors make for themselves.

use serde_json::json;

use super::support::{PASSWORD, register};
use crate::support::{Browser, Office};

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
