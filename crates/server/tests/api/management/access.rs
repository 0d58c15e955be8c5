//! Who may call what: every route of the management interface, by every level, from one table. It
//! fails when a route is missing from it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use server::management::frame::AccessScope;
use server::management::frame::Level::{self, Administrator, None as Anyone, Root, User};
use server::management::table::{AccessRule, access_table};
use store::sessions::{self, NewSession};
use store::{access_tokens, identities, passkeys};

use crate::support::{Actor, Browser, Connection, Office, Reply};

/// Makes an object of the other user and gives its id.
type Foreign = fn(&Office) -> i64;

/// A route, its level, and for users' own objects how somebody else's is made.
struct Rule(&'static str, &'static str, Level, Option<Foreign>);

const RULES: &[Rule] = &[
    Rule("GET", "/api/channel/", Administrator, None),
    Rule("POST", "/api/channel/", Administrator, None),
    Rule("PUT", "/api/channel/", Administrator, None),
    Rule("POST", "/api/channel/batch", Administrator, None),
    Rule("POST", "/api/channel/fetch_models", Administrator, None),
    Rule("POST", "/api/channel/test", Administrator, None),
    Rule("POST", "/api/channel/test_matrix", Administrator, None),
    Rule("GET", "/api/channel/{id}", Administrator, None),
    Rule("DELETE", "/api/channel/{id}", Administrator, None),
    Rule("POST", "/api/channel/{id}/balance", Administrator, None),
    Rule("GET", "/api/channel/{id}/keys", Administrator, None),
    Rule("POST", "/api/channel/{id}/keys", Administrator, None),
    Rule("POST", "/api/channel/{id}/state", Administrator, None),
    Rule("GET", "/api/connect/recipes", User, None),
    Rule("GET", "/api/group/", Administrator, None),
    Rule("POST", "/api/group/", Administrator, None),
    Rule("PUT", "/api/group/", Administrator, None),
    Rule("DELETE", "/api/group/{id}", Administrator, None),
    Rule("GET", "/api/import/", Root, None),
    Rule("POST", "/api/import/", Root, None),
    Rule("GET", "/api/import/{id}", Root, None),
    Rule("POST", "/api/import/{id}/undo", Root, None),
    Rule("GET", "/api/model/meta", User, None),
    Rule("GET", "/api/oauth/{provider}", Anyone, None),
    Rule("GET", "/api/oauth/{provider}/callback", Anyone, None),
    Rule("POST", "/api/oauth/{provider}/link", User, None),
    Rule("GET", "/api/openapi.json", Anyone, None),
    Rule("GET", "/api/price/", Administrator, None),
    Rule("POST", "/api/price/", Administrator, None),
    Rule("GET", "/api/price/history", Administrator, None),
    Rule("POST", "/api/price/sync", Administrator, None),
    Rule("POST", "/api/price/sync/preview", Administrator, None),
    Rule("DELETE", "/api/price/{id}", Administrator, None),
    Rule("GET", "/api/provider/", Administrator, None),
    Rule("GET", "/api/route/coverage", Administrator, None),
    Rule("GET", "/api/route/explain", Administrator, None),
    Rule("POST", "/api/route/explain", Administrator, None),
    Rule("GET", "/api/audit/", Administrator, None),
    Rule("GET", "/api/incident/", Administrator, None),
    Rule("GET", "/api/incident/{id}", Administrator, None),
    Rule("POST", "/api/incident/test", Administrator, None),
    Rule(
        "POST",
        "/api/incident/{id}/acknowledge",
        Administrator,
        None,
    ),
    Rule("POST", "/api/incident/{id}/action", Administrator, None),
    Rule("POST", "/api/incident/{id}/note", Administrator, None),
    Rule("POST", "/api/incident/{id}/resolve", Administrator, None),
    Rule("GET", "/api/log/", Administrator, None),
    Rule("GET", "/api/log/export", User, None),
    Rule("GET", "/api/log/self", User, None),
    Rule("GET", "/api/log/stream", User, None),
    Rule("GET", "/api/log/{request_id}", User, None),
    Rule("GET", "/api/notice/", Anyone, None),
    Rule("POST", "/api/notice/", Administrator, None),
    Rule("PUT", "/api/notice/", Administrator, None),
    Rule("GET", "/api/notice/all", Administrator, None),
    Rule("DELETE", "/api/notice/{id}", Administrator, None),
    Rule("GET", "/api/option/", Administrator, None),
    Rule("PUT", "/api/option/", Root, None),
    Rule("GET", "/api/payment/delivery/", Administrator, None),
    Rule("POST", "/api/payment/delivery/replay", Administrator, None),
    Rule("POST", "/api/payment/webhook", Anyone, None),
    Rule("GET", "/api/redemption/", Administrator, None),
    Rule("POST", "/api/redemption/", Administrator, None),
    Rule("PUT", "/api/redemption/", Administrator, None),
    Rule("POST", "/api/redemption/redeem", User, None),
    Rule("DELETE", "/api/redemption/{id}", Administrator, None),
    Rule("GET", "/api/setup", Anyone, None),
    Rule("POST", "/api/setup", Anyone, None),
    Rule("GET", "/api/stats/breakdown", User, None),
    Rule("GET", "/api/stats/channel_health", Administrator, None),
    Rule("GET", "/api/stats/errors", Administrator, None),
    Rule("GET", "/api/stats/percentiles", User, None),
    Rule("GET", "/api/stats/summary", User, None),
    Rule("GET", "/api/stats/timeseries", User, None),
    Rule("GET", "/api/stats/top", User, None),
    Rule("GET", "/api/status", Anyone, None),
    Rule("GET", "/api/status/models", Anyone, None),
    Rule("GET", "/api/system/", Administrator, None),
    Rule("POST", "/api/system/backup", Root, None),
    Rule("GET", "/api/system/backup/{ticket}", Root, None),
    Rule("GET", "/api/model/catalogue", Anyone, None),
    Rule("GET", "/api/user/aff/{code}", Anyone, None),
    Rule("POST", "/api/playground/token", User, None),
    Rule("GET", "/api/task/", User, None),
    Rule("GET", "/api/task/{task_id}", User, None),
    Rule("POST", "/api/task/{task_id}/cancel", User, None),
    Rule("GET", "/api/token/", User, None),
    Rule("POST", "/api/token/", User, None),
    Rule("PUT", "/api/token/", User, None),
    Rule("POST", "/api/token/batch", User, None),
    Rule("GET", "/api/token/{id}", User, Some(token)),
    Rule("DELETE", "/api/token/{id}", User, Some(token)),
    Rule("POST", "/api/token/{id}/rotate", User, Some(token)),
    Rule("GET", "/api/token/{id}/usage", User, Some(token)),
    Rule("GET", "/api/topup/", User, None),
    Rule("POST", "/api/topup/", User, None),
    Rule("GET", "/api/topup/all", Administrator, None),
    Rule("GET", "/api/topup/info", User, None),
    Rule("GET", "/api/topup/{order_id}", User, None),
    Rule("GET", "/api/user/", Administrator, None),
    Rule("POST", "/api/user/", Administrator, None),
    Rule("PUT", "/api/user/", Administrator, None),
    Rule("GET", "/api/user/{id}", Administrator, None),
    Rule("DELETE", "/api/user/{id}", Administrator, None),
    Rule("POST", "/api/user/2fa/backup_codes", User, None),
    Rule("POST", "/api/user/2fa/disable", User, None),
    Rule("POST", "/api/user/2fa/enable", User, None),
    Rule("POST", "/api/user/2fa/setup", User, None),
    Rule("GET", "/api/user/2fa/status", User, None),
    Rule("GET", "/api/user/identities", User, None),
    Rule("DELETE", "/api/user/identities/{id}", User, Some(identity)),
    Rule("GET", "/api/user/groups", User, None),
    Rule("GET", "/api/user/models", User, None),
    Rule("GET", "/api/user/aff", User, None),
    Rule("POST", "/api/user/aff_transfer", User, None),
    Rule("POST", "/api/user/import", Administrator, None),
    Rule("POST", "/api/user/login", Anyone, None),
    Rule("POST", "/api/user/login/2fa", Anyone, None),
    Rule("POST", "/api/user/logout", Anyone, None),
    Rule("POST", "/api/user/manage", Administrator, None),
    Rule("GET", "/api/user/passkey", User, None),
    Rule("DELETE", "/api/user/passkey/{id}", User, Some(passkey)),
    Rule("POST", "/api/user/passkey/login/begin", Anyone, None),
    Rule("POST", "/api/user/passkey/login/finish", Anyone, None),
    Rule("POST", "/api/user/passkey/register/begin", User, None),
    Rule("POST", "/api/user/passkey/register/finish", User, None),
    Rule("POST", "/api/user/passkey/verify/begin", User, None),
    Rule("POST", "/api/user/passkey/verify/finish", User, None),
    Rule("GET", "/api/user/pat", User, None),
    Rule("POST", "/api/user/pat", User, None),
    Rule("DELETE", "/api/user/pat/{id}", User, Some(access_token)),
    Rule("POST", "/api/user/register", Anyone, None),
    Rule("POST", "/api/user/reset", Anyone, None),
    Rule("DELETE", "/api/user/self", User, None),
    Rule("GET", "/api/user/{id}/sessions", Administrator, None),
    Rule("DELETE", "/api/user/{id}/sessions", Administrator, None),
    Rule("GET", "/api/user/self", User, None),
    Rule("PUT", "/api/user/self", User, None),
    Rule("GET", "/api/user/sessions", User, None),
    Rule("DELETE", "/api/user/sessions", User, None),
    Rule("DELETE", "/api/user/sessions/{id}", User, Some(session)),
    Rule("POST", "/api/user/verification", Anyone, None),
    Rule("GET", "/api/verify", User, None),
    Rule("POST", "/api/verify", User, None),
];

fn access_token(office: &Office) -> i64 {
    office.records(async |store| {
        let owner = office.other_user.id;
        let tokens = access_tokens::list(store.read(), owner)
            .await
            .expect("the records work");
        tokens[0].id.0
    })
}

fn token(office: &Office) -> i64 {
    let made = office
        .other_user
        .post("/api/token/", &serde_json::json!({"name": "x"}));
    made.data()["id"].as_i64().expect("an id")
}

fn identity(office: &Office) -> i64 {
    office.records(async |store| {
        let transaction = store.write().await.expect("the records work");
        let new = identities::NewIdentity {
            user_id: office.other_user.id,
            issuer: "https://id.example",
            subject: "otto",
            label: "otto",
        };
        let made = identities::insert(&transaction, new, 0).await;
        transaction.commit().await.expect("the records work");
        made.expect("the records work").id.0
    })
}

fn passkey(office: &Office) -> i64 {
    office.records(async |store| {
        let transaction = store.write().await.expect("the records work");
        let owner = office.other_user.id;
        let made = passkeys::insert(&transaction, owner, &[1], "phone", "{}", 0).await;
        transaction.commit().await.expect("the records work");
        made.expect("the records work").id.0
    })
}

fn session(office: &Office) -> i64 {
    office.records(async |store| {
        let transaction = store.write().await.expect("the records work");
        let new = NewSession {
            secret_hash: vec![1],
            user_id: office.other_user.id,
            auth_version: 0,
            ip: None,
            user_agent: None,
            now: 0,
            expires_at: i64::MAX,
            is_proved: true,
        };
        let made = sessions::insert(&transaction, new)
            .await
            .expect("the records work");
        transaction.commit().await.expect("the records work");
        made.id.0
    })
}

#[test]
fn every_route_is_in_the_table_with_its_level() {
    let text = |method: &str, path: &str, level: Level| format!("{method} {path} {level:?}");
    let served: BTreeSet<String> = access_table()
        .iter()
        .map(|rule| text(&rule.method, rule.path, rule.level))
        .collect();
    let listed: BTreeSet<String> = RULES
        .iter()
        .map(|Rule(method, path, level, _)| text(method, path, *level))
        .collect();
    let unlisted: Vec<_> = served.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&served).collect();
    assert!(unlisted.is_empty(), "add to RULES: {unlisted:#?}");
    assert!(gone.is_empty(), "remove from RULES: {gone:#?}");
}

#[test]
fn every_route_refuses_levels_below_its_own_and_no_others() {
    let office = Office::open();
    let people: [(&Actor, Option<Level>); 4] = [
        (&office.nobody, None),
        (&office.user, Some(User)),
        (&office.administrator, Some(Administrator)),
        (&office.root, Some(Root)),
    ];
    for Rule(method, path, level, _) in RULES {
        for (actor, has) in &people {
            let place = format!("{method} {path} by {has:?}");
            let reply = head(&office, actor, method, &filled(path, 999_999_999));
            let refused = refusal_by_level(&reply);
            match has {
                None if *level == Anyone => assert_ne!(refused, Some(401), "{place}: {reply:?}"),
                None => assert_eq!(refused, Some(401), "{place}: {reply:?}"),
                Some(has) if has < level => assert_eq!(refused, Some(403), "{place}: {reply:?}"),
                Some(_) => assert_eq!(refused, None, "{place}: {reply:?}"),
            }
        }
    }
}

#[test]
fn an_object_of_somebody_else_does_not_exist() {
    for Rule(method, path, level, foreign) in RULES {
        let is_own = *level == User && path.contains("{id}");
        assert_eq!(
            is_own,
            foreign.is_some(),
            "{method} {path}: say whose object it is"
        );
    }
    let office = Office::open();
    let browser = Browser::new(office.app.address);
    let body = json!({"username": "ann", "password": "correct horse battery"});
    browser.post("/api/user/register", &body).data();
    for Rule(method, path, _, foreign) in RULES {
        if let Some(make) = foreign {
            let path = filled(path, make(&office));
            let reply = browser.call(method, &path, &[], None);
            assert_eq!(reply.status, 404, "{method} {path}: {reply:?}");
        }
    }
}

/// Routes that are a step-up as a whole. Taking one out is a decision.
const STEP_UPS: [&str; 10] = [
    "DELETE /api/user/identities/{id}",
    "DELETE /api/user/passkey/{id}",
    "POST /api/import/",
    "POST /api/oauth/{provider}/link",
    "POST /api/system/backup",
    "POST /api/user/2fa/enable",
    "POST /api/user/2fa/setup",
    "POST /api/user/passkey/register/begin",
    "POST /api/user/passkey/register/finish",
    "POST /api/user/pat",
];

/// Routes that move money.
const MONEY: [&str; 10] = [
    "DELETE /api/price/{id}",
    "DELETE /api/redemption/{id}",
    "POST /api/payment/delivery/replay",
    "POST /api/price/",
    "POST /api/price/sync",
    "POST /api/redemption/",
    "POST /api/redemption/redeem",
    "POST /api/topup/",
    "POST /api/user/aff_transfer",
    "PUT /api/redemption/",
];

fn listed(is_in: impl Fn(&AccessRule) -> bool) -> Vec<String> {
    let rules = access_table().into_iter().filter(is_in);
    let mut listed: Vec<String> = rules
        .map(|rule| format!("{} {}", rule.method, rule.path))
        .collect();
    listed.sort();
    listed
}

#[test]
fn every_step_up_takes_a_fresh_login_and_no_access_token() {
    assert_eq!(listed(|rule| rule.needs_step_up), STEP_UPS);
    let office = Office::open();
    let stale = office.session(office.root.id, false);
    let token = office.access_token(office.root.id, "read write billing ");
    for rule in access_table() {
        let path = filled(rule.path, 999_999_999);
        let body = json!({});
        let body = Some(&body).filter(|_| rule.method != "GET");
        if rule.needs_step_up {
            let refused = stale.call(&rule.method, &path, body).refusal();
            assert_eq!(
                (refused.0, &*refused.1),
                (403, "step_up_required"),
                "{path}"
            );
            let refused = token.call(&rule.method, &path, body).refusal();
            assert_eq!(
                (refused.0, &*refused.1),
                (403, "session_required"),
                "{path}"
            );
        }
    }
}

#[test]
fn every_route_takes_one_scope_of_an_access_token() {
    assert_eq!(listed(|rule| rule.scope == AccessScope::Billing), MONEY);
    let office = Office::open();
    let token =
        |scopes: &[AccessScope]| office.access_token(office.root.id, &AccessScope::joined(scopes));
    for scope in AccessScope::ALL {
        let others: Vec<_> = AccessScope::ALL
            .into_iter()
            .filter(|one| *one != scope)
            .collect();
        let (with, without) = (token(&[scope]), token(&others));
        let is_its = |rule: &AccessRule| rule.level > Anyone && rule.scope == scope;
        for rule in access_table().into_iter().filter(is_its) {
            let place = format!("{} {}", rule.method, rule.path);
            let path = filled(rule.path, 999_999_999);
            let code = |actor: &Actor| {
                let reply = head(&office, actor, &rule.method, &path);
                let body = reply.body.split("\"code\":\"").nth(1);
                body.and_then(|rest| rest.split('"').next())
                    .map(str::to_owned)
            };
            let refused = if rule.is_session_only {
                "session_required"
            } else {
                "insufficient_scope"
            };
            assert_eq!(code(&without).as_deref(), Some(refused), "{place}");
            assert_ne!(
                code(&with).as_deref(),
                Some("insufficient_scope"),
                "{place}"
            );
        }
    }
}

#[test]
fn acts_on_administrators_and_sensitive_settings_are_step_ups() {
    let office = Office::open();
    let stale = office.session(office.root.id, false);
    let token = office.access_token(office.root.id, "read write billing ");
    let (root, adam, uma) = (
        office.root.id.0,
        office.administrator.id.0,
        office.user.id.0,
    );
    let made = json!({"username": "new", "password": "correct horse battery", "role": 10});
    let setting = |key: &str, value: Value| json!({"values": {key: value}});
    for (line, body) in [
        ("POST /api/user/", made),
        ("PUT /api/user/", json!({"id": uma, "role": 10})),
        (
            "PUT /api/user/",
            json!({"id": adam, "password": "another long password"}),
        ),
        ("PUT /api/user/", json!({"id": root, "display_name": "me"})),
        (
            "POST /api/user/manage",
            json!({"id": adam, "action": "reset_2fa"}),
        ),
        (
            "POST /api/user/manage",
            json!({"id": root, "action": "add_quota", "value": 1}),
        ),
        ("PUT /api/user/self", json!({"email": "root@example.org"})),
        (
            "PUT /api/option/",
            setting("server.public_url", json!("https://evil.example")),
        ),
        (
            "PUT /api/option/",
            setting("mail.host", json!("evil.example")),
        ),
        (
            "PUT /api/option/",
            setting("payments.stripe.webhook_secret", json!("whsec_evil")),
        ),
        (
            "PUT /api/option/",
            setting("alerts.webhook_url", json!("https://evil.example")),
        ),
    ] {
        let (method, path) = line.split_once(' ').expect("a line");
        let code = |actor: &Actor| actor.call(method, path, Some(&body)).refusal();
        assert_eq!(&*code(&stale).1, "step_up_required", "{line} {body}");
        assert_eq!(&*code(&token).1, "session_required", "{line} {body}");
    }
    let file = b"username,role,password\nnew,administrator,correct horse battery\n";
    let refused = stale.upload("/api/user/import", file).refusal();
    assert_eq!(refused.1, "step_up_required");
    let adam_goes = format!("/api/user/{adam}");
    assert_eq!(stale.delete(&adam_goes).refusal().1, "step_up_required");
    // What concerns no administrator goes on without.
    let plain = json!({"username": "ann", "password": "correct horse battery"});
    stale.post("/api/user/", &plain).data();
    stale
        .put("/api/option/", &setting("console.name", json!("Gate")))
        .data();
    // Adam is unharmed, and goes with a fresh login.
    assert_eq!(office.administrator.get("/api/user/self").status, 200);
    office.root.delete(&adam_goes).data();
}

#[test]
fn balances_and_multipliers_take_the_scope_billing() {
    let office = Office::open();
    let token = office.access_token(office.root.id, "read write");
    let uma = office.user.id.0;
    for (line, body) in [
        ("PUT /api/user/", json!({"id": uma, "quota": 500})),
        (
            "POST /api/user/manage",
            json!({"id": uma, "action": "add_quota", "value": 1}),
        ),
        (
            "POST /api/group/",
            json!({"name": "vip", "multiplier": "0"}),
        ),
        (
            "POST /api/user/",
            json!({"username": "ann", "password": "correct horse battery", "quota": 1}),
        ),
        (
            "PUT /api/option/",
            json!({"values": {"referral.inviter_usd": "1"}}),
        ),
    ] {
        let (method, path) = line.split_once(' ').expect("a line");
        let refused = token.call(method, path, Some(&body)).refusal();
        assert_eq!(
            (refused.0, &*refused.1),
            (403, "insufficient_scope"),
            "{line}"
        );
    }
    let balance = office.root.get(&format!("/api/user/{uma}")).data();
    assert_eq!(balance["quota"], 0);
    token
        .put("/api/user/", &json!({"id": uma, "remark": "x"}))
        .data();
}

/// 401, or 403 for the role; none where the route itself decided.
fn refusal_by_level(reply: &Reply) -> Option<u16> {
    let is_about_role = reply.body.contains("Your role does not allow this.");
    match reply.status {
        401 => Some(401),
        403 if is_about_role => Some(403),
        _ => None,
    }
}

fn filled(path: &str, id: i64) -> String {
    path.replace("{id}", &id.to_string())
        .replace(['{', '}'], "")
}

/// Calls with an empty object, and reads no more than what arrives at first: some routes answer
/// without end.
fn head(office: &Office, actor: &Actor, method: &str, path: &str) -> Reply {
    let mut connection = Connection::open(office.app.address);
    let bearer = actor.token.as_ref();
    let bearer = bearer.map(|token| format!("authorization: Bearer {token}\r\n"));
    let body = if method == "GET" { "" } else { "{}" };
    connection.write(&format!(
        "{method} {path} HTTP/1.1\r\nhost: gate.example\r\nconnection: close\r\n{}\
         content-length: {}\r\n\r\n{body}",
        bearer.unwrap_or_default(),
        body.len(),
    ));
    connection.read_start()
}
