//! Redis is stopped under two nodes and started again: calls go on, each node keeps to its share of
//! limits meanwhile, and says so.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::nodes::empty_database;
use crate::support::{Program, get, run_with, send};

const KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const LIMIT: usize = 20;

/// A Redis of one test.
struct OwnRedis {
    port: u16,
    child: Child,
}

impl OwnRedis {
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        Self {
            port,
            child: spawn(port),
        }
    }

    fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn come_back(&mut self) {
        self.child = spawn(self.port);
    }
}

fn spawn(port: u16) -> Child {
    let mut command = Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string()]);
    command.args(["--save", "", "--appendonly", "no"]);
    let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.expect("redis-server starts; `make test` installs it")
}

impl Drop for OwnRedis {
    fn drop(&mut self) {
        // It may be stopped already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn call(program: &Program, token: &str) -> u16 {
    let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hello"}]});
    let headers = [("authorization", &*format!("Bearer {token}"))];
    let path = "POST /v1/chat/completions";
    send(program.address, path, &headers, &body.to_string()).status
}

/// How many of so many calls one after the other were let in.
fn admitted(program: &Program, token: &str, calls: usize) -> usize {
    let statuses = (0..calls).map(|_| call(program, token));
    statuses
        .map(|status| match status {
            200 => 1,
            429 => 0,
            other => panic!("status {other}: {}", program.log()),
        })
        .sum()
}

fn is_on_share(program: &Program) -> bool {
    let metrics = get(program.address, "/metrics").body;
    metrics.contains("modelgate_limits_on_node_share 1")
}

fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn without_redis_calls_go_on_and_each_node_keeps_to_its_share_of_limits() {
    let (url, mut redis) = (empty_database("redis_outage"), OwnRedis::start());
    let address = format!("redis://127.0.0.1:{}", redis.port);
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        ("MODELGATE_REDIS__URL", address.as_str()),
        ("MODELGATE_SECRETS__MASTER_KEY", KEY),
    ];
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let data = |at: usize| folders[at].path().to_str().unwrap();
    let set_up = [
        "setup",
        "--data",
        data(0),
        "--password-stdin",
        "--demo",
        "--token",
        "first",
    ];
    let done = run_with(&set_up, &environment, "correct horse\n");
    let free: Value = serde_json::from_str(&done.stdout).unwrap();
    let free = free["token"].as_str().unwrap();
    let limit = LIMIT.to_string();
    let limited = [
        "token",
        "create",
        "limited",
        "--rpm",
        &limit,
        "--json",
        "--data",
        data(0),
    ];
    let limited = run_with(&limited, &environment, "");
    let limited: Value = serde_json::from_str(&limited.stdout).unwrap();
    let limited = limited["key"].as_str().unwrap();
    let serve = |at: usize| Program::serve(&["--data", data(at)], &environment);
    // A node counts the others when it starts: the second knows both, and so does the first started anew.
    let (first, second) = (serve(0), serve(1));
    drop(first);
    let nodes = [serve(0), second];
    assert_eq!(admitted(&nodes[0], limited, LIMIT), LIMIT);
    assert_eq!(
        admitted(&nodes[1], limited, 3),
        0,
        "the limit is one of all nodes"
    );
    assert!(nodes.iter().all(|node| !is_on_share(node)));

    redis.stop();
    for node in &nodes {
        let share = admitted(node, limited, LIMIT);
        assert!(
            (LIMIT / 2..LIMIT).contains(&share),
            "{share}: {}",
            node.log()
        );
        assert_eq!(call(node, free), 200);
        assert!(is_on_share(node));
        node.wait_for_log("Redis is away: this node keeps to its share of all limits");
    }

    redis.come_back();
    for node in &nodes {
        wait_until("limits are counted together again", || {
            call(node, limited);
            !is_on_share(node)
        });
        node.wait_for_log("limits are counted over all nodes again");
        assert_eq!(call(node, free), 200);
    }
}
