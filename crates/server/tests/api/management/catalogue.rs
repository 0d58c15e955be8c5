//! Groups, prices, models and recipes.

use serde_json::{Value, json};

use crate::support::Office;

fn find<'a>(list: &'a Value, field: &str, value: &str) -> Option<&'a Value> {
    list.as_array()
        .expect("a list")
        .iter()
        .find(|one| one[field] == value)
}

#[test]
fn groups_are_made_changed_and_deleted_once_nobody_is_in_them() {
    let office = Office::open();
    let admin = &office.administrator;
    let body = json!({"name": "vip", "multiplier": "0.9", "rpm": 100, "description": "friends"});
    let made = admin.post("/api/group/", &body).data();
    assert_eq!(
        (&made["multiplier"], &made["rpm"]),
        (&json!("0.9"), &json!(100))
    );
    let id = made["id"].clone();
    let change = json!({"id": id, "multiplier": 1.25, "rpm": null});
    let changed = admin.put("/api/group/", &change).data();
    assert_eq!(
        (&changed["multiplier"], &changed["rpm"]),
        (&json!("1.25"), &Value::Null)
    );
    assert_eq!(
        changed["description"],
        json!("friends"),
        "absent is unchanged"
    );

    let user = office.user.id.0;
    let join = json!({"id": user, "group": "vip"});
    assert_eq!(admin.put("/api/user/", &join).data()["group"], json!("vip"));
    let listed = admin.get("/api/group/").data();
    assert_eq!(
        find(&listed, "name", "vip").unwrap()["user_count"],
        json!(1)
    );
    let path = format!("/api/group/{id}");
    assert_eq!(admin.delete(&path).refusal().1, "in_use");
    assert_eq!(admin.delete(&format!("/api/user/{user}")).status, 200);
    assert_eq!(
        admin.delete(&path).status,
        200,
        "a deleted user keeps no group"
    );
    assert_eq!(admin.delete(&path).status, 404);

    let default = find(&listed, "name", "default").unwrap()["id"].clone();
    assert_eq!(
        admin.delete(&format!("/api/group/{default}")).refusal().0,
        409
    );
    for (body, words) in [
        (json!({}), "name: is required"),
        (json!({"name": "a b"}), "name: must have"),
        (json!({"name": "x", "multiplier": "-1"}), "multiplier: "),
        (json!({"name": "x", "multiplier": "much"}), "multiplier: "),
        (json!({"name": "x", "rpm": -1}), "rpm: "),
    ] {
        let (status, _, message) = admin.post("/api/group/", &body).refusal();
        assert_eq!(status, 400, "{body}");
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(
        admin
            .post("/api/group/", &json!({"name": "default"}))
            .refusal()
            .0,
        409
    );
}

#[test]
fn prices_are_listed_overridden_and_ended() {
    let office = Office::open();
    let admin = &office.administrator;
    let listed = |query: &str| admin.get(&format!("/api/price/?{query}")).data();
    let shipped = listed("search=gpt-4o&page_size=100");
    let shipped = find(&shipped["items"], "model", "gpt-4o").unwrap();
    assert_eq!(
        (&shipped["source"], &shipped["prices"]["input"]),
        (&json!("catalogue"), &json!("2.5"))
    );
    assert!(listed("")["total"].as_u64().unwrap() > 1000);
    let served = listed("served=true&page_size=100");
    assert!(find(&served["items"], "model", "demo-chat").is_some());
    assert!(find(&served["items"], "model", "gpt-4o").is_none());

    let body = json!({"model": "gpt-4o", "prices": {"input": "1.23", "output": 4}});
    let set = admin.post("/api/price/", &body).data();
    assert_eq!(
        (&set["source"], &set["prices"]["output"]),
        (&json!("administrator"), &json!("4"))
    );
    let now = listed("search=gpt-4o&source=administrator");
    assert_eq!(
        now["items"][0]["prices"]["input"],
        json!("1.23"),
        "it counts at once"
    );
    let later = json!({"model": "gpt-4o", "prices": {"input": "9"},
        "effective_from": "2026-06-01T00:00:00Z"});
    let later = admin.post("/api/price/", &later).data();
    let history = admin.get("/api/price/history?model=gpt-4o").data();
    assert_eq!(history.as_array().unwrap().len(), 2);
    assert_eq!(history[0]["id"], later["id"], "latest first");
    assert_eq!(history[0]["created_by"], json!(admin.id.0));

    assert_eq!(
        admin.delete(&format!("/api/price/{}", later["id"])).status,
        200
    );
    assert_eq!(
        admin.delete(&format!("/api/price/{}", set["id"])).status,
        200
    );
    let history = admin.get("/api/price/history?model=gpt-4o").data();
    assert_eq!(
        (&history[0]["prices"], history.as_array().unwrap().len()),
        (&Value::Null, 2)
    );
    assert_eq!(admin.delete("/api/price/999").status, 404);
    for (body, words) in [
        (json!({}), "model: is required; prices: is required"),
        (json!({"model": "m", "prices": {}}), "prices: must name"),
        (
            json!({"model": "m", "prices": {"input": "much"}}),
            "prices: ",
        ),
        (json!({"model": "m", "prices": {"imput": "1"}}), "prices: "),
        (
            json!({"model": "m", "prices": {"input": "1"}, "effective_from": 1}),
            "effective_from: ",
        ),
    ] {
        let (status, _, message) = admin.post("/api/price/", &body).refusal();
        assert_eq!(status, 400, "{body}");
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn models_are_those_of_ones_group_with_what_they_do_and_cost() {
    let office = Office::open();
    let names = office.user.get("/api/user/models").data();
    assert!(names.as_array().unwrap().contains(&json!("demo-chat")));
    let models = office.user.get("/api/model/meta").data();
    let chat = find(&models, "model", "demo-chat").unwrap();
    assert_eq!(chat["providers"], json!(["demo"]));
    assert!(
        chat["operations"]
            .as_array()
            .unwrap()
            .contains(&json!("generate"))
    );
    assert!(chat["prices"]["input"].is_string() && chat["multiplier"] == "1");
    assert!(
        chat.get("channels").is_none(),
        "channels are for administrators"
    );
    let models = office.administrator.get("/api/model/meta").data();
    assert_eq!(
        find(&models, "model", "demo-chat").unwrap()["channels"],
        json!(["demo"])
    );

    let vip = json!({"name": "vip", "type": "demo", "models": ["secret=demo-chat"], "groups": []});
    let made = office.administrator.post("/api/channel/", &vip).data();
    assert_eq!(made["key_count"], json!(0));
    let names = office.user.get("/api/user/models").data();
    assert!(
        names.as_array().unwrap().contains(&json!("secret")),
        "a channel for all groups"
    );
}

#[test]
fn visitors_see_models_and_how_they_do_unless_that_is_switched_off() {
    let office = Office::open();
    let models = office.nobody.get("/api/model/catalogue").data();
    let model = find(&models, "model", "demo-chat").expect("a public model");
    assert_eq!(
        (&model["multiplier"], &model["channels"]),
        (&json!("1"), &Value::Null)
    );
    let status = office.nobody.get("/api/status/models").data();
    let expected = json!({
        "model": "demo-chat", "is_available": true,
        "failed_per_mille": null, "first_byte_p95_ms": null,
    });
    assert_eq!(find(&status, "model", "demo-chat"), Some(&expected));

    let office = Office::with("[console]\ncatalogue = false\nstatus_page = false\n");
    for path in ["/api/model/catalogue", "/api/status/models"] {
        assert_eq!(office.nobody.get(path).refusal().0, 403, "{path}");
    }
}

#[test]
fn recipes_are_filled_in_with_the_address_and_a_model() {
    let office = Office::with("[server]\npublic_url = \"https://gate.example\"\n");
    let recipes = office.user.get("/api/connect/recipes?model=gpt-4o").data();
    let text = |id: &str| find(&recipes, "id", id).unwrap()["files"][0]["text"].clone();
    assert!(
        text("openai-python")
            .as_str()
            .unwrap()
            .contains("base_url=\"https://gate.example/v1\"")
    );
    let claude = text("claude-code");
    let claude = claude.as_str().unwrap();
    assert!(
        claude.contains("ANTHROPIC_BASE_URL=\"https://gate.example\"\n"),
        "{claude}"
    );
    assert!(claude.contains("--model gpt-4o"));
}
