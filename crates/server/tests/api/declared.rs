//! Channels and tokens of the configuration file: applied at the start, on reload and once root
//! exists; found again, changed and removed.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use server::config::Config;
use server::declared::{Applied, DeclareError, apply};
use store::channels::{self, Channel, ChannelChanges, ChannelState, NewChannel};
use store::shared::Change;
use store::{channel_keys, tokens};
use tempfile::TempDir;

use crate::nodes::empty_database;
use crate::support::{Program, Reply, TestApp, run_with, send};

const ONE_CHANNEL: &str = r#"
[[channels]]
name = "vllm"
type = "openai"
base_url = "http://127.0.0.1:8000/v1"
keys = ["sk-one", "sk-two"]
models = ["llama-4", "fast=llama-4-mini"]
dialects = ["chat"]
priority = 10
weight = 3
tags = ["local"]
limits = { rpm = 60 }
timeouts = { first_byte_ms = 900 }
headers = { x-team = "research" }
drop_body = ["user"]
"#;

const DEMO: &str = r#"
[[channels]]
name = "offline"
type = "demo"
models = ["demo-chat", "chatty=demo-chat"]

[[tokens]]
name = "ci"
key = "declared-token-0123456789"
"#;

async fn applied(app: &TestApp, text: &str) -> Result<Applied, DeclareError> {
    let config = Config::from_text(text).expect("a valid configuration");
    let app = &app.app;
    apply(
        app.store(),
        app.keys(),
        app.clock(),
        app.randomness(),
        &config,
    )
    .await
}

async fn rows(app: &TestApp) -> Vec<Channel> {
    channels::all(app.app.store().read())
        .await
        .expect("the channels")
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(work)
}

#[test]
fn a_declared_channel_is_written_found_again_changed_and_removed() {
    let app = TestApp::start();
    block_on(async {
        let first = applied(&app, ONE_CHANNEL).await.unwrap();
        let [channel] = rows(&app).await.try_into().unwrap();
        assert_eq!(first.changes, [Change::Channel(channel.id)]);
        assert!(channel.is_declared);
        assert_eq!(channel.models.0, ["llama-4", "fast"]);
        assert_eq!(channel.model_mapping.0["fast"], "llama-4-mini");
        assert_eq!(
            (channel.priority, channel.weight, channel.rpm),
            (10, 3, Some(60))
        );
        assert_eq!(channel.first_byte_timeout_ms, Some(900));
        let overrides = json!({"headers": {"x-team": "research"}, "drop_body": ["user"]});
        assert_eq!(channel.overrides.unwrap().0, overrides);
        let store = app.app.store();
        let keys = channel_keys::list(store.read(), channel.id).await.unwrap();
        let pinned: Vec<&str> = keys.iter().map(|key| key.pinned_host.as_str()).collect();
        assert_eq!(pinned, ["http://127.0.0.1:8000", "http://127.0.0.1:8000"]);

        let again = applied(&app, ONE_CHANNEL).await.unwrap();
        assert_eq!(again, Applied::default(), "nothing to do");

        let off = ChannelChanges {
            state: Some(ChannelState::Off),
            ..ChannelChanges::default()
        };
        let transaction = store.write().await.unwrap();
        let switched = channels::update(&transaction, channel.id, off, 2).await;
        assert!(switched.unwrap().is_some());
        transaction.commit().await.unwrap();
        let again = applied(&app, ONE_CHANNEL).await.unwrap();
        assert_eq!(again, Applied::default(), "its state is not declared");

        let other = ONE_CHANNEL
            .replace("weight = 3", "weight = 5")
            .replace("sk-two", "sk-3");
        let changed = applied(&app, &other).await.unwrap();
        assert_eq!(changed.changes, [Change::Channel(channel.id)]);
        let [changed] = rows(&app).await.try_into().unwrap();
        assert_eq!((changed.weight, changed.state), (5, ChannelState::Off));
        let replaced = channel_keys::list(store.read(), channel.id).await.unwrap();
        assert_ne!(replaced[1].secret_encrypted, keys[1].secret_encrypted);

        let removed = applied(&app, "").await.unwrap();
        assert_eq!(removed.changes, [Change::Channel(channel.id)]);
        assert!(rows(&app).await.is_empty());
        assert_eq!(applied(&app, "").await.unwrap(), Applied::default());
    });
}

#[test]
fn a_name_that_was_taken_by_hand_is_refused_and_nothing_is_written() {
    let app = TestApp::start();
    block_on(async {
        let new = NewChannel {
            name: "vllm".to_owned(),
            provider: "demo".to_owned(),
            base_url: String::new(),
            is_declared: false,
        };
        let transaction = app.app.store().write().await.unwrap();
        channels::insert(&transaction, new, ChannelChanges::default(), 1)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        let both = format!("{DEMO}{ONE_CHANNEL}");
        let error = applied(&app, &both).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "[[channels]] \"vllm\": a channel of this name was made by hand; rename one of them"
        );
        assert_eq!(rows(&app).await.len(), 1);
    });
}

#[test]
fn what_is_wrong_with_a_channel_keeps_it_out_of_routing_and_is_told() {
    let app = TestApp::with(
        &ONE_CHANNEL.replace("drop_body = [\"user\"]", "drop_headers = [\"host\"]"),
        axum::Router::new(),
    );
    let snapshot = app.app.channels().snapshot();
    let [broken] = snapshot.broken() else {
        panic!("one broken channel: {snapshot:?}")
    };
    assert_eq!(
        broken.reason,
        "overrides.drop_headers: `host` belongs to the transport"
    );
    let unknown = Config::from_text(&ONE_CHANNEL.replace("\"openai\"", "\"opnai\"")).unwrap_err();
    let text = unknown.to_string();
    assert!(
        text.contains("there is no provider \"opnai\"; did you mean \"openai\"?"),
        "{text}"
    );
}

#[test]
fn declared_tokens_wait_for_root() {
    let app = TestApp::start();
    block_on(async {
        let first = applied(&app, DEMO).await.unwrap();
        assert_eq!(
            first.waiting,
            ["[[tokens]] \"ci\": waits for the root user"]
        );
        assert!(
            tokens::declared(app.app.store().read())
                .await
                .unwrap()
                .is_empty()
        );
    });
}

/// A program that serves what a file declares.
struct Declared {
    program: Program,
    file: PathBuf,
    data: PathBuf,
    _folder: TempDir,
}

impl Declared {
    fn serve(text: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        let (data, file) = (
            folder.path().join("data"),
            folder.path().join("modelgate.toml"),
        );
        fs::write(&file, text).expect("a file");
        let paths = [
            data.to_str().expect("a path of text"),
            file.to_str().expect("a path of text"),
        ];
        let program = Program::serve(&["--data", paths[0], "--config", paths[1]], &[]);
        Self {
            program,
            file,
            data,
            _folder: folder,
        }
    }

    fn set_up(&self) {
        let (_, code) = self
            .program
            .greeting
            .split_once("code=")
            .expect("a setup link");
        let code = code.split_whitespace().next().expect("a code");
        let body = json!({"code": code, "username": "root", "password": "correct horse battery"});
        let headers = [("content-type", "application/json")];
        let reply = send(
            self.program.address,
            "POST /api/setup",
            &headers,
            &body.to_string(),
        );
        assert_eq!(reply.status, 200, "{}", reply.body);
    }

    fn models(&self, token: &str) -> Reply {
        let bearer = format!("Bearer {token}");
        send(
            self.program.address,
            "GET /v1/models",
            &[("authorization", &bearer)],
            "",
        )
    }

    fn wait_for(&self, token: &str, is_there: impl Fn(&Reply) -> bool) -> Reply {
        let started = Instant::now();
        loop {
            let reply = self.models(token);
            if is_there(&reply) {
                return reply;
            }
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "{}",
                self.program.log()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn reload(&self, text: &str) {
        fs::write(&self.file, text).expect("a file");
        self.program.signal("HUP");
    }
}

#[test]
fn a_declared_token_works_as_soon_as_root_exists_and_a_reload_changes_it() {
    let declared = Declared::serve(DEMO);
    let token = "declared-token-0123456789";
    assert_eq!(declared.models(token).status, 401);
    declared.set_up();
    let listed = declared.wait_for(token, |reply| reply.status == 200);
    assert!(listed.body.contains("\"chatty\""), "{}", listed.body);
    let headers = [
        ("authorization", "Bearer declared-token-0123456789"),
        ("content-type", "application/json"),
    ];
    let body = json!({"model": "chatty", "messages": [{"role": "user", "content": "hello"}]});
    let address = declared.program.address;
    let answer = send(
        address,
        "POST /v1/chat/completions",
        &headers,
        &body.to_string(),
    );
    assert_eq!(answer.status, 200, "{}", answer.body);

    declared.reload(&DEMO.replace("chatty", "talky"));
    declared.wait_for(token, |reply| reply.body.contains("\"talky\""));
    declared.reload(&DEMO.replace("declared-token-0123456789", "another-token-0123456789"));
    declared.wait_for("another-token-0123456789", |reply| reply.status == 200);
    assert_eq!(declared.models(token).status, 401);
    declared.reload("");
    declared.wait_for("another-token-0123456789", |reply| reply.status == 401);
}

#[test]
fn set_up_on_the_command_line_applies_what_is_declared() {
    // A declared demo channel takes the place of the one that set-up would make.
    let declared = Declared::serve(&DEMO.replace("offline", "demo"));
    let mut program = declared.program;
    program.signal("TERM");
    program.wait();
    let paths = [
        declared.data.to_str().unwrap(),
        declared.file.to_str().unwrap(),
    ];
    let arguments = [
        "setup",
        "--data",
        paths[0],
        "--config",
        paths[1],
        "--password-stdin",
        "--demo",
    ];
    let done = run_with(&arguments, &[], "correct horse battery\n");
    assert_eq!(done.code, Some(0), "{done:?}");
    let program = Program::serve(&["--data", paths[0], "--config", paths[1]], &[]);
    let bearer = [("authorization", "Bearer declared-token-0123456789")];
    assert_eq!(
        send(program.address, "GET /v1/models", &bearer, "").status,
        200
    );
}

#[test]
fn nodes_that_start_at_once_agree_on_what_is_declared() {
    let url = empty_database("declared");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("modelgate.toml");
    let free = "[billing]\nunpriced = \"free\"\n";
    fs::write(&file, format!("{free}{DEMO}{ONE_CHANNEL}")).unwrap();
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        (
            "MODELGATE_SECRETS__MASTER_KEY",
            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        ),
    ];
    let config = file.to_str().unwrap();
    let folders: Vec<TempDir> = (0..4).map(|_| TempDir::new().unwrap()).collect();
    let data: Vec<&str> = folders
        .iter()
        .map(|data| data.path().to_str().unwrap())
        .collect();
    let set_up = [
        "setup",
        "--data",
        data[3],
        "--config",
        config,
        "--password-stdin",
    ];
    let done = run_with(&set_up, &environment, "correct horse battery\n");
    assert_eq!(done.code, Some(0), "{done:?}");
    let programs: Vec<Program> = std::thread::scope(|scope| {
        let starting: Vec<_> = data[..3]
            .iter()
            .map(|data| {
                scope.spawn(|| Program::serve(&["--data", data, "--config", config], &environment))
            })
            .collect();
        starting
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for program in &programs {
        let bearer = [("authorization", "Bearer declared-token-0123456789")];
        let listed = send(program.address, "GET /v1/models", &bearer, "");
        assert_eq!(listed.status, 200, "{}", program.log());
        assert!(listed.body.contains("llama-4"), "{}", listed.body);
    }
}
