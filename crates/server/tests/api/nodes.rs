//! Several nodes on one PostgreSQL.

use sea_orm::{ConnectionTrait as _, Database, Statement};
use tempfile::TempDir;

use serde_json::json;

use crate::setup::served_soon;
use crate::support::{Browser, Program, get, run_with};

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

#[test]
fn three_nodes_that_start_at_once_on_an_empty_database_agree_on_one_schema() {
    let url = empty_database("nodes");
    let folders: Vec<TempDir> = (0..3).map(|_| TempDir::new().unwrap()).collect();
    // Nodes that share records share the master key.
    let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        ("MODELGATE_SECRETS__MASTER_KEY", key),
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
    let url = empty_database("late_set_up");
    let redis = std::env::var("MODELGATE_TEST_REDIS").expect(
        "MODELGATE_TEST_REDIS is not set: run `make test`, or the command through \
         `scripts/with-services`, which starts a throw-away Redis",
    );
    let prefix = format!("late-set-up-{}", std::process::id());
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        ("MODELGATE_REDIS__URL", redis.as_str()),
        ("MODELGATE_REDIS__PREFIX", prefix.as_str()),
        (
            "MODELGATE_SECRETS__MASTER_KEY",
            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        ),
    ];
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
    let url = empty_database("settings");
    let redis = std::env::var("MODELGATE_TEST_REDIS").expect(
        "MODELGATE_TEST_REDIS is not set: run `make test`, or the command through \
         `scripts/with-services`, which starts a throw-away Redis",
    );
    let prefix = format!("settings-{}", std::process::id());
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        ("MODELGATE_REDIS__URL", redis.as_str()),
        ("MODELGATE_REDIS__PREFIX", prefix.as_str()),
        (
            "MODELGATE_SECRETS__MASTER_KEY",
            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        ),
        ("MODELGATE_LOGIN__FAILURES", "7"),
    ];
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
