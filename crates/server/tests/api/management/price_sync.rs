//! Prices beside the shipped catalogue or an uploaded list, and taking over chosen lines.

use std::time::Duration;

use serde_json::{Value, json};
use store::audit_log::{self, AuditFilter};

use crate::support::{Actor, Office};

const PREVIEW: &str = "/api/price/sync/preview";

fn compared(actor: &Actor, query: &str, list: &Value) -> Value {
    let path = format!("{PREVIEW}?source=litellm{query}");
    actor.upload(&path, list.to_string().as_bytes()).data()
}

fn beside_the_catalogue(actor: &Actor) -> Value {
    let path = format!("{PREVIEW}?source=catalogue");
    actor.upload(&path, b"").data()
}

/// Model, price, present, offered, percentage and kind of every line.
fn lines(comparison: &Value) -> Vec<String> {
    let lines = comparison["lines"].as_array().expect("lines");
    let fields = [
        "model",
        "component",
        "present",
        "offered",
        "change_percent",
        "kind",
    ];
    lines
        .iter()
        .map(|line| {
            fields
                .map(|field| line[field].as_str().unwrap_or("-"))
                .join(" ")
        })
        .collect()
}

/// Takes lines over. Time goes on after it: two prices of one model never begin at once.
fn take_over(office: &Office, lines: &Value) -> Value {
    let body = json!({"lines": lines});
    let done = office.administrator.post("/api/price/sync", &body).data();
    office.app.clock.advance(Duration::from_secs(1));
    done
}

fn set(office: &Office, model: &str, prices: &Value) {
    let body = json!({"model": model, "prices": prices});
    office.administrator.post("/api/price/", &body).data();
    office.app.clock.advance(Duration::from_secs(1));
}

fn costs(actor: &Actor, model: &str) -> (Value, Value) {
    let list = actor.get(&format!("/api/price/?search={model}")).data();
    let items = list["items"].as_array().expect("a list");
    let price = items.iter().find(|price| price["model"] == model);
    let price = price.expect("a price");
    (price["source"].clone(), price["prices"].clone())
}

fn reversed(lines: &Value) -> Value {
    let lines = lines.as_array().expect("lines").iter();
    let back = |line: &Value| {
        json!({"model": line["model"], "component": line["component"],
            "present": line["offered"], "offered": line["present"]})
    };
    lines.map(back).collect()
}

#[test]
fn own_prices_are_compared_with_the_catalogue_and_end_when_they_agree() {
    let office = Office::open();
    let admin = &office.administrator;
    let none = beside_the_catalogue(admin);
    assert_eq!((&none["total"], &none["models"]), (&json!(0), &json!(0)));
    assert!(none["catalogue_date"].is_string());

    set(
        &office,
        "gpt-4o",
        &json!({"input": "2", "output": "10", "per_call": "0.1"}),
    );
    set(&office, "house-model", &json!({"input": "1"}));
    let found = beside_the_catalogue(admin);
    let expected = [
        "gpt-4o input 2 2.5 25 changed",
        "gpt-4o cache_read - 1.25 - new",
        "gpt-4o per_call 0.1 - - removed",
    ];
    assert_eq!(lines(&found), expected);
    let counts = ["new", "changed", "removed", "same"].map(|name| found[name].clone());
    assert_eq!(counts, [1, 1, 1, 1].map(|count| json!(count)));
    assert_eq!(found["lines"][0]["present_source"], "administrator");
    assert!(found["unnamed"].as_u64() >= Some(1), "house-model: {found}");

    let done = take_over(&office, &json!([found["lines"][0]]));
    assert_eq!(done, json!({"models": 1, "lines": 1}));
    let (source, prices) = costs(admin, "gpt-4o");
    assert_eq!(source, "administrator");
    assert_eq!(
        prices,
        json!({"input": "2.5", "output": "10", "per_call": "0.1"})
    );
    let rest = beside_the_catalogue(admin)["lines"].clone();
    take_over(&office, &rest);
    assert_eq!(costs(admin, "gpt-4o").0, "catalogue", "its own price ended");
    take_over(&office, &reversed(&rest));
    assert_eq!(costs(admin, "gpt-4o"), (source, prices), "taken back");
}

#[test]
fn an_uploaded_list_is_compared_and_chosen_lines_are_taken_over_together() {
    let office = Office::open();
    let admin = &office.administrator;
    let list = json!({
        "gpt-4o": {"litellm_provider": "openai", "input_cost_per_token": 3e-6,
            "output_cost_per_token": 1e-5, "cache_read_input_token_cost": 1.25e-6},
        "brand-new": {"input_cost_per_token": 1.5e-6, "supports_vision": true},
        "demo-chat": {"input_cost_per_token": 7e-6},
        "broken": {"input_cost_per_token": 1e-20},
    });
    let found = compared(admin, "", &list);
    let all = lines(&found);
    assert!(
        all[0].starts_with("demo-chat "),
        "served ones come first: {all:?}"
    );
    assert!(all.contains(&"brand-new input - 1.5 - new".to_owned()));
    assert!(all.contains(&"gpt-4o input 2.5 3 20 changed".to_owned()));
    assert_eq!(found["same"], json!(2));
    assert_eq!(found["left_out"][0]["model"], "broken");
    assert_eq!(found["left_out_total"], json!(1));
    let narrowed = compared(admin, "&search=GPT&kind=changed", &list);
    assert_eq!(lines(&narrowed), ["gpt-4o input 2.5 3 20 changed"]);
    let served = compared(admin, "&served=true", &list);
    assert_eq!(served["models"], json!(1));

    let line = |text: &str| {
        let place = all.iter().position(|line| line.starts_with(text)).unwrap();
        found["lines"][place].clone()
    };
    let chosen = json!([line("gpt-4o input"), line("brand-new input")]);
    let done = take_over(&office, &chosen);
    assert_eq!(done, json!({"models": 2, "lines": 2}));
    assert_eq!(costs(admin, "gpt-4o").1["input"], "3");
    assert_eq!(costs(admin, "gpt-4o").1["cache_read"], "1.25", "it stays");
    assert_eq!(costs(admin, "brand-new").1, json!({"input": "1.5"}));
    let noted = office.records(async |store| {
        let filter = AuditFilter {
            action: Some("price.sync".to_owned()),
            ..AuditFilter::default()
        };
        let page = audit_log::page(store.read(), &filter, None, 10).await;
        page.expect("entries").items
    });
    let mut objects: Vec<_> = noted.iter().map(|entry| entry.object_id.as_str()).collect();
    objects.sort_unstable();
    assert_eq!(objects, ["brand-new", "gpt-4o"]);

    let stale = admin
        .post("/api/price/sync", &json!({"lines": chosen}))
        .refusal();
    assert_eq!((stale.0, stale.1.as_str()), (409, "conflict"));
    assert!(stale.2.contains("compare again"), "{}", stale.2);
    take_over(&office, &reversed(&chosen));
    assert_eq!(costs(admin, "gpt-4o").0, "catalogue");
    let gone = admin.get("/api/price/?search=brand-new").data();
    assert_eq!(
        gone["items"][0]["source"],
        Value::Null,
        "it has no price again"
    );
}

#[test]
fn what_cannot_be_compared_or_taken_over_is_refused() {
    let office = Office::open();
    let admin = &office.administrator;
    for (query, body, words) in [
        ("", "", "source"),
        ("?source=elsewhere", "", "elsewhere"),
        ("?source=litellm", "", "not valid JSON"),
        ("?source=litellm", "[1]", "an object for each model"),
        ("?source=litellm", "{}", "no price of any model"),
        ("?source=catalogue&kind=old", "", "old"),
    ] {
        let reply = admin.upload(&format!("{PREVIEW}{query}"), body.as_bytes());
        let (status, code, message) = reply.refusal();
        assert_eq!((status, code.as_str()), (400, "invalid_request"), "{query}");
        assert!(message.contains(words), "{message}");
    }
    let large = vec![b' '; (8 << 20) + 1];
    let refused = admin.upload(&format!("{PREVIEW}?source=litellm"), &large);
    assert_eq!(refused.refusal().0, 413);

    let line = |model: &str, component: &str, offered: Value| json!({"model": model, "component": component, "present": null, "offered": offered});
    let many: Vec<Value> = (0..1_001)
        .map(|number| line(&format!("m{number}"), "input", json!("1")))
        .collect();
    for (lines, words) in [
        (json!([]), "1 to 1000"),
        (Value::Array(many), "1 to 1000"),
        (json!([line("", "input", json!("1"))]), "model's name"),
        (json!([line("m", "inputs", json!("1"))]), "unknown field"),
        (
            json!([line("m", "tiers/x/input", json!("1"))]),
            "no price called",
        ),
        (json!([line("m", "input", json!("-1"))]), "the price"),
        (
            json!([
                line("m", "input", json!("1")),
                line("m", "input", json!("2"))
            ]),
            "twice",
        ),
    ] {
        let (status, _, message) = admin
            .post("/api/price/sync", &json!({"lines": lines}))
            .refusal();
        assert_eq!(status, 400, "{message}");
        assert!(message.contains(words), "{message}");
    }
    let (status, _, message) = admin.post("/api/price/sync", &json!({})).refusal();
    assert_eq!((status, message.as_str()), (400, "lines: is required"));
    let nothing = json!([
        {"model": "demo-embedding", "component": "input", "present": "0.02", "offered": null}
    ]);
    let shown = costs(admin, "demo-embedding").1;
    assert_eq!(shown, json!({"input": "0.02"}), "the demo catalogue");
    let refused = admin.post("/api/price/sync", &json!({"lines": nothing}));
    let (status, _, message) = refused.refusal();
    assert_eq!(status, 400);
    assert!(message.contains("at least one price"), "{message}");
}
