//! Patterns of models in the management interface: where they may stand, and what is shown of them.

use std::time::Duration;

use serde_json::{Value, json};

use super::channels::ended;
use crate::support::{Office, Reply};

fn step(reply: &Reply, name: &str) -> Value {
    let data = reply
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let mut steps = data.map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
    steps.find(|one| one["step"] == name).expect("the step")
}

#[test]
fn a_pattern_stands_at_the_end_of_a_name() {
    let office = Office::open();
    let admin = &office.administrator;
    let body =
        |models: Value| json!({"name": "wide", "type": "openai", "key": "sk-x", "models": models});
    for bad in ["a*b", "*a", "**", "a=b*", "a*=*b"] {
        let (status, _, message) = admin
            .post("/api/channel/", &body(json!(["fine", bad])))
            .refusal();
        assert_eq!(status, 400, "{bad}");
        assert!(message.contains("models[1]"), "{bad}: {message}");
    }
    let made = admin.post("/api/channel/", &body(json!(["openai/*=*", "gpt-*"])));
    let made = made.data();
    assert_eq!(made["models"], json!(["openai/*=*", "gpt-*"]));
    assert_eq!(made["model_mapping"], json!({"openai/*": "*"}));
    let id = made["id"].clone();
    let change = json!({"id": id, "model_mapping": {"gpt-*": "x*y"}});
    let (_, _, message) = admin.put("/api/channel/", &change).refusal();
    assert!(message.contains("model_mapping.gpt-*"), "{message}");

    let batch = |action: &str, model: &str| {
        let body = json!({"ids": [id], "action": action, "models": [model]});
        assert_eq!(admin.post("/api/channel/batch", &body).data()["count"], 1);
        let shown = admin.get(&format!("/api/channel/{id}")).data();
        shown["models"].clone()
    };
    let added = json!(["openai/*=*", "gpt-*", "fast/*=v/*"]);
    assert_eq!(batch("add_models", "fast/*=v/*"), added);
    assert_eq!(
        batch("remove_models", "openai/*"),
        json!(["gpt-*", "fast/*=v/*"])
    );

    let token = |models: Value| json!({"name": "wide", "models": models});
    let made = office
        .user
        .post("/api/token/", &token(json!(["gpt-*", "*"])));
    assert_eq!(made.data()["models"], json!(["gpt-*", "*"]));
    let refused = office.user.post("/api/token/", &token(json!(["a*b"])));
    assert!(refused.refusal().2.contains("models[0]"));
}

#[test]
fn what_a_pattern_serves_is_listed_priced_explained_and_covered() {
    let office = Office::open();
    let admin = &office.administrator;
    let wide = json!({"name": "wide", "type": "demo", "models": ["demo-*", "mine/*=demo-*"],
        "priority": 5});
    admin.post("/api/channel/", &wide).data();
    let own_price = json!({"model": "mine/own", "prices": {"input": "1", "output": "2"}});
    assert_eq!(admin.post("/api/price/", &own_price).status, 200);
    office.app.clock.advance(Duration::from_secs(1));

    let names = office.user.get("/api/user/models").data();
    let names = names.as_array().unwrap();
    for name in ["demo-chat", "mine/chat", "mine/own"] {
        assert!(names.contains(&json!(name)), "{name} in {names:?}");
    }
    let models = admin.get("/api/model/meta").data();
    let models = models.as_array().unwrap();
    let find = |name: &str| models.iter().find(|one| one["model"] == name);
    assert_eq!(find("mine/chat").unwrap()["channels"], json!(["wide"]));
    assert!(find("mine/chat").unwrap()["prices"].is_object());
    let chat = find("demo-chat").unwrap();
    assert_eq!(chat["channels"], json!(["wide", "demo"]));
    assert!(find("demo-*").is_none());

    let prices = admin.get("/api/price/?served=true&search=mine").data();
    assert_eq!(prices["items"][0]["model"], "mine/own");
    assert_eq!(prices["total"], 1);

    let explained = admin.get("/api/route/explain?model=mine/chat").data();
    let first = &explained["tiers"][0]["candidates"][0];
    assert_eq!(
        (&first["name"], &first["upstream_model"]),
        (&json!("wide"), &json!("demo-chat"))
    );
    let coverage = admin.get("/api/route/coverage").data();
    let covered = |model: &str| {
        let rows = coverage.as_array().unwrap().iter();
        let mut found = rows.filter(|one| one["model"] == model && one["group"] == "default");
        found.next().cloned().unwrap_or_default()
    };
    assert_eq!(covered("demo-chat")["channels"], 2);
    let pattern = covered("mine/*");
    assert_eq!(
        (&pattern["healthy"], &pattern["has_price"]),
        (&json!(1), &json!(true))
    );
}

#[test]
fn a_test_asks_for_a_model_and_not_for_a_pattern() {
    let office = Office::open();
    let admin = &office.administrator;
    let wide = json!({"name": "wide", "type": "demo", "models": ["mine/*=demo-*"]});
    let id = admin.post("/api/channel/", &wide).data()["id"].clone();
    for body in [json!({"id": id}), json!({"id": id, "model": "mine/*"})] {
        let reply = step(&admin.post("/api/channel/test", &body), "reply");
        assert_eq!(reply["outcome"], "skipped", "{reply}");
        assert!(reply["detail"].as_str().unwrap().contains("pattern"));
    }
    let named = json!({"id": id, "model": "mine/chat"});
    let tested = admin.post("/api/channel/test", &named);
    assert_eq!(step(&tested, "reply")["outcome"], "ok");
    assert_eq!(step(&tested, "cost")["outcome"], "ok");
    let fetched = admin.post("/api/channel/fetch_models", &json!({"id": id}));
    assert!(fetched.data()["models"].is_array());

    let models = ["mine/chat", "mine/*", "other"];
    let matrix = json!({"channel_ids": [id], "models": models});
    let begun = admin.post("/api/channel/test_matrix", &matrix).data();
    let task = ended(&office, &begun["task_id"]);
    let cells = task["result"]["cells"].as_array().unwrap();
    let outcome = |model: &str| {
        let mut cells = cells.iter();
        cells.find(|cell| cell["model"] == model).unwrap()["outcome"].clone()
    };
    let outcomes = models.map(outcome);
    assert_eq!(outcomes, ["passed", "skipped", "skipped"]);
}
