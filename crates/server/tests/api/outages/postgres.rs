//! PostgreSQL takes connections and never answers: calls whose token is known go on, others are told to come again.

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Proxy, Traffic};
use tokio::runtime::Runtime;

use crate::nodes::empty_database;
use crate::support::{Program, Reply, run_with, send};

fn call(program: &Program, path: &str, token: &str) -> Reply {
    let body = json!({"model": "demo-chat", "max_tokens": 10,
        "messages": [{"role": "user", "content": "Hello"}]});
    let headers = [
        ("authorization", &*format!("Bearer {token}")),
        ("content-type", "application/json"),
        ("provider-version", "2023-06-01"),
    ];
    let line = format!("POST {path}");
    send(program.address, &line, &headers, &body.to_string())
}

#[test]
fn an_unknown_token_is_told_to_come_again_while_the_database_hangs() {
    let runtime = Runtime::new().unwrap();
    let url = empty_database("hanging_lookups");
    let proxy = runtime.block_on(Proxy::before(&url));
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let through = proxy.url();
    let environment = [("MODELGATE_DATABASE__URL", through.as_str())];
    let set_up = [
        "setup",
        "--data",
        data,
        "--password-stdin",
        "--demo",
        "--token",
        "first",
        "--grant-usd",
        "100",
    ];
    let done = run_with(&set_up, &environment, "correct horse\n");
    let printed: Value = serde_json::from_str(&done.stdout).unwrap();
    let known = printed["token"].as_str().unwrap();
    let program = Program::serve(&["--data", data], &environment);
    let chat = "/v1/chat/completions";
    assert_eq!(call(&program, chat, known).status, 200);

    proxy.set(Traffic::Stalls);
    for (path, kind) in [(chat, "server_error"), ("/v1/messages", "overloaded_error")] {
        let reply = call(&program, path, "sk-nobody-knows");
        assert_eq!(reply.status, 503, "{}", reply.body);
        assert_eq!(reply.header("retry-after"), Some("2"), "{}", reply.body);
        assert_eq!(reply.json()["error"]["type"], kind, "{}", reply.body);
    }
    let reply = call(&program, chat, known);
    assert_eq!(reply.status, 200, "{}\n{}", reply.body, program.log());

    proxy.set(Traffic::Flows);
    let reply = call(&program, chat, "sk-nobody-knows");
    assert_eq!(reply.status, 401, "{}", reply.body);
}
