//! What users change of themselves.

use serde_json::{Value, json};

use super::support::{PASSWORD, register};
use crate::support::{Browser, Office};

#[test]
fn absent_fields_stay_and_null_clears() {
    let office = Office::open();
    let ann = register(&office, "ann");
    let body = json!({"display_name": "Ann", "email": "ann@example.org"});
    ann.put("/api/user/self", &body).data();
    let same = ann.put("/api/user/self/", &json!({})).data();
    assert_eq!(
        (&same["display_name"], &same["email"]),
        (&json!("Ann"), &json!("ann@example.org"))
    );
    let cleared = ann.put("/api/user/self", &json!({"email": null})).data();
    assert_eq!(
        (&cleared["display_name"], &cleared["email"]),
        (&json!("Ann"), &Value::Null)
    );
}

#[test]
fn nobody_promotes_themselves() {
    let office = Office::open();
    let ann = register(&office, "ann");
    let body =
        json!({"role": 100, "quota": 1_000_000, "group": "vip", "status": 2, "username": "x"});
    let view = ann.put("/api/user/self", &body).data();
    assert_eq!((&view["role"], &view["quota"]), (&json!(1), &json!(0)));
    assert_eq!(
        (&view["group"], &view["username"]),
        (&json!("default"), &json!("ann"))
    );
}

#[test]
fn a_new_password_takes_the_present_one_and_ends_other_sessions() {
    let office = Office::open();
    let ann = register(&office, "ann");
    let other = Browser::logged_in(office.app.address, "ann", PASSWORD);
    let change = |body: &Value| ann.put("/api/user/self", body);
    let missing = change(&json!({"password": "another password"})).refusal();
    assert!(
        missing.0 == 400 && missing.2.contains("original_password"),
        "{missing:?}"
    );
    let wrong = json!({"password": "another password", "original_password": "a guess"});
    assert_eq!(change(&wrong).refusal().1, "password_wrong");
    let short = json!({"password": "short", "original_password": PASSWORD});
    assert_eq!(change(&short).refusal().0, 400);
    assert_eq!(other.get("/api/user/self").status, 200);
    change(&json!({"password": "another password", "original_password": PASSWORD})).data();
    assert_eq!(ann.get("/api/user/self").status, 200);
    assert_eq!(other.get("/api/user/self").status, 401);
    Browser::logged_in(office.app.address, "ann", "another password");
}

#[test]
fn an_access_token_changes_no_password() {
    let office = Office::open();
    let body = json!({"password": "another password"});
    assert_eq!(
        office.user.put("/api/user/self", &body).refusal().1,
        "session_required"
    );
}

#[test]
fn an_access_token_changes_no_address() {
    let office = Office::open();
    let put = |body: Value| office.user.put("/api/user/self", &body);
    let refused = put(json!({"email": "thief@example.org"})).refusal();
    assert_eq!((refused.0, refused.1.as_str()), (403, "session_required"));
    let same = put(json!({"email": null, "display_name": "Uma"})).data();
    assert_eq!(same["display_name"], "Uma", "no other address");
}

#[test]
fn an_address_belongs_to_one_user() {
    let office = Office::open();
    register(&office, "ann")
        .put("/api/user/self", &json!({"email": "a@example.org"}))
        .data();
    let bob = register(&office, "bob");
    let refused = bob
        .put("/api/user/self", &json!({"email": "A@example.org"}))
        .refusal();
    assert_eq!(refused.0, 409);
}
