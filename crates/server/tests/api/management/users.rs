//! Users as administrators manage them.

use serde_json::{Value, json};
use store::audit_log::{self, AuditFilter};
use store::users::{self, NewUser, Role, UserChanges};
use store::{Location, OpenOptions, Store, UserId, groups, ledger};

use crate::nodes::empty_database;
use crate::support::{Actor, Browser, Office};

/// A quota unit more than a hundred million dollars.
const TOO_MUCH: i64 = 50_000_000_000_001;

fn make(actor: &Actor, name: &str, more: Value) -> Value {
    let mut body = json!({"username": name, "password": "a long password"});
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    actor.post("/api/user/", &body).data()
}

#[test]
fn a_user_is_made_listed_changed_and_deleted() {
    let office = Office::open();
    let admin = &office.administrator;
    let made = make(
        admin,
        "zoe",
        json!({"email": "zoe@example.org", "quota": 500_000, "display_name": "Zoë"}),
    );
    assert_eq!(
        (&made["role"], &made["status"], &made["group"]),
        (&json!(1), &json!(1), &json!("default"))
    );
    assert_eq!(
        (&made["quota"], &made["quota_usd"]),
        (&json!(500_000), &json!("1"))
    );
    assert_eq!(made["two_factor"], json!(false));
    assert_eq!(made["created_at"], json!("2026-01-01T00:00:00Z"));
    let id = made["id"].as_i64().unwrap();

    for search in [
        "search=ZOE@",
        "search=Zo%C3%AB",
        "role=1&search=zoe&status=1&group=default",
    ] {
        let found = admin.get(&format!("/api/user/?{search}")).data();
        assert_eq!(found["items"].as_array().unwrap().len(), 1, "{search}");
    }
    assert_eq!(
        admin.get("/api/user/?role=100&search=zoe").data()["total"],
        json!(0)
    );
    assert_eq!(admin.get("/api/user/?role=2").status, 400);
    let page = admin.get("/api/user?p=1&page_size=2").data();
    assert_eq!(
        (&page["page"], &page["page_size"], &page["total"]),
        (&json!(1), &json!(2), &json!(5))
    );
    assert_eq!(
        page["items"][0],
        admin.get(&format!("/api/user/{id}")).data()
    );

    let change = json!({"id": id, "display_name": "Z", "email": null, "remark": "vip",
        "quota": 250_000, "reason": "mistake"});
    let changed = admin.put("/api/user/", &change).data();
    assert_eq!(
        (
            &changed["display_name"],
            &changed["email"],
            &changed["remark"]
        ),
        (&json!("Z"), &Value::Null, &json!("vip"))
    );
    assert_eq!(changed["quota_usd"], json!("0.5"));
    assert_eq!(changed["username"], json!("zoe"), "absent is unchanged");

    assert_eq!(admin.delete(&format!("/api/user/{id}")).status, 200);
    assert_eq!(admin.get(&format!("/api/user/{id}")).status, 404);
    assert_eq!(admin.delete(&format!("/api/user/{id}")).status, 404);
    make(admin, "zoe", json!({}));
    office.records(async |store| {
        let verified = ledger::verify(store.read()).await.unwrap();
        assert!(verified.differences.is_empty());
    });
}

#[test]
fn what_cannot_be_a_user_is_refused_by_the_name_of_the_field() {
    let office = Office::open();
    let admin = &office.administrator;
    for (body, words) in [
        (json!({}), "username: is required; password: is required"),
        (
            json!({"username": "a", "password": "short"}),
            "password: must have",
        ),
        (
            json!({"username": "a@b", "password": "a long password"}),
            "username: ",
        ),
        (
            json!({"username": "b", "password": "a long password", "email": "x"}),
            "email: ",
        ),
        (
            json!({"username": "b", "password": "a long password", "role": 7}),
            "role: ",
        ),
        (
            json!({"username": "b", "password": "a long password", "group": "vip"}),
            "group: ",
        ),
        (
            json!({"username": "b", "password": "a long password", "quota": -1}),
            "quota: ",
        ),
        (
            json!({"username": "b", "password": "a long password", "quota": TOO_MUCH}),
            "quota: ",
        ),
    ] {
        let (status, code, message) = admin.post("/api/user/", &body).refusal();
        assert_eq!((status, code.as_str()), (400, "invalid_request"), "{body}");
        assert!(message.contains(words), "{message}");
    }
    let user = office.user.id.0;
    for (body, words) in [
        (json!({}), "id: is required"),
        (
            json!({"id": user, "username": null}),
            "username: must not be null",
        ),
        (json!({"id": user, "status": 3}), "status: "),
        (json!({"id": user, "quota": -5}), "quota: "),
        (json!({"id": user, "quota": TOO_MUCH}), "quota: "),
        (json!({"id": user, "quota": i64::MAX / 2_000}), "quota: "),
        (json!({"id": user, "password": "x"}), "password: "),
    ] {
        let (status, _, message) = admin.put("/api/user/", &body).refusal();
        assert_eq!(status, 400, "{body}");
        assert!(message.contains(words), "{message}");
    }
    make(admin, "taken", json!({"email": "t@example.org"}));
    let again = json!({"username": "TAKEN", "password": "a long password"});
    assert_eq!(admin.post("/api/user/", &again).refusal().0, 409);
    let change = json!({"id": user, "email": "T@example.org"});
    let (status, _, message) = admin.put("/api/user/", &change).refusal();
    assert_eq!(
        (status, message.contains("e-mail")),
        (409, true),
        "{message}"
    );
    assert_eq!(admin.put("/api/user/", &json!({"id": 999})).status, 404);
}

#[test]
fn nobody_manages_their_own_level_or_above_root_aside() {
    let office = Office::open();
    let (root, admin) = (&office.root, &office.administrator);
    let colleague = office.hire("eve", Role::Administrator);
    for target in [admin.id.0, colleague.id.0, root.id.0] {
        let change = json!({"id": target, "remark": "x"});
        assert_eq!(admin.put("/api/user/", &change).refusal().0, 403);
        let act = json!({"id": target, "action": "disable"});
        assert_eq!(admin.post("/api/user/manage", &act).refusal().0, 403);
        assert_eq!(
            admin.delete(&format!("/api/user/{target}")).refusal().0,
            403
        );
    }
    let promote = json!({"id": office.user.id.0, "role": 10});
    assert_eq!(admin.put("/api/user/", &promote).refusal().0, 403);
    let body = json!({"username": "x", "password": "a long password", "role": 10});
    assert_eq!(admin.post("/api/user/", &body).refusal().0, 403);
    assert_eq!(root.put("/api/user/", &promote).data()["role"], json!(10));
    assert_eq!(
        office.user.get("/api/user/").status,
        200,
        "role counts at once"
    );
}

#[test]
fn the_last_root_stays() {
    let office = Office::open();
    let root = &office.root;
    let id = root.id.0;
    for body in [
        json!({"id": id, "role": 10}),
        json!({"id": id, "status": 2}),
    ] {
        let (status, code, _) = root.put("/api/user/", &body).refusal();
        assert_eq!((status, code.as_str()), (409, "last_root"));
    }
    let act = json!({"id": id, "action": "disable"});
    assert_eq!(root.post("/api/user/manage", &act).refusal().1, "last_root");
    assert_eq!(root.delete(&format!("/api/user/{id}")).refusal().0, 409);
    let second = office.session(office.hire("second", Role::Root).id, true);
    assert_eq!(
        second
            .put("/api/user/", &json!({"id": id, "role": 10}))
            .status,
        200
    );
}

async fn add_root(store: &Store, name: &str) -> UserId {
    let transaction = store.write().await.expect("the records work");
    let new = NewUser {
        username: name.to_owned(),
        email: None,
        display_name: String::new(),
        password_hash: None,
        role: Role::Root,
        group_name: "default".to_owned(),
        aff_code: name.to_owned(),
        inviter_id: None,
        created_at: 0,
    };
    let user = users::insert(&transaction, new)
        .await
        .expect("the records work");
    transaction.commit().await.expect("the records work");
    user.id
}

/// On PostgreSQL, where transactions really race.
#[tokio::test]
async fn two_roots_do_not_both_go_because_each_counts_the_other() {
    let url = tokio::task::spawn_blocking(|| empty_database("roots"));
    let location = Location::Postgres(url.await.unwrap());
    let store = Store::open(&location, &OpenOptions::default()).await;
    let store = store.unwrap();
    let transaction = store.write().await.unwrap();
    let made = groups::insert(&transaction, "default", "", 1_000_000, 0);
    made.await.unwrap();
    transaction.commit().await.unwrap();
    let (first, second) = (
        add_root(&store, "first").await,
        add_root(&store, "second").await,
    );
    let (one, other) = (store.write().await.unwrap(), store.write().await.unwrap());
    assert_eq!(users::other_roots(&one, first).await.unwrap(), 1);
    let go = async {
        let changes = UserChanges {
            role: Some(Role::User),
            ..UserChanges::default()
        };
        users::update(&one, first, changes).await.unwrap();
        one.commit().await.unwrap();
    };
    // The other asks first, and gets its answer when the first is gone.
    let (left, ()) = tokio::join!(biased; users::other_roots(&other, second), go);
    assert_eq!(left.unwrap(), 0);
}

#[test]
fn tokens_lose_the_groups_that_their_owner_loses() {
    let office = Office::open();
    office.records(async |store| {
        let transaction = store.write().await.unwrap();
        let made = groups::insert(&transaction, "vip", "", 500_000, 0);
        made.await.unwrap();
        transaction.commit().await.unwrap();
    });
    let change = |body: Value| office.root.put("/api/user/", &body).data();
    let token = |actor: &Actor, group: &str| {
        let made = actor.post("/api/token/", &json!({"name": "a", "group": group}));
        made.data()["id"].clone()
    };
    let groups = |actor: &Actor| {
        let listed = actor.get("/api/token/").data();
        let items = listed["items"].as_array().unwrap().clone();
        items
            .iter()
            .map(|each| (each["id"].clone(), each["group"].clone()))
            .collect::<Vec<_>>()
    };
    let (user, admin) = (&office.user, &office.administrator);
    change(json!({"id": user.id.0, "group": "vip"}));
    let of_user = token(user, "vip");
    change(json!({"id": user.id.0, "remark": "x"}));
    assert_eq!(groups(user), [(of_user.clone(), json!("vip"))]);
    change(json!({"id": user.id.0, "group": "default"}));
    assert_eq!(groups(user), [(of_user, Value::Null)]);
    let (strange, own) = (token(admin, "vip"), token(admin, "default"));
    change(json!({"id": admin.id.0, "role": 1}));
    let mut left = groups(admin);
    left.sort_by_key(|(id, _)| id.as_i64());
    assert_eq!(left, [(strange, Value::Null), (own, json!("default"))]);
}

#[test]
fn access_tokens_end_with_what_an_administrator_resets() {
    let office = Office::open();
    let (admin, user, other) = (&office.administrator, &office.user, &office.other_user);
    let change = json!({"id": user.id.0, "password": "another long password"});
    admin.put("/api/user/", &change).data();
    assert_eq!(user.get("/api/user/self").status, 401);
    assert_eq!(other.get("/api/user/self").status, 200);
    let act = json!({"id": other.id.0, "action": "reset_2fa"});
    admin.post("/api/user/manage", &act).data();
    assert_eq!(other.get("/api/user/self").status, 401);
}

#[test]
fn a_disabled_user_is_out_at_once_and_back_when_enabled() {
    let office = Office::open();
    let (admin, user) = (&office.administrator, &office.user);
    let version = |office: &Office| {
        office.records(async |store| {
            let user = store::users::get(store.read(), office.user.id).await;
            user.unwrap().unwrap().auth_version
        })
    };
    let before = version(&office);
    let act = |action: &str| {
        admin.post(
            "/api/user/manage",
            &json!({"id": user.id.0, "action": action}),
        )
    };
    assert_eq!(act("disable").data()["status"], json!(2));
    assert!(version(&office) > before, "sessions end");
    assert_eq!(user.get("/api/token/").status, 401);
    assert_eq!(act("enable").data()["status"], json!(1));
    assert_eq!(act("fly").status, 400);
    let change = json!({"id": user.id.0, "password": "another long password"});
    let before = version(&office);
    assert_eq!(admin.put("/api/user/", &change).status, 200);
    assert!(version(&office) > before, "a new password ends sessions");
    let before = version(&office);
    assert_eq!(
        admin
            .put("/api/user/", &json!({"id": user.id.0, "remark": "x"}))
            .status,
        200
    );
    assert_eq!(version(&office), before, "a note does not");
}

#[test]
fn balances_change_by_ledger_entries_with_reasons() {
    let office = Office::open();
    let (admin, id) = (&office.administrator, office.user.id.0);
    let add = |value: i64| {
        let act = json!({"id": id, "action": "add_quota", "value": value, "reason": "gift"});
        admin.post("/api/user/manage", &act)
    };
    assert_eq!(add(1_000).data()["quota"], json!(1_000));
    assert_eq!(add(-400).data()["quota_usd"], json!("0.0012"));
    assert_eq!(add(-601).refusal().0, 400, "never below zero");
    for value in [0, TOO_MUCH, -TOO_MUCH, i64::MAX, i64::MIN] {
        assert_eq!(add(value).refusal().0, 400, "{value}");
    }
    let same = json!({"id": id, "quota": 600});
    assert_eq!(admin.put("/api/user/", &same).data()["quota"], json!(600));
    office.records(async |store| {
        let all = AuditFilter {
            object_id: Some(id.to_string()),
            ..AuditFilter::default()
        };
        let entries = audit_log::page(store.read(), &all, None, 10)
            .await
            .unwrap()
            .items;
        let last = &entries[0];
        assert_eq!(last.action, "user.update");
        assert_eq!(last.changes.0, json!({}), "the same balance is no movement");
        let change = &entries[1].changes.0["quota"];
        assert_eq!(
            (entries[1].action.as_str(), change),
            ("user.add_quota", &json!({"from": 1000, "to": 600}))
        );
        assert_eq!(entries[1].actor_id, Some(office.administrator.id));
        assert!(entries[1].ip.is_some() && entries[1].request_id.is_some());
    });
}

#[test]
fn users_are_for_administrators_only() {
    let office = Office::open();
    let id = office.user.id.0;
    for (actor, status) in [
        (&office.nobody, 401),
        (&office.user, 403),
        (&office.other_user, 403),
    ] {
        assert_eq!(actor.get("/api/user/").refusal().0, status);
        assert_eq!(actor.get(&format!("/api/user/{id}")).refusal().0, status);
        assert_eq!(
            actor.put("/api/user/", &json!({"id": id})).refusal().0,
            status
        );
        assert_eq!(actor.post("/api/user/", &json!({})).refusal().0, status);
        assert_eq!(
            actor.post("/api/user/manage", &json!({})).refusal().0,
            status
        );
        assert_eq!(actor.delete(&format!("/api/user/{id}")).refusal().0, status);
    }
}

#[test]
fn administrators_see_and_end_the_sessions_of_those_below_them() {
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "ann", "password": "correct horse battery"});
    let ann = browser.post("/api/user/register", &body).data()["id"].clone();
    let path = format!("/api/user/{ann}/sessions");
    let listed = office.administrator.get(&path).data();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["is_current"], false);
    assert_eq!(office.user.get(&path).status, 403);
    let own = format!("/api/user/{}/sessions", office.administrator.id.0);
    assert_eq!(
        office.administrator.get(&own).status,
        403,
        "not of one's own level"
    );
    assert_eq!(office.administrator.delete(&path).status, 200);
    assert_eq!(browser.get("/api/user/self").status, 401);
}

#[test]
fn whoever_leaves_shows_the_password_and_the_last_root_stays() {
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "ann", "password": "correct horse battery"});
    browser.post("/api/user/register", &body).data();
    let leave = |password: Option<&str>| {
        let body = json!({ "password": password });
        browser.call("DELETE", "/api/user/self", &[], Some(&body))
    };
    assert_eq!(leave(None).refusal().0, 400);
    assert_eq!(
        leave(Some("wrong horse battery")).refusal().1,
        "password_wrong"
    );
    assert_eq!(leave(Some("correct horse battery")).status, 200);
    assert_eq!(browser.get("/api/user/self").status, 401);
    let again = browser.post("/api/user/login", &body);
    assert_eq!(again.refusal().1, "login_failed");
    let none = json!({});
    let by_token = office.user.call("DELETE", "/api/user/self", Some(&none));
    assert_eq!(by_token.refusal().1, "session_required");
}

#[test]
fn users_are_sorted_as_asked() {
    let office = Office::open();
    let names = |sort: &str| {
        let page = office
            .administrator
            .get(&format!("/api/user/?sort={sort}"))
            .data();
        let items = page["items"].as_array().unwrap().clone();
        let name = |user: &Value| user["username"].as_str().unwrap().to_owned();
        items.iter().map(name).collect::<Vec<_>>()
    };
    let upwards = names("username");
    let mut downwards = names("-username");
    downwards.reverse();
    assert!(upwards.is_sorted() && upwards == downwards, "{upwards:?}");
    assert_eq!(names("last_login_at").len(), upwards.len());
}
