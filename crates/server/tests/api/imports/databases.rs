//! Databases of one-api and new-api: what is carried over, and that it is the same twice and in every
//! form.

use serde_json::{Value, json};
use store::Page;
use store::tokens::{self, TokenFilter};

use super::office::{Gate, count, has_note};
use super::rows::{CODE, DELETED, Foreign, LIMITED, PASSWORD, UNLIMITED};
use crate::support::Browser;

fn user(gate: &Gate, name: &str) -> Value {
    let list = gate
        .office
        .root
        .get(&format!("/api/user/?search={name}"))
        .data();
    let items = list["items"].as_array().expect("a list").clone();
    let found = items.into_iter().find(|user| user["username"] == name);
    found.unwrap_or_else(|| panic!("no {name}: {list}"))
}

fn check_common(gate: &Gate, report: &Value) {
    assert_eq!(count(report, "users"), [4, 3, 0, 1]);
    assert_eq!(count(report, "tokens"), [4, 3, 0, 1]);
    assert_eq!(count(report, "channels"), [3, 2, 0, 1]);
    assert_eq!(count(report, "codes"), [2, 1, 0, 1]);
    assert_eq!(report["credited_usd"], "2");
    for (words, item) in [
        ("deleted in the source", "4 "),
        ("its user is not carried over", "4 of nobody"),
        ("the login name is taken here", "1 root as root-2"),
        ("another root user", "1 root"),
        ("below zero", "3 bob: quota -500"),
        ("not hashed with bcrypt", "3 bob"),
        ("who somebody is elsewhere", "2 alice"),
        ("no provider here is what type 18 is", "3 unknown"),
        ("the name is taken here", "2 main as main (2)"),
        ("it was redeemed in the source", "2 gift"),
        ("no channel of the source serves", "nobody-serves-it"),
        ("do not say what its output costs", "gpt-4o-mini"),
        ("setting is not carried over", "SMTPToken"),
        ("history of calls", "logs"),
    ] {
        assert!(has_note(report, words, item), "{words} {item}: {report}");
    }
    assert!(!report.to_string().contains("a-secret-of-the-source"));

    let alice = user(gate, "alice");
    assert_eq!(
        (
            &alice["quota"],
            &alice["used_quota"],
            &alice["request_count"]
        ),
        (&json!(1_000_000), &json!(250_000), &json!(17))
    );
    assert_eq!(
        (&alice["aff_code"], &alice["aff_count"]),
        (&json!("al1C"), &json!(1))
    );
    assert_eq!(alice["email"], "Alice@example.org");
    let bob = user(gate, "bob");
    assert_eq!(
        (&bob["role"], &bob["status"], &bob["group"], &bob["quota"]),
        (&json!(10), &json!(2), &json!("vip"), &json!(0))
    );
    assert_eq!(bob["inviter_id"], alice["id"]);
    check_budget(gate);
    check_channels(gate);
}

/// What was spent there counts in a budget, and is seen before the first call here.
fn check_budget(gate: &Gate) {
    let found = gate.office.records(async |store| {
        let filter = TokenFilter {
            search: Some("little".to_owned()),
            ..TokenFilter::default()
        };
        let page = Page { number: 1, size: 2 };
        tokens::list(store.read(), &filter, page).await
    });
    let token = found.expect("tokens").items.remove(0);
    let path = format!("/api/token/{}/usage", token.id);
    let usage = gate.office.root.get(&path).data();
    let budget = &usage["budgets"][0];
    assert_eq!(
        (&budget["limit_quota"], &budget["taken_quota"]),
        (&json!(500), &json!(400)),
        "{usage}"
    );
}

fn check_channels(gate: &Gate) {
    let list = gate.office.root.get("/api/channel/").data();
    let channel = |name: &str| {
        let items = list["items"].as_array().expect("a list");
        let found = items.iter().find(|channel| channel["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {list}")).clone()
    };
    let main = channel("main");
    assert_eq!(
        (
            &main["type"],
            &main["base_url"],
            &main["key_count"],
            &main["state"]
        ),
        (
            &json!("openai"),
            &json!("https://proxy.example.com/v1"),
            &json!(2),
            &json!("on")
        )
    );
    assert_eq!(main["groups"], json!(["default", "vip"]));
    assert_eq!((&main["priority"], &main["weight"]), (&json!(5), &json!(1)));
    assert_eq!(main["model_mapping"], json!({"fast": "gpt-4o-mini"}));
    let azure = channel("main (2)");
    assert_eq!(
        (&azure["type"], &azure["state"]),
        (&json!("azure"), &json!("off"))
    );
    assert_eq!(
        azure["base_url"],
        "https://eu.openai.azure.com?api-version=2024-10-21"
    );
    let groups = gate.office.root.get("/api/group/").data().to_string();
    for group in ["vip", "svip"] {
        assert!(groups.contains(&format!("\"{group}\"")), "{groups}");
    }
    let prices = gate
        .office
        .records(async |store| store::prices::all(store.read()).await);
    let prices = prices.expect("prices");
    let price = prices
        .iter()
        .find(|price| price.model == "gpt-4o")
        .expect("a price");
    assert_eq!(
        (&price.sheet.0["input"], &price.sheet.0["output"]),
        (&json!("2.5"), &json!("10"))
    );
}

fn check_in_use(gate: &Gate) {
    let reply = gate.call(&format!("sk-{UNLIMITED}"));
    assert_eq!(reply.status, 200, "{reply:?}");
    let little = gate.call(&format!("sk-{LIMITED}"));
    assert_eq!(little.status, 200, "{little:?}");
    for dead in [DELETED, "expired-expired-expired"] {
        assert_eq!(gate.call(&format!("sk-{dead}")).status, 401, "{dead}");
    }
    let browser = Browser::new(gate.office.app.address);
    let wrong = json!({"username": "alice", "password": "alice's passwort"});
    assert_eq!(browser.post("/api/user/login", &wrong).status, 401);
    let login = json!({"username": "alice", "password": PASSWORD});
    for _ in 0..2 {
        // The second time the hash is our own.
        assert_eq!(
            browser.post("/api/user/login", &login).data()["username"],
            "alice"
        );
        let stored = gate.office.records(async |store| {
            let user = store::users::find_by_login(store.read(), "alice").await;
            user.expect("a record").expect("alice").password_hash
        });
        assert!(stored.expect("a hash").starts_with("$argon2id$"));
    }
    let before = user(gate, "alice")["quota"].as_i64().expect("a number");
    let redeemed = browser.post("/api/redemption/redeem", &json!({"code": CODE}));
    assert_eq!(redeemed.status, 200, "{redeemed:?}");
    let after = user(gate, "alice")["quota"].as_i64().expect("a number");
    assert!(
        (499_990..=500_000).contains(&(after - before)),
        "{before} {after}"
    );
}

#[test]
fn a_one_api_database_is_carried_over_and_its_tokens_and_passwords_work() {
    let gate = Gate::open();
    let dump = Foreign::one_api().mysql_dump();
    let before = gate.look();
    let dry = gate.import("one-api", "&dry_run=true", dump.as_bytes());
    assert_eq!(gate.look(), before, "a dry run changes nothing");
    assert_eq!(
        (&dry["import_id"], &dry["dry_run"]),
        (&Value::Null, &json!(true))
    );

    let report = gate.import("one-api", "", dump.as_bytes());
    check_common(&gate, &report);
    assert_eq!(report["format"], "mysql_dump");
    assert_eq!(
        (&report["counts"], &report["notes"]),
        (&dry["counts"], &dry["notes"])
    );

    let after = gate.look();
    let again = gate.import("one-api", "", dump.as_bytes());
    assert_eq!(gate.look(), after, "importing twice is importing once");
    assert_eq!(count(&again, "users"), [4, 0, 3, 1]);
    assert_eq!(count(&again, "tokens"), [4, 0, 3, 1]);
    assert_eq!(again["credited_usd"], "0");
    check_in_use(&gate);
}

#[test]
fn a_new_api_database_is_carried_over_with_what_it_has_more() {
    let gate = Gate::open();
    let path = gate.folder.path().join("new-api.db");
    Foreign::new_api().sqlite(&path);
    let bytes = std::fs::read(&path).expect("a file");
    let report = gate.import("new-api", "", &bytes);
    check_common(&gate, &report);
    assert_eq!(
        (&report["format"], &report["referral_usd"]),
        (&json!("sqlite"), &json!("0.01"))
    );
    assert!(has_note(&report, "second factors", "two_fas"), "{report}");
    assert!(has_note(&report, "group `auto`", "2 little"), "{report}");
    assert_eq!(user(&gate, "alice")["aff_quota"], 5_000);
    let groups = gate.office.root.get("/api/group/").data();
    let group = |name: &str| {
        let mut all = groups.as_array().expect("a list").iter();
        let found = all.find(|group| group["name"] == name).expect("a group");
        (found["description"].clone(), found["is_selectable"].clone())
    };
    assert_eq!(group("svip"), (json!("fast lane"), json!(true)));
    assert_eq!(group("vip"), (json!("imported"), json!(false)));
    assert!(has_note(&report, "choose it for their tokens", "default"));
    let prices = gate
        .office
        .records(async |store| store::prices::all(store.read()).await);
    let prices = prices.expect("prices");
    let sheet = |model: &str| {
        let price = prices.iter().find(|price| price.model == model);
        price.expect("a price").sheet.0.clone()
    };
    assert_eq!(sheet("gpt-4o")["cache_read"], "1.25");
    assert_eq!(sheet("fast")["per_call"], "0.04");

    let after = gate.look();
    gate.import("new-api", "", &bytes);
    assert_eq!(gate.look(), after, "importing twice is importing once");
    check_in_use(&gate);
    assert_eq!(gate.left_files(), [""; 0]);
}

#[test]
fn a_dump_of_postgres_asks_for_the_same_as_the_file() {
    let gate = Gate::open();
    let path = gate.folder.path().join("new-api.db");
    let foreign = Foreign::new_api();
    foreign.sqlite_with_log(&path);
    let bytes = std::fs::read(&path).expect("a file");
    assert_eq!(bytes[18], 2, "it says that it has a log");
    let file = gate.import("new-api", "&dry_run=true", &bytes);
    assert_eq!(gate.left_files(), [""; 0]);
    let dump = foreign.postgres_dump();
    let dump = gate.import("new-api", "&dry_run=true", dump.as_bytes());
    assert_eq!(dump["format"], "postgres_dump");
    assert_eq!(
        (&dump["counts"], &dump["notes"]),
        (&file["counts"], &file["notes"])
    );
}

#[test]
fn two_sources_of_one_kind_are_told_apart() {
    let gate = Gate::open();
    gate.import("one-api", "", Foreign::one_api().mysql_dump().as_bytes());
    let other = Foreign::one_api().mysql_dump().replace("'al1C'", "'oth3'");
    let other = other.replace(
        UNLIMITED,
        "OtherOtherOtherOtherOtherOtherOtherOtherOther123",
    );
    let refused = gate.begin("one-api", "", other.as_bytes());
    let refused = match refused.status {
        200 => gate.finish(&refused)["message"].to_string(),
        _ => refused.refusal().2,
    };
    assert!(refused.contains("name this source otherwise"), "{refused}");
    let report = gate.import("one-api", "&source=second", other.as_bytes());
    assert_eq!(count(&report, "users"), [4, 3, 0, 1]);
    assert!(
        has_note(&report, "the login name is taken", "2 alice as alice-2"),
        "{report}"
    );
    assert!(
        has_note(&report, "a token with this secret is here", "2 little"),
        "{report}"
    );
}
