//! Metrics: the documented list against the page of a running server, and that it does not grow.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::scrape::Page;
use crate::calls::gateway::Gateway;
use crate::support::{Connection, get};

/// Name → (type, labels), as `docs/metrics.md` has them.
fn documented() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let text = file("docs/metrics.md");
    let code = |cell: &str| cell.trim().trim_matches('`').to_owned();
    let mut list = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').collect();
        let labels = cells[3]
            .split(',')
            .map(code)
            .filter(|label| !label.is_empty());
        let entry = (code(cells[2]), labels.collect());
        let former = list.insert(code(cells[1]), entry);
        assert!(former.is_none(), "twice in the list: {line}");
    }
    list
}

fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect(path)
}

fn scrape(gateway: &Gateway) -> Page {
    let reply = get(gateway.program.address, "/metrics");
    let kind = reply.header("content-type").unwrap_or_default();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    Page::read(&reply.body)
}

fn chat(content: &str) -> Value {
    json!({"model": "demo-chat", "messages": [{"role": "user", "content": content}]})
}

#[test]
fn the_list_in_the_documentation_is_what_a_server_tells() {
    let gateway = Gateway::start();
    assert_eq!(
        gateway.post("/v1/chat/completions", &chat("Hi")).status,
        200
    );
    let page = scrape(&gateway);
    let told: BTreeMap<String, (String, BTreeSet<String>)> = page
        .0
        .iter()
        .map(|(name, family)| (name.clone(), (family.kind.clone(), family.labels.clone())))
        .collect();
    assert_eq!(told, documented());
}

#[test]
fn a_call_is_counted_once_in_every_family() {
    let gateway = Gateway::start();
    let reply = gateway.post("/v1/chat/completions", &chat("Hi"));
    assert_eq!(reply.status, 200);
    let unknown = json!({"model": "nobody", "messages": []});
    assert_eq!(gateway.post("/v1/chat/completions", &unknown).status, 404);
    let row = gateway.row(&reply);
    let page = scrape(&gateway);
    let place = [("channel", "demo"), ("model", "demo-chat")];
    let with = |label, value| [place[0], place[1], (label, value)];
    let calls = "modelgate_model_calls_total";
    for (name, labels, expected) in [
        ("modelgate_calls_total", &[("cause", "none")][..], 1.0),
        (
            "modelgate_calls_total",
            &[("cause", "model_not_found")],
            1.0,
        ),
        (calls, &with("outcome", "answered"), 1.0),
        (calls, &with("outcome", "failed"), 0.0),
        ("modelgate_attempts_total", &with("result", "answered"), 1.0),
        ("modelgate_model_call_seconds_count", &place, 1.0),
        ("modelgate_attempt_first_byte_seconds_count", &place, 1.0),
        ("modelgate_channel_up", &[("channel", "demo")], 1.0),
        (
            "modelgate_channel_calls_running",
            &[("channel", "demo")],
            0.0,
        ),
        ("modelgate_database_up", &[], 1.0),
        ("modelgate_leases", &[], 1.0),
    ] {
        let value = page.value(name, labels);
        assert!(
            (value - expected).abs() < 1e-9,
            "{name} {labels:?}: {value}"
        );
    }
    let tokens = page.value("modelgate_tokens_total", &with("kind", "output"));
    #[expect(clippy::cast_precision_loss, reason = "small numbers of a test")]
    let (output, dollars) = (row.output_tokens as f64, row.charge_nanos as f64 / 1e9);
    assert!((tokens - output).abs() < 1e-9);
    let charged = page.value("modelgate_charged_dollars_total", &place);
    assert!(
        (charged - dollars).abs() < 1e-12 && dollars > 0.0,
        "{charged} {dollars}"
    );
}

#[test]
fn ten_thousand_names_of_models_add_no_series() {
    let gateway = Gateway::start();
    assert_eq!(
        gateway.post("/v1/chat/completions", &chat("Hi")).status,
        200
    );
    let before = scrape(&gateway).series();
    for hundred in 0..100 {
        let mut requests = String::new();
        for one in 0..100 {
            let body = json!({"model": format!("made-up-{hundred}-{one}"), "messages": []});
            let body = body.to_string();
            let end = if one == 99 { "close" } else { "keep-alive" };
            let _ = write!(
                requests,
                "POST /v1/chat/completions HTTP/1.1\r\nhost: gate.example\r\n\
                 connection: {end}\r\nauthorization: Bearer {}\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                gateway.token,
                body.len()
            );
        }
        let mut connection = Connection::open(gateway.program.address);
        connection.write(&requests);
        connection.wait_for_close();
    }
    let page = scrape(&gateway);
    let refused = page.value("modelgate_calls_total", &[("cause", "model_not_found")]);
    assert!((refused - 10_000.0).abs() < 0.5, "{refused}");
    assert_eq!(page.series(), before);
}

/// Names of metrics in a text, as far as they are ours or the process's.
fn named(text: &str) -> BTreeSet<String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter| !is_word(letter));
    let ours = words.filter(|word| {
        word.starts_with("modelgate_") || (word.starts_with("process_") && word.len() > 8)
    });
    ours.map(str::to_owned).collect()
}

fn stem(name: &str, list: &BTreeMap<String, (String, BTreeSet<String>)>) -> bool {
    let ends = ["_bucket", "_sum", "_count"];
    let stems = ends.iter().filter_map(|end| name.strip_suffix(end));
    let is_histogram = |stem: &str| list.get(stem).is_some_and(|(kind, _)| kind == "histogram");
    list.contains_key(name) || stems.into_iter().any(is_histogram)
}

#[test]
fn dashboard_and_rules_name_only_what_is_in_the_list() {
    let list = documented();
    let dashboard = file("deploy/grafana/modelgate.json");
    let rules = file("deploy/prometheus/rules.yaml");
    for (place, text) in [("dashboard", &dashboard), ("rules", &rules)] {
        let names = named(text);
        assert!(names.len() > 5, "{place}: {names:?}");
        for name in names {
            assert!(stem(&name, &list), "{place} names {name}");
        }
    }
    let dashboard: Value = serde_json::from_str(&dashboard).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let mut ids = BTreeSet::new();
    for panel in panels {
        assert!(ids.insert(panel["id"].as_i64()), "{}", panel["id"]);
        let is_row = panel["type"] == "row";
        let targets = panel["targets"].as_array().map_or(0, Vec::len);
        assert!(is_row || targets > 0, "{}", panel["title"]);
    }
    let used: BTreeSet<String> = named(&dashboard.to_string());
    let shown = used.iter().filter(|name| list.contains_key(*name)).count();
    assert!(shown >= 15, "the dashboard shows {shown} metrics");
}
