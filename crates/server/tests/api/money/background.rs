//! A server that is killed while it makes an answer in the background: when it is back, the answer has
//! failed, and what its call held is the caller's again.

use serde_json::json;
use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use super::house::House;
use crate::nodes::empty_database;
use crate::support::{Program, Reply, send};

const GRANT_NANOS: i64 = 100_000_000_000;

fn config(upstream: &FakeUpstream) -> String {
    let url = upstream.url("/v1");
    format!(
        r#"
[outbound]
allow_private = ["127.0.0.0/8"]

[[channels]]
name = "silent"
type = "openai"
base_url = "{url}"
key = "sk-vendor"
models = ["m"]
dialects = ["chat"]

[[prices]]
model = "m"
input = "1"
output = "10"
"#
    )
}

fn ask(house: &House, program: &Program, line: &str, body: &str) -> Reply {
    let bearer = format!("Bearer {}", house.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    send(program.address, line, &headers, body)
}

fn killed(url: Option<&str>) {
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    upstream.on("/v1/chat/completions", Scripted::silence());
    let house = House::new(url, 1, "100", &config(&upstream));
    let mut program = house.serve(0);
    let body = json!({"model": "m", "input": "Hi", "background": true}).to_string();
    let promised = ask(&house, &program, "POST /v1/responses", &body).json();
    assert_eq!(promised["status"], "in_progress", "{promised}");
    runtime.block_on(upstream.wait_for_requests(1));
    program.signal("KILL");
    program.wait();
    assert!(house.balances().held_nanos > 0);

    let mut program = house.serve(0);
    let id = promised["id"].as_str().unwrap();
    let line = format!("GET /v1/responses/{id}");
    let failed = ask(&house, &program, &line, "").json();
    assert_eq!(failed["status"], "failed", "{failed}");
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("stopped before it was finished"),
        "{failed}"
    );
    program.signal("TERM");
    assert!(program.wait().success(), "{}", program.log());
    let has = house.balances();
    assert_eq!((has.wallet_nanos, has.held_nanos), (GRANT_NANOS, 0));
    house.verify();
}

#[test]
fn a_killed_server_leaves_no_answer_in_progress() {
    killed(None);
}

#[test]
fn a_killed_node_on_postgres_leaves_no_answer_in_progress() {
    killed(Some(&empty_database("killed_background")));
}
