//! Channels as administrators manage them: settings, keys, states, and what calls make of them.

use serde_json::{Value, json};
use store::audit_log::{self, AuditFilter};
use store::channels::{self, ChannelChanges, NewChannel};

use crate::support::Office;

fn openai(name: &str, base_url: &str) -> Value {
    json!({"name": name, "type": "openai", "base_url": base_url, "key": "sk-vendor-canary",
        "models": ["gpt-4o", "fast=gpt-4o-mini"]})
}

fn make(office: &Office, body: &Value) -> Value {
    office.administrator.post("/api/channel/", body).data()
}

#[test]
fn a_channel_is_made_listed_changed_and_deleted_and_its_key_never_shown() {
    let office = Office::open();
    let admin = &office.administrator;
    let made = make(&office, &openai("main", "https://api.example.com/v1"));
    let id = made["id"].as_i64().unwrap();
    assert_eq!(
        (&made["type"], &made["state"], &made["key_count"]),
        (&json!("openai"), &json!("on"), &json!(1))
    );
    assert_eq!(made["models"], json!(["gpt-4o", "fast=gpt-4o-mini"]));
    assert_eq!(made["model_mapping"], json!({"fast": "gpt-4o-mini"}));
    assert_eq!(made["groups"], json!(["default"]));
    assert_eq!(
        made["limits"],
        json!({"rpm": null, "tpm": null, "concurrency": null})
    );

    let change = json!({"id": id, "key": "sk-vendor-canary", "priority": 10, "tags": ["eu"],
        "limits": {"rpm": 60}, "timeouts": {"connect_ms": 500}, "dialects": ["chat"],
        "proxy": "http://user:proxy-canary@proxy.example:3128",
        "overrides": {"headers": {"x-api-key": "header-canary", "x-team": "a"}}});
    let changed = admin.put("/api/channel/", &change).data();
    assert_eq!(
        (&changed["priority"], &changed["key_count"]),
        (&json!(10), &json!(1))
    );
    assert_eq!(changed["limits"]["rpm"], json!(60));
    assert_eq!(changed["name"], json!("main"), "absent is unchanged");
    assert_eq!(
        changed["proxy"],
        json!("http://[secret]@proxy.example:3128")
    );
    assert_eq!(
        changed["overrides"]["headers"]["x-api-key"],
        json!("[secret]")
    );

    // The record as it was read can be sent back: what was masked stays.
    assert_eq!(admin.put("/api/channel/", &changed).status, 200);
    office.records(async |store| {
        let row = channels::get(store.read(), store::ChannelId(id))
            .await
            .unwrap()
            .unwrap();
        let headers = &row.overrides.unwrap().0["headers"];
        assert_eq!(headers["x-api-key"], json!("header-canary"));
        assert!(row.proxy.unwrap().contains("proxy-canary"));
    });
    let cleared = json!({"id": id, "key": "sk-vendor-canary", "limits": null, "proxy": null,
        "overrides": null});
    let cleared = admin.put("/api/channel/", &cleared).data();
    assert_eq!(
        (&cleared["limits"]["rpm"], &cleared["proxy"]),
        (&Value::Null, &Value::Null)
    );

    for search in [
        "search=mai",
        "type=openai",
        "tag=eu",
        "model=fast",
        "state=on&group=default",
    ] {
        let found = admin.get(&format!("/api/channel/?{search}")).data();
        let names: Vec<&Value> = found["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["name"])
            .collect();
        assert!(names.contains(&&json!("main")), "{search}: {names:?}");
    }
    assert_eq!(
        admin.get("/api/channel/?type=azure").data()["total"],
        json!(0)
    );
    assert_eq!(
        admin.get(&format!("/api/channel/{id}")).data()["name"],
        json!("main")
    );
    assert_eq!(admin.delete(&format!("/api/channel/{id}")).status, 200);
    assert_eq!(admin.get(&format!("/api/channel/{id}")).status, 404);
    office.records(async |store| {
        let of_channels = AuditFilter {
            object_kind: Some("channel".to_owned()),
            ..AuditFilter::default()
        };
        let entries = audit_log::page(store.read(), &of_channels, None, 10)
            .await
            .unwrap()
            .items;
        let text = format!("{entries:?}");
        assert_eq!(entries[0].action, "channel.delete");
        for secret in ["sk-vendor-canary", "proxy-canary", "header-canary"] {
            assert!(!text.contains(secret), "{secret} is in the audit log");
        }
    });
}

#[test]
fn what_cannot_be_a_channel_is_refused_by_the_name_of_the_field() {
    let office = Office::open();
    let admin = &office.administrator;
    let with = |more: Value| {
        let mut body = openai("x", "https://api.example.com/v1");
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    for (body, words) in [
        (json!({}), "name: is required; type: is required"),
        (with(json!({"type": "nobody"})), "type: is not a provider"),
        (with(json!({"base_url": "ftp://x"})), "base_url: "),
        (with(json!({"type": "anthropic", "key": null})), "key: "),
        (with(json!({"models": ["=x"]})), "models[0]: "),
        (
            with(json!({"groups": ["vip"]})),
            "groups: there is no group",
        ),
        (with(json!({"weight": -1})), "weight: "),
        (with(json!({"limits": {"rpm": -1}})), "limits.rpm: "),
        (with(json!({"dialects": ["klingon"]})), "dialects: "),
        (with(json!({"proxy": "nonsense"})), "proxy: "),
        (
            with(json!({"overrides": {"headers": {"host": "x"}}})),
            "overrides",
        ),
        (with(json!({"state": "asleep"})), "state: "),
    ] {
        let (status, _, message) = admin.post("/api/channel/", &body).refusal();
        assert_eq!(status, 400, "{body}");
        assert!(message.contains(words), "{message}");
    }
    make(&office, &openai("taken", "https://api.example.com/v1"));
    let again = admin.post(
        "/api/channel/",
        &openai("taken", "https://api.example.com/v1"),
    );
    assert_eq!(again.refusal().0, 409);
    assert!(
        admin
            .put("/api/channel/", &json!({}))
            .refusal()
            .2
            .contains("id: is required")
    );
    assert_eq!(admin.put("/api/channel/", &json!({"id": 999})).status, 404);
}

#[test]
fn stored_keys_are_not_sent_to_another_host() {
    let office = Office::open();
    let admin = &office.administrator;
    let id = make(&office, &openai("main", "https://api.example.com/v1"))["id"].clone();
    let elsewhere = json!({"id": id, "base_url": "https://evil.example/v1"});
    let (status, _, message) = admin.put("/api/channel/", &elsewhere).refusal();
    assert_eq!(status, 400);
    assert!(message.contains("send the keys again"), "{message}");
    let same_host = json!({"id": id, "base_url": "https://api.example.com/v2"});
    assert_eq!(admin.put("/api/channel/", &same_host).status, 200);
    let with_key = json!({"id": id, "base_url": "https://other.example/v1", "key": "sk-new"});
    assert_eq!(
        admin.put("/api/channel/", &with_key).data()["base_url"],
        json!("https://other.example/v1")
    );
    let trial = json!({"id": id, "base_url": "https://evil.example/v1"});
    assert_eq!(admin.post("/api/channel/fetch_models", &trial).status, 400);
}

/// An authority that anybody could have made.
const ROOT: &str = include_str!("../fixtures/localhost-cert.pem");

#[test]
fn stored_secrets_go_through_no_other_proxy_and_under_no_other_authority() {
    let office = Office::open();
    let admin = &office.administrator;
    let mut body = openai("main", "https://api.example.com/v1");
    body["overrides"] = json!({"headers": {"x-api-key": "header-canary", "x-team": "a"}});
    let id = make(&office, &body)["id"].clone();
    let masked = json!({"x-api-key": "[secret]", "x-team": "a"});
    let given = json!({"x-api-key": "header-canary"});
    let proxy = "http://127.0.0.1:9";
    let elsewhere = "https://evil.example/v1";
    for (change, field, what) in [
        (json!({"proxy": proxy}), "proxy", "keys"),
        (
            json!({"overrides": {"headers": masked, "tls_roots": ROOT}}),
            "overrides.tls_roots",
            "keys",
        ),
        (
            json!({"proxy": proxy, "key": "sk-new"}),
            "proxy",
            "secret headers",
        ),
        (
            json!({"overrides": {"headers": masked, "tls_roots": ROOT}, "key": "sk-new"}),
            "overrides.tls_roots",
            "secret headers",
        ),
        (
            json!({"base_url": elsewhere, "key": "sk-new"}),
            "base_url",
            "secret headers",
        ),
        (
            json!({"base_url": elsewhere, "key": "sk-new", "overrides": {"headers": masked}}),
            "base_url",
            "secret headers",
        ),
    ] {
        let mut change = change;
        change["id"] = id.clone();
        for refused in [
            admin.put("/api/channel/", &change).refusal(),
            admin.post("/api/channel/test", &change).refusal(),
            admin.post("/api/channel/fetch_models", &change).refusal(),
        ] {
            let (status, _, message) = refused;
            assert_eq!(status, 400, "{change}");
            let words = format!("{field}: leads another way than the stored {what}");
            assert!(message.contains(&words), "{change}: {message}");
            assert!(
                message.ends_with(&format!("send the {what} again")),
                "{message}"
            );
        }
    }
    let again = json!({"id": id, "key": "sk-new", "proxy": proxy,
        "overrides": {"headers": given, "tls_roots": ROOT}});
    let changed = admin.put("/api/channel/", &again).data();
    assert_eq!(changed["proxy"], json!(proxy));
    // What is sent back as it was shown changes nothing.
    assert_eq!(admin.put("/api/channel/", &changed).status, 200);
    let direct = json!({"id": id, "proxy": null});
    assert_eq!(admin.put("/api/channel/", &direct).refusal().0, 400);
}

#[test]
fn keys_are_added_replaced_limited_and_removed_one_by_one() {
    let office = Office::open();
    let admin = &office.administrator;
    let mut body = openai("main", "https://api.example.com/v1");
    body["type"] = json!("anthropic");
    body["keys"] = json!(["sk-0", "sk-1"]);
    body.as_object_mut().unwrap().remove("key");
    let id = make(&office, &body)["id"].clone();
    let keys = format!("/api/channel/{id}/keys");
    let change = json!({"add": ["sk-2"], "remove": [0],
        "replace": [{"index": 1, "key": "sk-1b"}], "limits": [{"index": 1, "rpm": 5}]});
    assert_eq!(admin.post(&keys, &change).data()["key_count"], json!(2));
    let listed = admin.get(&keys);
    assert!(!listed.body.contains("sk-"), "{}", listed.body);
    let listed = listed.data();
    assert_eq!(
        (&listed[0]["rpm"], &listed[1]["rpm"]),
        (&json!(5), &Value::Null)
    );
    assert_eq!(listed[0]["origin"], json!("https://api.example.com"));
    assert_eq!(admin.post(&keys, &json!({"remove": [7]})).refusal().0, 400);
    let none = admin.post(&keys, &json!({"remove": [0, 1]})).refusal();
    assert_eq!(none.0, 400, "this vendor needs a key");
    assert_eq!(admin.get("/api/channel/999/keys").status, 404);
}

#[test]
fn channels_are_switched_drained_and_touched_together() {
    let office = Office::open();
    let admin = &office.administrator;
    let id = make(&office, &openai("main", "https://api.example.com/v1"))["id"].clone();
    let switch = |state: &str| {
        let body = json!({"state": state, "reason": "too slow"});
        admin.post(&format!("/api/channel/{id}/state"), &body)
    };
    let drained = switch("draining").data();
    assert_eq!(
        (&drained["state"], &drained["state_reason"]),
        (&json!("draining"), &json!("too slow"))
    );
    assert_eq!(switch("paused").refusal().0, 400, "only the gateway pauses");
    assert_eq!(switch("on").data()["state_reason"], Value::Null);

    let other = make(&office, &openai("other", "https://api.example.com/v1"))["id"].clone();
    let batch = |more: Value| {
        let mut body = json!({"ids": [id, other]});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        admin.post("/api/channel/batch", &body)
    };
    for (more, field, value) in [
        (
            json!({"action": "disable", "reason": "night"}),
            "state",
            json!("off"),
        ),
        (json!({"action": "enable"}), "state", json!("on")),
        (json!({"action": "tag", "tag": "eu"}), "tags", json!(["eu"])),
        (json!({"action": "untag", "tag": "eu"}), "tags", json!([])),
        (
            json!({"action": "priority", "priority": 7}),
            "priority",
            json!(7),
        ),
    ] {
        assert_eq!(batch(more.clone()).data()["count"], json!(2), "{more}");
        assert_eq!(
            admin.get(&format!("/api/channel/{other}")).data()[field],
            value,
            "{more}"
        );
    }
    for more in [
        json!({"action": "tag"}),
        json!({"action": "priority"}),
        json!({"action": "fly"}),
    ] {
        assert_eq!(batch(more.clone()).status, 400, "{more}");
    }
    assert_eq!(batch(json!({"action": "delete"})).status, 200);
    assert_eq!(
        admin.get("/api/channel/").data()["total"],
        json!(1),
        "the demo channel is left"
    );
}

#[test]
fn declared_channels_are_shown_and_only_switched() {
    let office = Office::open();
    let id = office.records(async |store| {
        let transaction = store.write().await.unwrap();
        let new = NewChannel {
            name: "declared".to_owned(),
            provider: "demo".to_owned(),
            base_url: String::new(),
            is_declared: true,
        };
        let made = channels::insert(&transaction, new, ChannelChanges::default(), 0).await;
        transaction.commit().await.unwrap();
        made.unwrap().id
    });
    let admin = &office.administrator;
    assert_eq!(
        admin.get(&format!("/api/channel/{id}")).data()["is_declared"],
        json!(true)
    );
    let (status, code, _) = admin
        .put("/api/channel/", &json!({"id": id, "weight": 2}))
        .refusal();
    assert_eq!((status, code.as_str()), (409, "declared"));
    assert_eq!(admin.delete(&format!("/api/channel/{id}")).status, 409);
    let batch = |action: &str| {
        let body = json!({"ids": [id], "action": action, "tag": "x"});
        admin.post("/api/channel/batch", &body).status
    };
    assert_eq!((batch("tag"), batch("delete")), (409, 409));
    // Whether it is on is not declared.
    let off = json!({"state": "off", "reason": "outage"});
    let switched = admin.post(&format!("/api/channel/{id}/state"), &off);
    assert_eq!(switched.data()["state_reason"], json!("outage"));
    let state = || admin.get(&format!("/api/channel/{id}")).data()["state"].clone();
    assert_eq!(state(), json!("off"));
    assert_eq!((batch("enable"), state()), (200, json!("on")));
    assert_eq!((batch("drain"), state()), (200, json!("draining")));
}

#[test]
fn routing_is_explained_and_coverage_counted() {
    let office = Office::open();
    let admin = &office.administrator;
    let broken = make(&office, &openai("off", "https://api.example.com/v1"))["id"].clone();
    let off = json!({"state": "off"});
    assert_eq!(
        admin
            .post(&format!("/api/channel/{broken}/state"), &off)
            .status,
        200
    );
    let explained = admin.get("/api/route/explain?model=demo-chat").data();
    let first = &explained["tiers"][0]["candidates"][0];
    assert_eq!(
        (&first["name"], &explained["group"]),
        (&json!("demo"), &json!("default"))
    );
    let excluded = &explained["excluded"][0];
    assert_eq!(
        (&excluded["name"], &excluded["reason"]),
        (&json!("off"), &json!("model"))
    );
    let by_body = json!({"model": "gpt-4o", "user_id": office.user.id.0});
    let explained = admin.post("/api/route/explain", &by_body).data();
    assert_eq!(explained["tiers"], json!([]));
    assert_eq!(admin.get("/api/route/explain").status, 400);
    assert_eq!(
        admin.get("/api/route/explain?model=x&operation=fly").status,
        400
    );
    let coverage = admin.get("/api/route/coverage").data();
    let chat = coverage
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["model"] == "demo-chat");
    let expected = json!({"model": "demo-chat", "group": "default", "channels": 1, "healthy": 1, "on_trial": 0,
        "has_price": true});
    assert_eq!(chat, Some(&expected));
}

#[test]
fn every_provider_is_listed_with_what_its_form_asks_for() {
    let office = Office::open();
    let listed = office.administrator.get("/api/provider/").data();
    let find = |id: &str| {
        listed
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["id"] == id)
            .cloned()
    };
    let openai = find("openai").unwrap();
    assert_eq!(openai["credential_fields"][0]["name"], json!("api_key"));
    assert!(
        openai["operations"]
            .as_array()
            .unwrap()
            .contains(&json!("generate"))
    );
    assert!(find("demo").is_some() && find("bedrock").is_some() && find("nobody").is_none());
}

pub(super) fn ended(office: &Office, task: &Value) -> Value {
    let path = format!("/api/task/{}", task.as_str().expect("a task's id"));
    for _ in 0..400 {
        let seen = office.administrator.get(&path).data();
        if seen["state"] != "running" {
            return seen;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("the task does not end");
}

#[test]
fn models_come_and_go_on_many_channels_in_a_task_that_says_what_it_left_out() {
    let office = Office::open();
    let admin = &office.administrator;
    let make = |name: &str| {
        let body = json!({"name": name, "type": "demo", "models": ["a", "b=demo-chat"]});
        admin.post("/api/channel/", &body).data()["id"].clone()
    };
    let ids = [make("one"), make("two")];
    let batch = json!({"ids": ids, "action": "add_models", "models": ["c=demo-chat", "a"]});
    let done = admin.post("/api/channel/batch", &batch).data();
    assert_eq!(done, json!({"count": 2, "task_id": null}));
    let batch = json!({
        "ids": [ids[0], ids[1], 999_999], "action": "remove_models", "models": ["b"],
        "as_task": true,
    });
    let begun = admin.post("/api/channel/batch", &batch).data();
    let task = ended(&office, &begun["task_id"]);
    assert_eq!(
        (&task["state"], &task["done"], &task["total"]),
        (&json!("done"), &json!(3), &json!(3))
    );
    let message = task["message"].as_str().unwrap();
    assert!(
        message.contains("999999: The channel does not exist"),
        "{message}"
    );
    assert_eq!(task["note"]["code"], "left_out", "{task}");
    for id in &ids {
        let channel = admin.get(&format!("/api/channel/{id}")).data();
        assert_eq!(channel["models"], json!(["c=demo-chat", "a"]));
    }
    let empty = json!({"ids": ids, "action": "add_models"});
    assert_eq!(admin.post("/api/channel/batch", &empty).refusal().0, 400);
}

#[test]
fn a_matrix_of_channels_and_models_is_tried_out_in_a_task() {
    let office = Office::open();
    let admin = &office.administrator;
    let body = json!({"name": "one", "type": "demo", "models": ["demo-chat"]});
    let id = admin.post("/api/channel/", &body).data()["id"].clone();
    let broken = json!({"name": "two", "type": "openai", "models": ["demo-chat"], "key": "sk-x",
        "base_url": "http://127.0.0.1:9/v1"});
    let broken = admin.post("/api/channel/", &broken).data()["id"].clone();
    let matrix = json!({"channel_ids": [id, broken], "models": ["demo-chat", "other"]});
    let begun = admin.post("/api/channel/test_matrix", &matrix).data();
    let task = ended(&office, &begun["task_id"]);
    let cells = task["result"]["cells"].as_array().unwrap();
    assert_eq!((cells.len(), &task["done"]), (4, &json!(4)));
    let note = json!({"code": "tested", "values": {"count": 4, "failed": 1}});
    assert_eq!(task["note"], note);
    let outcome = |channel: &Value, model: &str| {
        let is_it = |cell: &&Value| cell["channel_id"] == *channel && cell["model"] == model;
        cells.iter().find(is_it).unwrap()["outcome"].clone()
    };
    assert_eq!(outcome(&id, "demo-chat"), "passed");
    assert_eq!(outcome(&broken, "demo-chat"), "failed");
    assert_eq!(outcome(&id, "other"), "skipped");
    let empty = json!({"channel_ids": [], "models": ["x"]});
    assert_eq!(
        admin.post("/api/channel/test_matrix", &empty).refusal().0,
        400
    );
}
