//! Users from a CSV file: tried out, made, and refused again.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::ledger;

use crate::support::{Actor, Browser, Office};

const FILE: &str = "username,email,display_name,group,role,balance_usd,password
ann,ann@example.org,Ann Example,,,12.5,a long password
bob,bob@example.org,,vip,user,,
cid,cid@example.org,,nowhere,,,
dan@home,,,,,,a long password
eve,,,,,,
fay,,,,administrator,,a long password
gus,,,,,-1,a long password
ANN,other@example.org,,,,,
hal,Bob@Example.org,,,,,
ivy,,,,,,short
jon,,,
uma,,,,,,a long password
";

/// Line, name and outcome of every row.
fn outcomes(report: &Value) -> Vec<String> {
    let rows = report["rows"].as_array().expect("rows").iter();
    let text = |row: &Value| {
        let reason = row["reason"].as_str().map(|reason| format!(": {reason}"));
        let (line, outcome) = (&row["line"], row["outcome"].as_str().unwrap_or_default());
        let name = row["username"].as_str().unwrap_or_default();
        format!("{line} {name} {outcome}{}", reason.unwrap_or_default())
    };
    rows.map(text).collect()
}

fn dry_run(actor: &Actor, file: &str) -> Value {
    let path = "/api/user/import?dry_run=true";
    let data = actor.upload(path, file.as_bytes()).data();
    assert_eq!(data["task_id"], Value::Null);
    data["report"].clone()
}

/// Imports, and waits for the end of the task.
fn import(actor: &Actor, file: &str) -> (String, Value) {
    let path = "/api/user/import?reason=spring%20term";
    let data = actor.upload(path, file.as_bytes()).data();
    assert_eq!(data["report"], Value::Null);
    let task = data["task_id"].as_str().expect("a task").to_owned();
    let begun = Instant::now();
    loop {
        let found = actor.get(&format!("/api/task/{task}")).data();
        if found["state"] != "running" {
            assert_eq!(found["state"], "done", "{found}");
            return (task, found["result"].clone());
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "{found}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn office_with_a_group() -> Office {
    let office = Office::open();
    let group = json!({"name": "vip", "multiplier": "1"});
    office.administrator.post("/api/group/", &group).data();
    office
}

#[test]
fn a_dry_run_says_what_an_import_does_and_writes_nothing() {
    let office = office_with_a_group();
    let admin = &office.administrator;
    let total = |actor: &Actor| actor.get("/api/user/").data()["total"].clone();
    let before = total(admin);
    let report = dry_run(admin, FILE);
    let expected = [
        "2 ann would_make",
        "3 bob would_make",
        "4 cid refused: group: there is no such group",
        "5 dan@home refused: username: must have 1 to 64 visible characters, without @",
        "6 eve refused: password: is required where there is no e-mail address to set one by",
        "7 fay refused: You may not give a role of your own level or above.",
        "8 gus refused: balance_usd: must be zero or more",
        "9 ANN refused: Line 2 has the same name.",
        "10 hal refused: Line 3 has the same e-mail address.",
        "11 ivy refused: password: must have at least 8 characters",
        "12 jon refused: It does not have as many cells as the first line.",
        "13 uma refused: A user of that name exists already.",
    ];
    assert_eq!(outcomes(&report), expected);
    assert_eq!(
        (&report["would_make"], &report["made"], &report["refused"]),
        (&json!(2), &json!(0), &json!(10))
    );
    assert_eq!(report["balance_usd"], "12.5");
    assert_eq!(report["dry_run"], true);
    assert_eq!(total(admin), before);

    let (_, real) = import(admin, FILE);
    let made = |line: &String| line.replace("would_make", "made");
    let made: Vec<String> = outcomes(&report).iter().map(made).collect();
    assert_eq!(outcomes(&real), made, "the report equals the dry run's");
    assert_eq!(real["made"], json!(2));
}

#[test]
fn imported_users_have_what_the_file_says_and_the_same_file_books_nothing_twice() {
    let office = office_with_a_group();
    let admin = &office.administrator;
    let (task, _) = import(admin, FILE);
    let find = |name: &str| {
        let found = admin.get(&format!("/api/user/?search={name}")).data();
        found["items"][0].clone()
    };
    let ann = find("ann@example.org");
    assert_eq!(
        (
            &ann["display_name"],
            &ann["quota_usd"],
            &ann["group"],
            &ann["role"]
        ),
        (
            &json!("Ann Example"),
            &json!("12.5"),
            &json!("default"),
            &json!(1)
        )
    );
    let bob = find("bob@example.org");
    assert_eq!(
        (&bob["display_name"], &bob["quota_usd"], &bob["group"]),
        (&json!("bob"), &json!("0"), &json!("vip"))
    );
    Browser::logged_in(office.app.address, "ann", "a long password");
    let audit = admin
        .get("/api/audit/?action=user.create")
        .data()
        .to_string();
    assert!(audit.contains("ann@example.org") && audit.contains("bob@example.org"));
    let listed = admin.get("/api/task/").data().to_string();
    assert!(listed.contains(&task), "{listed}");
    for text in [audit, listed] {
        assert!(!text.contains("a long password"), "{text}");
    }

    let (_, again) = import(admin, FILE);
    assert_eq!(
        (&again["made"], &again["balance_usd"]),
        (&json!(0), &json!("0"))
    );
    let taken = "2 ann refused: A user of that name exists already.";
    assert_eq!(outcomes(&again)[0], taken);
    assert_eq!(find("ann@example.org")["quota_usd"], "12.5");
    office.records(async |store| {
        let verified = ledger::verify(store.read())
            .await
            .expect("the records work");
        assert!(verified.differences.is_empty());
    });
}

#[test]
fn root_may_give_every_role_and_columns_may_come_in_any_order() {
    let office = Office::open();
    let file =
        "role;password;username\nadministrator;a long password;kai\n100;a long password;lea\n";
    let (_, report) = import(&office.root, file);
    assert_eq!(report["made"], json!(2), "{report}");
    let roles = office.root.get("/api/user/?sort=username&search=").data();
    let items = roles["items"].as_array().expect("users");
    let role = |name: &str| {
        let user = items.iter().find(|user| user["username"] == name);
        user.expect("a user")["role"].clone()
    };
    assert_eq!((role("kai"), role("lea")), (json!(10), json!(100)));
}

#[test]
fn a_file_that_cannot_be_read_is_refused_as_a_whole() {
    let office = Office::open();
    let admin = &office.administrator;
    for (query, body, words) in [
        ("", "", "username is missing"),
        ("", "username\n", "no rows"),
        ("", "username,quota\nann,1\n", "no column \"quota\""),
        ("?dry_run=perhaps", "username\nann\n", "dry_run"),
    ] {
        let reply = admin.upload(&format!("/api/user/import{query}"), body.as_bytes());
        let (status, code, message) = reply.refusal();
        assert_eq!((status, code.as_str()), (400, "invalid_request"), "{body}");
        assert!(message.contains(words), "{message}");
    }
    let large = vec![b'x'; (4 << 20) + 1];
    assert_eq!(admin.upload("/api/user/import", &large).refusal().0, 413);
}
