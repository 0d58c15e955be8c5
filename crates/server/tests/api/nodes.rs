//! Several nodes on one PostgreSQL.

use sea_orm::{ConnectionTrait as _, Database, Statement};
use tempfile::TempDir;

use serde_json::json;

use crate::setup::served_soon;
use crate::support::{Browser, Connection, Program, get, run_with};

/// An empty database on the throw-away PostgreSQL of the tests.
pub fn empty_database(name: &str) -> String {
    let server = std::env::var("MODELGATE_TEST_POSTGRES").expect(
        "MODELGATE_TEST_POSTGRES is not set: run `make test`, or the command through \
         `scripts/with-services`, which starts a throw-away PostgreSQL",
    );
    let name = format!("modelgate_{name}_{}", std::process::id());
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(async {
            let connection = Database::connect(&server)
                .await
                .expect("PostgreSQL answers");
            let create = format!("CREATE DATABASE {name} TEMPLATE template0");
            connection
                .execute_unprepared(&create)
                .await
                .expect("a database");
        });
    let (base, query) = server
        .split_once('?')
        .map_or((server.as_str(), ""), |(base, query)| (base, query));
    let (server, _) = base.rsplit_once('/').expect("a database in the address");
    if query.is_empty() {
        format!("{server}/{name}")
    } else {
        format!("{server}/{name}?{query}")
    }
}

/// Nodes that share records share the master key.
const MASTER_KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/// Records and state that nodes share.
struct Records {
    url: String,
    redis: String,
    prefix: String,
}

impl Records {
    fn empty(name: &str) -> Self {
        let redis = std::env::var("MODELGATE_TEST_REDIS").expect(
            "MODELGATE_TEST_REDIS is not set: run `make test`, or the command through \
             `scripts/with-services`, which starts a throw-away Redis",
        );
        Self {
            url: empty_database(name),
            redis,
            prefix: format!("{name}-{}", std::process::id()),
        }
    }

    fn environment(&self) -> [(&'static str, &str); 4] {
        [
            ("MODELGATE_DATABASE__URL", &self.url),
            ("MODELGATE_REDIS__URL", &self.redis),
            ("MODELGATE_REDIS__PREFIX", &self.prefix),
            ("MODELGATE_SECRETS__MASTER_KEY", MASTER_KEY),
        ]
    }
}

#[test]
fn three_nodes_that_start_at_once_on_an_empty_database_agree_on_one_schema() {
    let url = empty_database("nodes");
    let folders: Vec<TempDir> = (0..3).map(|_| TempDir::new().unwrap()).collect();
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        ("MODELGATE_SECRETS__MASTER_KEY", MASTER_KEY),
    ];
    let programs: Vec<Program> = std::thread::scope(|scope| {
        let starting: Vec<_> = folders
            .iter()
            .map(|folder| {
                scope.spawn(|| {
                    Program::serve(&["--data", folder.path().to_str().unwrap()], &environment)
                })
            })
            .collect();
        starting
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for program in &programs {
        assert_eq!(get(program.address, "/readyz").status, 200);
    }
    let links = programs
        .iter()
        .filter(|program| program.greeting.contains("/setup?code="))
        .count();
    assert!(links >= 1, "somebody offers the set-up");
    for mut program in programs {
        program.signal("TERM");
        assert_eq!(program.wait().code(), Some(0), "{}", program.log());
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let connection = Database::connect(&url).await.unwrap();
        let count =
            "SELECT COUNT(*) = COUNT(DISTINCT version) AND COUNT(*) > 0 FROM schema_migrations";
        let statement = Statement::from_string(connection.get_database_backend(), count);
        let row = connection.query_one_raw(statement).await.unwrap().unwrap();
        assert!(
            row.try_get_by_index::<bool>(0).unwrap(),
            "each migration was applied once"
        );
    });
    let data = folders[0].path().to_str().unwrap();
    let set_up = [
        "setup",
        "--data",
        data,
        "--password-stdin",
        "--demo",
        "--token",
        "first",
    ];
    assert_eq!(
        run_with(&set_up, &environment, "correct horse\n").code,
        Some(0)
    );
    assert_eq!(
        run_with(&set_up, &environment, "correct horse\n").code,
        Some(3)
    );
    let verified = run_with(&["ledger", "verify", "--data", data], &environment, "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn a_set_up_on_one_node_is_noticed_by_those_that_run() {
    let records = Records::empty("late_set_up");
    let environment = records.environment();
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let data = |at: usize| folders[at].path().to_str().unwrap();
    let program = Program::serve(&["--data", data(0)], &environment);
    program.wait_for_log("listening");
    let set_up = ["setup", "--data", data(1), "--password-stdin", "--demo"];
    let set_up = [&set_up[..], &["--token", "first"]].concat();
    let done = run_with(&set_up, &environment, "correct horse\n");
    let printed: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    served_soon(&program, printed["token"].as_str().unwrap());
}

#[test]
fn a_setting_that_one_node_changes_is_obeyed_by_the_other_within_a_second() {
    let records = Records::empty("settings");
    let shared = records.environment();
    let environment = [&shared[..], &[("MODELGATE_LOGIN__FAILURES", "7")]].concat();
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let data = |at: usize| folders[at].path().to_str().unwrap();
    let set_up = ["setup", "--data", data(0), "--password-stdin"];
    let done = run_with(&set_up, &environment, "correct horse\n");
    assert_eq!(done.code, Some(0), "{done:?}");
    let one = Program::serve(&["--data", data(0)], &environment);
    let other = Program::serve(&["--data", data(1)], &environment);
    let root = Browser::logged_in(one.address, "root", "correct horse");
    let values = json!({"values": {"console.name": "Gate of tests", "login.password_length": 33}});
    root.put("/api/option/", &values).data();
    let begun = std::time::Instant::now();
    let name = || get(other.address, "/api/status").json()["data"]["name"].clone();
    while name() != "Gate of tests" {
        assert!(begun.elapsed().as_millis() < 1000, "it took too long");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let locked = json!({"values": {"login.failures": 3}});
    let (status, code, message) = root.put("/api/option/", &locked).refusal();
    assert_eq!((status, code.as_str()), (409, "setting_locked"));
    assert!(message.contains("MODELGATE_LOGIN__FAILURES"), "{message}");
    drop(other);
    let again = Program::serve(&["--data", data(1)], &environment);
    let status = get(again.address, "/api/status").json();
    assert_eq!(
        status["data"]["password_length"], 33,
        "it outlives a restart"
    );
}

#[test]
fn calls_under_way_on_one_node_are_shown_on_the_other() {
    let records = Records::empty("running");
    let environment = records.environment();
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let data = |at: usize| folders[at].path().to_str().unwrap();
    let set_up = ["setup", "--data", data(0), "--password-stdin", "--demo"];
    let set_up = [&set_up[..], &["--token", "first"]].concat();
    let done = run_with(&set_up, &environment, "correct horse\n");
    let printed: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let watched = Program::serve(&["--data", data(0)], &environment);
    let calling = Program::serve(&["--data", data(1)], &environment);
    let root = Browser::logged_in(watched.address, "root", "correct horse");
    let made = root.post("/api/user/pat", &json!({"name": "tail"})).data();
    let token = made["token"].as_str().expect("a token");
    let mut tail = Connection::open(watched.address);
    tail.write(&format!(
        "GET /api/log/stream?scope=all HTTP/1.1\r\nhost: gate.example\r\n\
         authorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    ));
    // It may begin before its node knows of the watcher, and shows itself with its next piece then.
    let body = json!({"model": "demo-chat", "stream": true,
        "messages": [{"role": "user", "content": "word ".repeat(500)}]});
    let body = body.to_string();
    let mut call = Connection::open(calling.address);
    call.write(&format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: gate.example\r\n\
         authorization: Bearer {}\r\ncontent-type: application/json\r\n\
         x-modelgate-demo: pace=50\r\ncontent-length: {}\r\n\r\n{body}",
        printed["token"].as_str().expect("a token"),
        body.len()
    ));
    let text = tail.read_until("\"token_name\":\"first\"");
    assert!(text.contains("\"channel\":\"demo\""), "{text}");
    drop(call);
    tail.read_until("{\"calls\":[],\"more\":0}");
}
