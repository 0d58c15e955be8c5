//! Log lines of a process: one JSON object each, and those about a call carry its id.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::calls::gateway::Gateway;
use crate::support::{Connection, Reply, send};

fn ask(gateway: &Gateway, switches: &str, stream: bool) -> Reply {
    let bearer = format!("Bearer {}", gateway.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("x-modelgate-demo", switches),
    ];
    let body = json!({"model": "demo-chat", "stream": stream,
        "messages": [{"role": "user", "content": "Hi"}]});
    let line = "POST /v1/chat/completions";
    send(gateway.program.address, line, &headers, &body.to_string())
}

/// The id that a line carries: its own, or that of the request it was written in.
fn id_of(line: &Value) -> Option<&str> {
    let own = line["request_id"].as_str();
    own.or_else(|| line["span"]["request_id"].as_str())
}

#[test]
fn every_line_of_a_call_carries_the_id_that_the_client_has() {
    let gateway = Gateway::with_config("[log]\nlevel = \"info,server=debug,billing=debug\"\n");
    gateway.program.wait_for_log("listening");
    let mut replies = vec![
        ask(&gateway, "", false),
        ask(&gateway, "", true),
        ask(&gateway, "status=400", false),
        ask(&gateway, "bad switch", false),
    ];
    replies.push(ask(&gateway, "cut_after_tokens=3", true));
    // Failures pause the channel in the end.
    for _ in 0..10 {
        replies.push(ask(&gateway, "status=500", false));
    }
    let mut left = Connection::open(gateway.program.address);
    left.write("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{}");
    drop(left);
    gateway.program.wait_for_log("paused by the gateway");
    let ids: BTreeSet<&str> = replies
        .iter()
        .filter_map(|reply| reply.header("x-request-id"))
        .collect();
    assert_eq!(ids.len(), replies.len());

    let log = gateway.program.log();
    let mut of_calls = 0;
    for line in log.lines() {
        let read: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        for field in ["timestamp", "level", "message", "target"] {
            assert!(read[field].is_string(), "{field}: {line}");
        }
        let target = read["target"].as_str().unwrap_or_default();
        let is_of_a_call = [
            "server::model_call",
            "server::middleware",
            "server::channels::place",
        ]
        .iter()
        .any(|part| target.starts_with(part));
        if is_of_a_call {
            assert!(id_of(&read).is_some(), "no id: {line}");
            of_calls += 1;
        }
    }
    assert!(of_calls >= replies.len(), "{log}");
    let paused = log
        .lines()
        .find(|line| line.contains("paused by the gateway"));
    let paused: Value = serde_json::from_str(paused.unwrap()).unwrap();
    assert!(
        id_of(&paused).is_some_and(|id| ids.contains(id)),
        "{paused}"
    );
    for id in ids {
        assert!(log.contains(id), "nothing was logged of {id}");
    }
}
