//! Limits of tokens on running calls: refusals and headers on one node, exactness over two nodes on a
//! real Redis.

use std::sync::Arc;

use dialects::canonical::FailureKind;
use serde_json::{Value, json};
use server::clock::{Clock as _, SystemClock};
use server::limits::{Ceilings, HolderLimits, Limiter};
use store::shared::{RedisOptions, Shared};
use store::tokens::{self, NewToken, TokenChanges};
use store::users;
use tempfile::TempDir;

use crate::support::{Program, Reply, TestApp, run_with, send};

const DECLARED: &str = r#"
[[channels]]
name = "offline"
type = "demo"
models = ["demo-chat"]

[[tokens]]
name = "twice"
key = "twice-a-minute-0123456789"
rpm = 2
tpm = 100000
"#;

/// A gateway that serves what [`DECLARED`] declares.
fn gateway() -> (Program, TempDir) {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("modelgate.toml");
    std::fs::write(&file, DECLARED).expect("a file");
    let data = folder.path().join("data");
    let paths = [
        data.to_str().expect("a path of text"),
        file.to_str().expect("a path of text"),
    ];
    let common = ["--data", paths[0], "--config", paths[1]];
    let set_up = [&["setup"], &common[..], &["--password-stdin"]].concat();
    let done = run_with(&set_up, &[], "correct horse battery\n");
    assert_eq!(done.code, Some(0), "{done:?}");
    (Program::serve(&common, &[]), folder)
}

fn ask(program: &Program, path: &str) -> Reply {
    let headers = [
        ("authorization", "Bearer twice-a-minute-0123456789"),
        ("content-type", "application/json"),
        ("provider-version", "2023-06-01"),
    ];
    let body = json!({
        "model": "demo-chat",
        "max_tokens": 50,
        "messages": [{"role": "user", "content": "hello"}],
    });
    send(
        program.address,
        &format!("POST {path}"),
        &headers,
        &body.to_string(),
    )
}

#[test]
fn a_limited_token_is_told_what_is_left_and_when_to_come_again() {
    let (program, _folder) = gateway();
    let first = ask(&program, "/v1/chat/completions");
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(first.header("x-ratelimit-limit-requests"), Some("2"));
    assert_eq!(first.header("x-ratelimit-remaining-requests"), Some("1"));
    assert_eq!(first.header("x-ratelimit-limit-tokens"), Some("100000"));
    let second = ask(&program, "/v1/messages");
    assert_eq!(second.status, 200, "{}", second.body);
    let remaining = second.header("anthropic-ratelimit-requests-remaining");
    assert_eq!(remaining, Some("0"));
    assert!(
        second
            .header("anthropic-ratelimit-requests-reset")
            .is_some()
    );
    assert_eq!(second.header("x-ratelimit-limit-requests"), None);

    let refused = ask(&program, "/v1/chat/completions");
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert_eq!(refused.header("x-ratelimit-limit-requests"), Some("2"));
    assert_eq!(refused.header("x-ratelimit-remaining-requests"), Some("0"));
    assert_eq!(refused.header("x-ratelimit-reset-requests"), Some("1m0s"));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
    let error: Value = serde_json::from_str(&refused.body).unwrap();
    assert_eq!(error["error"]["code"], "rate_limit_exceeded");
    let text = error["error"]["message"].as_str().unwrap();
    assert_eq!(text, "Rate limit reached: 2 requests per minute.");
    let messages = ask(&program, "/v1/messages");
    assert_eq!(messages.status, 429);
    let remaining = messages.header("anthropic-ratelimit-requests-remaining");
    assert_eq!(remaining, Some("0"));
    let error: Value = serde_json::from_str(&messages.body).unwrap();
    assert_eq!(error["error"]["type"], "rate_limit_error");
}

/// The limits of a new token of a new user.
async fn limits(app: &TestApp) -> HolderLimits {
    let store = app.app.store();
    let transaction = store.write().await.expect("a transaction");
    store::groups::insert(&transaction, "default", "", 1_000_000, 1)
        .await
        .expect("a group");
    let new = users::NewUser {
        username: "ann".to_owned(),
        email: None,
        display_name: String::new(),
        password_hash: None,
        role: users::Role::User,
        group_name: "default".to_owned(),
        aff_code: "ann".to_owned(),
        inviter_id: None,
        created_at: 1,
    };
    let user = users::insert(&transaction, new).await.expect("a user");
    let new = NewToken {
        user_id: user.id,
        name: "t".to_owned(),
        prefix: String::new(),
        secret_hash: b"t".to_vec(),
        is_declared: false,
        now: 1,
    };
    let rights = TokenChanges {
        rpm: Some(Some(100)),
        concurrency: Some(Some(1_000)),
        ..TokenChanges::default()
    };
    let token = tokens::insert(&transaction, new, rights).await;
    HolderLimits::new(&token.expect("a token"), &user, None)
}

#[test]
fn over_two_nodes_on_redis_exactly_as_many_calls_get_in_as_fit() {
    let url = std::env::var("MODELGATE_TEST_REDIS").expect(
        "MODELGATE_TEST_REDIS is not set: run `make test`, or the command through \
         `scripts/with-services`, which starts a throw-away Redis",
    );
    let app = TestApp::start();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let limits = limits(&app).await;
        let prefix = format!("limits:{}:", std::process::id());
        let mut nodes = Vec::new();
        for name in ["n1", "n2"] {
            let mut options = RedisOptions::new(&url, &prefix, name);
            // A busy machine must not look like an unreachable Redis.
            options.response_timeout = std::time::Duration::from_secs(10);
            let shared = Shared::redis(options).await.unwrap();
            assert!(shared.is_available());
            nodes.push(Limiter::new(shared, name, Arc::new(SystemClock)));
        }
        let began = std::time::Instant::now();
        let calls: Vec<_> = (0..1_000)
            .map(|call| {
                let (node, limits) = (nodes[call % 2].clone(), limits.clone());
                let now_ms = SystemClock.now_ms();
                tokio::spawn(async move {
                    let default = Ceilings::default();
                    node.admit(&limits, default, 1, now_ms).await
                })
            })
            .collect();
        let (mut admitted, mut refused) = (Vec::new(), 0);
        for call in calls {
            match call.await.unwrap() {
                Ok(call) => admitted.push(call),
                Err(limited) => {
                    assert_eq!(limited.failure.kind, FailureKind::RateLimited);
                    refused += 1;
                }
            }
        }
        // By Redis' own clock, one more fits for each 600 ms that the race took.
        let more = usize::try_from(began.elapsed().as_millis() / 600).unwrap();
        let count = admitted.len();
        assert!((100..=100 + more).contains(&count), "{count} in {more}");
        assert_eq!(count + refused, 1_000);
        assert_eq!(nodes[0].running() + nodes[1].running(), count);
    });
}
