//! Users, tokens and channels for scripts, beside a running server that notices every change.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scripts::{Instance, call};
use crate::support::{Program, send};

/// How long a server may take to notice.
const SOON: Duration = Duration::from_secs(1);
/// Longest wait for anything else.
const PATIENCE: Duration = Duration::from_secs(20);

fn wait_for_status(program: &Program, token: &str, status: u16) {
    let started = Instant::now();
    loop {
        let reply = call(program, token);
        if reply.status == status {
            return;
        }
        assert!(started.elapsed() < SOON, "{}: {}", reply.status, reply.body);
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn can_log_in(program: &Program, name: &str, password: &str) -> bool {
    let body = json!({"username": name, "password": password}).to_string();
    send(program.address, "POST /api/user/login", &[], &body).status == 200
}

#[test]
fn users_are_made_changed_and_deleted_beside_a_server_that_notices() {
    let instance = Instance::new();
    let program = instance.serve();
    let arguments = [
        "user",
        "create",
        "ann",
        "--password-stdin",
        "--email",
        "ann@example.org",
        "--balance-usd",
        "1.5",
    ];
    let made = instance.json(&arguments, "long enough password\n");
    assert_eq!(
        (&made["username"], &made["quota_usd"]),
        (&json!("ann"), &json!("1.5"))
    );
    assert!(can_log_in(&program, "ann", "long enough password"));
    let token = instance.json(&["token", "create", "ci", "--user", "ann@example.org"], "");
    let key = token["key"].as_str().unwrap();
    assert_eq!(token["user_id"], made["id"]);
    assert_eq!(call(&program, key).status, 200);

    let disabled = instance.json(&["user", "disable", "ann"], "");
    assert_eq!(disabled["status"], 2);
    wait_for_status(&program, key, 401);
    instance.json(&["user", "enable", "ann"], "");
    wait_for_status(&program, key, 200);

    let changed = [
        "user",
        "add-balance",
        "ann",
        "-0.5",
        "--reason",
        "a correction",
    ];
    let changed = instance.json(&changed, "");
    // A dollar, less a few calls of millionths: how many answered before each change was seen is the machine's affair.
    let left: f64 = changed["quota_usd"].as_str().unwrap().parse().unwrap();
    assert!((0.99..1.0).contains(&left), "{left}");
    instance.json(
        &["user", "set-password", "ann", "--password-stdin"],
        "another password\n",
    );
    assert!(can_log_in(&program, "ann", "another password"));
    assert!(!can_log_in(&program, "ann", "long enough password"));

    assert_eq!(instance.json(&["user", "delete", "ann"], ""), Value::Null);
    wait_for_status(&program, key, 401);
    let listed = instance.run(&["user", "list"], "");
    assert!(
        listed.stdout.contains("root") && !listed.stdout.contains("ann"),
        "{listed:?}"
    );
    let verified = instance.run(&["ledger", "verify"], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn tokens_are_made_switched_and_rotated_beside_a_server_that_notices() {
    let instance = Instance::new();
    let program = instance.serve();
    let arguments = [
        "token",
        "create",
        "ci",
        "--model",
        "demo-chat",
        "--budget-usd",
        "2",
        "--rpm",
        "100",
    ];
    let made = instance.json(&arguments, "");
    assert_eq!(
        (&made["models"], &made["budget_total_usd"], &made["rpm"]),
        (&json!(["demo-chat"]), &json!("2"), &json!(100))
    );
    let (id, key) = (made["id"].to_string(), made["key"].as_str().unwrap());
    assert_eq!(call(&program, key).status, 200);
    instance.json(&["token", "disable", &id], "");
    wait_for_status(&program, key, 401);
    instance.json(&["token", "enable", &id], "");
    wait_for_status(&program, key, 200);
    let rotated = instance.json(&["token", "rotate", &id], "");
    wait_for_status(&program, key, 401);
    let key = rotated["key"].as_str().unwrap();
    assert_eq!(call(&program, key).status, 200);
    let listed = instance.json(&["token", "list", "--user", "root"], "");
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
    assert!(!listed.to_string().contains(key), "{listed}");
    instance.json(&["token", "delete", &id], "");
    wait_for_status(&program, key, 401);
}

#[test]
fn channels_are_made_and_switched_beside_a_server_that_notices() {
    let instance = Instance::new();
    let program = instance.serve();
    let url = "https://vllm.example/v1";
    let arguments = [
        "channel",
        "create",
        "vllm",
        "--type",
        "openai",
        "--base-url",
        url,
        "--key-stdin",
        "--model",
        "m=up",
        "--priority",
        "3",
    ];
    let made = instance.json(&arguments, "sk-vendor-secret\n");
    assert_eq!(
        (&made["key_count"], &made["priority"]),
        (&json!(1), &json!(3))
    );
    assert!(!made.to_string().contains("sk-vendor-secret"));
    instance.json(&["channel", "disable", "demo", "--reason", "tidying"], "");
    wait_for_status(&program, &instance.token, 404);
    let shown = instance.run(&["channel", "show", "demo"], "");
    assert!(shown.stdout.contains("state: off"), "{shown:?}");
    assert!(shown.stdout.contains("state_reason: tidying"), "{shown:?}");
    instance.json(&["channel", "enable", "demo"], "");
    wait_for_status(&program, &instance.token, 200);
    instance.json(&["channel", "delete", "vllm"], "");
    let listed = instance.json(&["channel", "list"], "");
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn what_is_wrong_is_one_line_and_a_status() {
    let instance = Instance::new();
    for (arguments, input, words) in [
        (
            &["user", "show", "nobody"][..],
            "",
            "no user is called nobody",
        ),
        (
            &["channel", "show", "none"],
            "",
            "no channel is called none",
        ),
        (&["token", "show", "77"], "", "The token does not exist."),
        (
            &["user", "create", "bob", "--password-stdin"],
            "short\n",
            "password: must have",
        ),
        (
            &["user", "disable", "root"],
            "",
            "The last enabled root user",
        ),
        (
            &["user", "add-balance", "root", "x", "--reason", "y"],
            "",
            "expected a dollar amount",
        ),
    ] {
        let refused = instance.run(arguments, input);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.only_line().contains(words), "{refused:?}");
    }
}

#[test]
fn a_folder_that_is_no_servers_is_refused_and_stays_as_it_is() {
    let fresh = tempfile::TempDir::new().unwrap();
    let data = fresh.path().to_str().unwrap();
    for (arguments, status) in [
        (&["user", "list"][..], 5),
        (&["import", "--list"], 5),
        (&["ledger", "verify"], 7),
        (&["node", "list"], 7),
        (&["backup", "/nowhere/copy"], 7),
        (&["keys", "adopt"], 7),
    ] {
        let refused = crate::support::run(&[arguments, &["--data", data]].concat());
        assert_eq!(refused.code, Some(status), "{refused:?}");
        assert!(
            refused.only_line().contains("(--data, --config)"),
            "{refused:?}"
        );
    }
    assert_eq!(std::fs::read_dir(data).unwrap().count(), 0);
}

#[test]
fn a_secret_is_printed_even_where_servers_cannot_be_told() {
    let instance = Instance::new();
    // Nothing can be written where a folder is.
    let notice = instance.folder.path().join("changed");
    std::fs::remove_file(&notice).unwrap();
    std::fs::create_dir(&notice).unwrap();
    let made = instance.run(&["token", "create", "ci", "--json"], "");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stderr.contains("were not told"), "{made:?}");
    let made: Value = serde_json::from_str(&made.stdout).unwrap();
    assert_eq!(
        call(&instance.serve(), made["key"].as_str().unwrap()).status,
        200
    );
}

#[test]
fn an_empty_line_is_no_key() {
    let instance = Instance::new();
    let create = [
        "channel",
        "create",
        "vendor",
        "--type",
        "openai",
        "--model",
        "m",
        "--key-stdin",
    ];
    for arguments in [&["channel", "set-key", "demo", "--key-stdin"][..], &create] {
        let refused = instance.run(arguments, "\n");
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.only_line().contains("is empty"), "{refused:?}");
    }
    assert_eq!(
        instance
            .json(&["channel", "list"], "")
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_node_that_stopped_in_order_is_told_apart_and_can_be_forgotten_at_once() {
    let instance = Instance::new();
    let mut program = instance.serve();
    let list = || instance.run(&["node", "list"], "").stdout;
    // It shows itself soon after it listens.
    let started = Instant::now();
    while !list().contains(" runs, ") {
        assert!(started.elapsed() < PATIENCE, "{}", program.log());
        std::thread::sleep(Duration::from_millis(50));
    }
    let name = list().split_once(' ').unwrap().0.to_owned();
    assert_eq!(instance.run(&["node", "remove", &name], "").code, Some(1));
    program.signal("TERM");
    assert_eq!(program.wait().code(), Some(0));
    assert!(list().contains(" has stopped, "), "{}", list());
    assert_eq!(instance.run(&["node", "remove", &name], "").code, Some(0));
    assert_eq!(list(), "");
}

#[test]
fn acts_of_commands_are_in_the_audit_log() {
    let instance = Instance::new();
    instance.json(&["token", "create", "ci"], "");
    let program = instance.serve();
    let body = json!({"username": "root", "password": "correct horse battery"}).to_string();
    let login = send(program.address, "POST /api/user/login", &[], &body);
    let cookie = login
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let headers = [("cookie", cookie.as_str())];
    let audit = send(program.address, "GET /api/audit/", &headers, "").json();
    let entries = audit["data"]["items"].as_array().unwrap();
    let made = entries
        .iter()
        .find(|entry| entry["action"] == "token.create")
        .unwrap();
    assert!(
        made["request_id"].as_str().unwrap().starts_with("command-"),
        "{made}"
    );
}
