//! Tokens as their owners manage them, and what calls make of it at once.

use std::time::Duration;

use serde_json::{Value, json};
use store::audit_log::{self, AuditFilter};
use store::groups;
use store::tokens::{self, NewToken, TokenChanges};

use crate::support::{Actor, Office, Reply, send};

fn make(actor: &Actor, body: &Value) -> Value {
    actor.post("/api/token/", body).data()
}

/// Lists models with a token: what says whether it works.
fn try_out(office: &Office, key: &str) -> Reply {
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", bearer.as_str())];
    send(office.app.address, "GET /v1/models", &headers, "")
}

#[test]
fn a_token_is_made_shown_once_and_works() {
    let office = Office::open();
    let made = make(
        &office.user,
        &json!({"name": "first", "rpm": 60, "tpm": 0, "models": ["demo-chat"],
            "budget_total": 500_000, "budget_daily_usd": "0.25", "cidrs": ["127.0.0.1"],
            "expires_at": "2027-01-01T00:00:00Z"}),
    );
    let key = made["key"].as_str().unwrap();
    assert!(key.starts_with("sk-") && key.len() == 51, "{key}");
    assert_eq!(made["prefix"], json!(key[..8]));
    assert_eq!((&made["rpm"], &made["tpm"]), (&json!(60), &Value::Null));
    assert_eq!(
        (&made["budget_total_usd"], &made["budget_daily"]),
        (&json!("1"), &json!(125_000))
    );
    assert_eq!(made["cidrs"], json!(["127.0.0.1/32"]));
    assert_eq!(made["expires_at"], json!("2027-01-01T00:00:00Z"));
    let models = try_out(&office, key).json();
    let ids: Vec<&Value> = models["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["id"])
        .collect();
    assert_eq!(ids, [&json!("demo-chat")]);

    let listed = office.user.get("/api/token/").data();
    assert_eq!(listed["total"], json!(1));
    assert!(listed["items"][0].get("key").is_none());
    assert!(!office.user.get("/api/token/").body.contains(key));
    assert_eq!(
        office.user.get("/api/token?search=irs").data()["total"],
        json!(1)
    );
    assert_eq!(
        office.user.get("/api/token?search=zzz").data()["total"],
        json!(0)
    );
}

#[test]
fn a_token_is_changed_paused_and_deleted_at_once() {
    let office = Office::open();
    let made = make(&office.user, &json!({"name": "a", "rpm": 5}));
    let (id, key) = (made["id"].as_i64().unwrap(), made["key"].as_str().unwrap());
    assert_eq!(try_out(&office, key).status, 200);
    let change = |body: Value| office.user.put("/api/token/", &body);
    let paused = change(json!({"id": id, "status": 2})).data();
    assert_eq!((&paused["status"], &paused["rpm"]), (&json!(2), &json!(5)));
    assert_eq!(try_out(&office, key).status, 401);
    let resumed = change(json!({"id": id, "status": 1, "rpm": null, "name": "b"})).data();
    assert_eq!(
        (&resumed["name"], &resumed["rpm"]),
        (&json!("b"), &Value::Null)
    );
    assert_eq!(try_out(&office, key).status, 200);
    assert_eq!(office.user.delete(&format!("/api/token/{id}")).status, 200);
    assert_eq!(try_out(&office, key).status, 401);
    assert_eq!(office.user.delete(&format!("/api/token/{id}")).status, 404);
    office.records(async |store| {
        let of_tokens = AuditFilter {
            object_kind: Some("token".to_owned()),
            ..AuditFilter::default()
        };
        let entries = audit_log::page(store.read(), &of_tokens, None, 10)
            .await
            .unwrap()
            .items;
        let acts: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
        let expected = [
            "token.delete",
            "token.update",
            "token.update",
            "token.create",
        ];
        assert_eq!(acts, expected);
        assert_eq!(
            entries[2].changes.0,
            json!({"status": {"from": 1, "to": 2}})
        );
    });
}

#[test]
fn rotation_kills_the_former_secret_unless_an_overlap_is_asked_for() {
    let office = Office::open();
    let made = make(&office.user, &json!({"name": "a"}));
    let (id, first) = (&made["id"], made["key"].as_str().unwrap());
    let rotate = |body: Value| office.user.post(&format!("/api/token/{id}/rotate"), &body);
    let second = rotate(json!({"overlap_s": 60})).data()["key"].clone();
    let second = second.as_str().unwrap();
    assert_eq!(
        (
            try_out(&office, first).status,
            try_out(&office, second).status
        ),
        (200, 200)
    );
    // The overlap ends on time, though the node has just seen the former secret.
    office.app.clock.advance(Duration::from_mins(1));
    for (key, status) in [(first, 401), (second, 200)] {
        assert_eq!(try_out(&office, key).status, status);
    }
    let third = rotate(json!({})).data()["key"].clone();
    let third = third.as_str().unwrap();
    for (key, status) in [(first, 401), (second, 401), (third, 200)] {
        assert_eq!(try_out(&office, key).status, status);
    }
    assert_eq!(rotate(json!({"overlap_s": -1})).refusal().0, 400);
    assert_eq!(rotate(json!({"overlap_s": "long"})).refusal().0, 400);
}

#[test]
fn what_cannot_be_a_token_is_refused_by_the_name_of_the_field() {
    let office = Office::open();
    for (body, words) in [
        (json!({}), "name: is required"),
        (json!({"name": " "}), "name: must have"),
        (
            json!({"name": "a", "cidrs": ["10.0.0.0/8", "nonsense"]}),
            "cidrs[1]: must be",
        ),
        (
            json!({"name": "a", "endpoints": ["chat"]}),
            "endpoints[0]: must be a path",
        ),
        (json!({"name": "a", "rpm": -1}), "rpm: must not"),
        (json!({"name": "a", "rpm": "many"}), "rpm: invalid type"),
        (
            json!({"name": "a", "budget_total": -1}),
            "budget_total: must be",
        ),
        (
            json!({"name": "a", "budget_daily_usd": "-1"}),
            "budget_daily_usd: must be",
        ),
        (
            json!({"name": "a", "expires_at": "soon"}),
            "expires_at: expected a time",
        ),
        (
            json!({"name": "a", "group": "nowhere"}),
            "group: is not one",
        ),
    ] {
        let (status, _, message) = office.user.post("/api/token/", &body).refusal();
        assert_eq!(status, 400, "{body}");
        assert!(message.contains(words), "{message}");
    }
    assert!(
        office
            .user
            .put("/api/token/", &json!({}))
            .refusal()
            .2
            .contains("id: is required")
    );
}

#[test]
fn rights_are_a_part_of_the_owners() {
    let office = Office::open();
    office.records(async |store| {
        let transaction = store.write().await.unwrap();
        groups::insert(&transaction, "vip", "", 500_000, 0)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    });
    let vip = json!({"name": "a", "group": "vip"});
    assert_eq!(office.user.post("/api/token/", &vip).refusal().0, 400);
    assert_eq!(
        office.administrator.post("/api/token/", &vip).data()["group"],
        json!("vip")
    );
    let own = json!({"name": "a", "group": "default"});
    let made = office.user.post("/api/token/", &own).data();
    let change = json!({"id": made["id"], "group": "vip"});
    assert_eq!(office.user.put("/api/token/", &change).refusal().0, 400);
    assert_eq!(
        office.administrator.put("/api/token/", &change).refusal().0,
        400
    );
}

#[test]
fn users_choose_groups_that_are_offered_and_lose_them_when_they_are_not() {
    let office = Office::open();
    let (admin, user) = (&office.administrator, &office.user);
    let fast = json!({"name": "fast", "description": "short queues", "multiplier": "1.5",
        "is_selectable": true});
    let fast = admin.post("/api/group/", &fast).data();
    assert_eq!(fast["is_selectable"], json!(true));
    admin.post("/api/group/", &json!({"name": "secret"})).data();
    let channel = json!({"name": "fast", "type": "demo", "models": ["quick=demo-chat"],
        "groups": ["fast"]});
    admin.post("/api/channel/", &channel).data();

    let choices = user.get("/api/user/groups").data();
    let own = json!({"name": "default", "description": "", "multiplier": "1", "is_own": true});
    let offered = json!({"name": "fast", "description": "short queues", "multiplier": "1.5",
        "is_own": false});
    assert_eq!(choices, json!([own, offered]));
    let all = admin.get("/api/user/groups").data();
    assert_eq!(all.as_array().unwrap().len(), 3);

    let models = user.get("/api/user/models?group=fast").data();
    assert_eq!(models, json!(["quick"]));
    let described = user.get("/api/model/meta?group=fast").data();
    assert_eq!(described[0]["multiplier"], json!("1.5"));
    assert_eq!(user.get("/api/user/models?group=secret").refusal().0, 400);
    let hidden = json!({"name": "a", "group": "secret"});
    assert_eq!(user.post("/api/token/", &hidden).refusal().0, 400);

    let made = make(user, &json!({"name": "a", "group": "fast"}));
    let of_admin = make(admin, &json!({"name": "b", "group": "fast"}));
    // Moving to another group takes away no choice that everybody has.
    let moved = json!({"id": user.id.0, "group": "secret"});
    office.root.put("/api/user/", &moved).data();
    let group = |actor: &Actor, token: &Value| {
        let shown = actor.get(&format!("/api/token/{}", token["id"])).data();
        shown["group"].clone()
    };
    assert_eq!(group(user, &made), json!("fast"));

    let closed = json!({"id": fast["id"], "is_selectable": false});
    let closed = admin.put("/api/group/", &closed).data();
    assert_eq!(closed["token_count"], json!(1), "the administrator's own");
    assert_eq!(group(user, &made), Value::Null);
    assert_eq!(group(admin, &of_admin), json!("fast"));
    let again = json!({"id": made["id"], "group": "fast"});
    assert_eq!(user.put("/api/token/", &again).refusal().0, 400);
}

#[test]
fn others_tokens_do_not_exist_for_users_and_are_managed_by_administrators() {
    let office = Office::open();
    let made = make(&office.user, &json!({"name": "mine"}));
    let id = &made["id"];
    let other = &office.other_user;
    assert_eq!(other.get(&format!("/api/token/{id}")).status, 404);
    assert_eq!(
        other
            .put("/api/token/", &json!({"id": id, "status": 2}))
            .status,
        404
    );
    assert_eq!(other.delete(&format!("/api/token/{id}")).status, 404);
    assert_eq!(
        other
            .post(&format!("/api/token/{id}/rotate"), &json!({}))
            .status,
        404
    );
    assert_eq!(other.get(&format!("/api/token/{id}/usage")).status, 404);
    assert_eq!(other.get("/api/token/").data()["total"], json!(0));
    let owner = office.user.id.0;
    assert_eq!(
        other.get(&format!("/api/token/?user_id={owner}")).status,
        403
    );

    let admin = &office.administrator;
    let listed = admin.get(&format!("/api/token/?user_id={owner}")).data();
    assert_eq!(listed["items"][0]["name"], json!("mine"));
    assert_eq!(admin.get("/api/token/?user_id=0").data()["total"], json!(1));
    assert_eq!(
        admin
            .post(&format!("/api/token/{id}/rotate"), &json!({}))
            .status,
        403
    );
    assert_eq!(
        admin
            .put("/api/token/", &json!({"id": id, "status": 2}))
            .status,
        200
    );
    let of_root = make(&office.root, &json!({"name": "root's"}));
    let change = json!({"id": of_root["id"], "status": 2});
    assert_eq!(admin.put("/api/token/", &change).status, 403);
}

#[test]
fn declared_tokens_are_shown_and_not_changed() {
    let office = Office::open();
    let id = office.records(async |store| {
        let transaction = store.write().await.unwrap();
        let new = NewToken {
            user_id: office.user.id,
            name: "ci".to_owned(),
            prefix: "sk-ci".to_owned(),
            secret_hash: vec![7; 32],
            is_declared: true,
            now: 0,
        };
        let token = tokens::insert(&transaction, new, TokenChanges::default())
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        token.id
    });
    assert_eq!(
        office.user.get("/api/token/").data()["items"][0]["is_declared"],
        json!(true)
    );
    let (status, code, message) = office
        .user
        .put("/api/token/", &json!({"id": id, "name": "x"}))
        .refusal();
    assert_eq!((status, code.as_str()), (409, "declared"));
    assert!(message.contains("configuration file"), "{message}");
    assert_eq!(office.user.delete(&format!("/api/token/{id}")).status, 409);
    assert_eq!(
        office
            .user
            .post(&format!("/api/token/{id}/rotate"), &json!({}))
            .status,
        409
    );
}

#[test]
fn many_tokens_are_touched_together_or_not_at_all() {
    let office = Office::open();
    let ids: Vec<Value> = ["a", "b"]
        .map(|name| make(&office.user, &json!({"name": name}))["id"].clone())
        .to_vec();
    let batch = |body: Value| office.user.post("/api/token/batch", &body);
    assert_eq!(
        batch(json!({"ids": ids, "action": "pause"})).data()["count"],
        json!(2)
    );
    assert_eq!(
        office.user.get("/api/token/?status=2").data()["total"],
        json!(2)
    );
    let with_unknown = json!({"ids": [ids[0], 999], "action": "resume"});
    assert_eq!(batch(with_unknown).status, 404);
    assert_eq!(
        office.user.get("/api/token/?status=2").data()["total"],
        json!(2)
    );
    let extend = json!({"ids": ids, "action": "extend", "expires_at": 1_800_000_000});
    assert_eq!(batch(extend).status, 200);
    assert_eq!(batch(json!({"ids": [], "action": "pause"})).status, 400);
    assert_eq!(batch(json!({"ids": ids, "action": "delete"})).status, 200);
    assert_eq!(office.user.get("/api/token/").data()["total"], json!(0));
}

#[test]
fn usage_names_budgets_and_what_is_taken() {
    let office = Office::open();
    let made = make(&office.user, &json!({"name": "a", "budget_monthly": 1000}));
    let usage = office
        .user
        .get(&format!("/api/token/{}/usage", made["id"]))
        .data();
    assert_eq!(usage["used_quota"], json!(0));
    assert_eq!(usage["recent"].as_array().unwrap().len(), 3);
    let budget = &usage["budgets"][0];
    assert_eq!(
        (
            &budget["period"],
            &budget["limit_quota"],
            &budget["taken_quota"]
        ),
        (&json!("monthly"), &json!(1000), &json!(0))
    );
    assert_eq!(budget["since"], json!("2026-01-01T00:00:00Z"));
}

#[test]
fn the_playground_has_a_token_of_its_own_that_no_list_shows() {
    let office = Office::open();
    let made = office.user.post("/api/playground/token", &json!({})).data();
    let key = made["token"].as_str().unwrap();
    assert_eq!(try_out(&office, key).status, 200);
    assert_eq!(made["expires_at"], json!("2026-01-01T00:15:00Z"));
    assert_eq!(office.user.get("/api/token/").data()["total"], json!(0));
    let again = office.user.post("/api/playground/token", &json!({})).data();
    assert_ne!(again["token"], made["token"], "each page has its own");
    assert_eq!(try_out(&office, key).status, 200);
}

#[test]
fn an_administrator_may_bind_the_playground_to_one_channel() {
    let office = Office::open();
    let root = &office.root;
    let spare = json!({"name": "spare", "type": "demo", "models": ["demo-chat", "only=demo-chat"],
        "priority": -5, "groups": ["vip"]});
    root.post("/api/group/", &json!({"name": "vip"})).data();
    let spare = root.post("/api/channel/", &spare).data();
    let bound = json!({"channel_id": spare["id"]});
    let token = |actor: &Actor, body: &Value| {
        let made = actor.post("/api/playground/token", body).data();
        made["token"].as_str().unwrap().to_owned()
    };
    let call = |key: &str, model: &str| {
        let bearer = format!("Bearer {key}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        let body = json!({"model": model, "messages": [{"role": "user", "content": "hi"}]});
        let path = "POST /v1/chat/completions";
        send(office.app.address, path, &headers, &body.to_string())
    };
    let served_by = |reply: &Reply| {
        assert_eq!(reply.status, 200, "{}", reply.body);
        let id = reply.header("x-request-id").unwrap();
        office.records(async |_| office.app.app.wallets().flush().await);
        root.get(&format!("/api/log/{id}")).data()["channel_id"].clone()
    };

    // Through that channel alone, whatever its priority and groups.
    let (usual, chosen) = (token(root, &json!({})), token(root, &bound));
    assert_ne!(served_by(&call(&usual, "demo-chat")), spare["id"]);
    assert_eq!(served_by(&call(&chosen, "demo-chat")), spare["id"]);
    let models = try_out(&office, &chosen).json();
    let ids: Vec<&Value> = models["data"].as_array().unwrap().iter().collect();
    let ids: Vec<&Value> = ids.into_iter().map(|model| &model["id"]).collect();
    assert_eq!(ids, [&json!("demo-chat"), &json!("only")]);
    let elsewhere = call(&chosen, "demo-embedding");
    assert_eq!(elsewhere.status, 404);
    assert!(
        elsewhere.body.contains("chosen channel"),
        "{}",
        elsewhere.body
    );

    // No other takes over while it is off.
    let off = json!({"state": "off"});
    root.post(&format!("/api/channel/{}/state", spare["id"]), &off)
        .data();
    assert_eq!(call(&chosen, "demo-chat").status, 404);

    // Nobody else may, and who is no administrator any more may not either.
    let (status, _, _) = office.user.post("/api/playground/token", &bound).refusal();
    assert_eq!(status, 403);
    let unknown = json!({"channel_id": 999});
    let (status, _, message) = root.post("/api/playground/token", &unknown).refusal();
    assert_eq!(
        (status, message.as_str()),
        (400, "channel_id: there is no such channel")
    );
    let adam = &office.administrator;
    let key = token(adam, &bound);
    assert_eq!(try_out(&office, &key).status, 200);
    root.put("/api/user/", &json!({"id": adam.id.0, "role": 1}))
        .data();
    assert_eq!(try_out(&office, &key).status, 401);
}

#[test]
fn tokens_are_sorted_as_asked_and_say_what_their_budgets_leave() {
    let office = Office::open();
    for (name, daily) in [("b", Some(500_000)), ("a", None), ("c", None)] {
        let body = json!({"name": name, "budget_daily": daily});
        office.user.post("/api/token/", &body).data();
    }
    let names = |query: &str| {
        let page = office.user.get(&format!("/api/token/?{query}")).data();
        let items = page["items"].as_array().unwrap().clone();
        let names = items.iter().map(|token| token["name"].as_str().unwrap());
        names.collect::<Vec<_>>().concat()
    };
    assert_eq!(names("sort=name"), "abc");
    assert_eq!(names("sort=-name"), "cba");
    let (status, _, message) = office.user.get("/api/token/?sort=secret").refusal();
    assert_eq!(status, 400);
    assert!(message.contains("sort: must be one of name"), "{message}");
    let page = office.user.get("/api/token/?search=b").data();
    let budget = &page["items"][0]["budgets"][0];
    assert_eq!(
        (
            &budget["period"],
            &budget["limit_usd"],
            &budget["taken_usd"]
        ),
        (&json!("daily"), &json!("1"), &json!("0"))
    );
    assert!(budget["resets_at"].is_string() || budget["resets_at"].is_number());
}
