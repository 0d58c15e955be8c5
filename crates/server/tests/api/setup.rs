//! `modelgate setup`, the setup link, and what both leave behind.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use server::accounts::{SetUp, offer_setup_code, set_up as make_root};
use server::clock::SystemClock;
use server::config::{Dollars, Secret};
use server::randomness::SystemRandomness;
use server::secrets::KeyRing;
use store::ledger::{Account, balance};
use store::users::{self, Role};
use store::{Location, OpenOptions, Store, channels, tokens};
use tempfile::TempDir;

use crate::commands::call;
use crate::support::{Finished, Program, run, run_with};

/// Longest wait for a server to notice something.
const PATIENCE: Duration = Duration::from_secs(20);

fn set_up(folder: &Path, more: &[&str]) -> Finished {
    let arguments = [
        &[
            "setup",
            "--data",
            folder.to_str().expect("a path of text"),
            "--password-stdin",
        ],
        more,
    ]
    .concat();
    run_with(&arguments, &[], "correct horse\n")
}

#[test]
fn set_up_makes_root_a_token_the_grant_and_the_demo_channel_once() {
    let folder = TempDir::new().unwrap();
    let done = set_up(
        folder.path(),
        &["--admin", "anna", "--demo", "--token", "first"],
    );
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    assert_eq!(done.stdout.lines().count(), 1);
    let printed: Value = serde_json::from_str(&done.stdout).unwrap();
    let token = printed["token"].as_str().unwrap();
    assert_eq!(token.len(), 51);
    assert!(
        token.starts_with("sk-") && token[3..].bytes().all(|byte| byte.is_ascii_alphanumeric())
    );
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let location = Location::Sqlite(folder.path().join("modelgate.db"));
        let store = Store::open(&location, &OpenOptions::default())
            .await
            .unwrap();
        let root = users::find_by_login(store.read(), "anna")
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (root.id.0, root.role),
            (printed["user_id"].as_i64().unwrap(), Role::Root)
        );
        assert!(root.password_hash.unwrap().starts_with("$argon2id$"));
        let wallet = balance(store.read(), Account::Wallet(root.id))
            .await
            .unwrap();
        assert_eq!(wallet, 100_000_000_000);
        let filter = tokens::TokenFilter::default();
        let stored = tokens::list(
            store.read(),
            &filter,
            store::Page {
                number: 1,
                size: 10,
            },
        )
        .await;
        let stored = stored.unwrap().items;
        assert_eq!((stored.len(), stored[0].prefix.as_str()), (1, &token[..8]));
        assert_eq!(stored[0].secret_hash.len(), 32);
        let channels = channels::all(store.read()).await.unwrap();
        assert_eq!((channels.len(), channels[0].provider.as_str()), (1, "demo"));
        store.close().await.unwrap();
    });
    let bytes = std::fs::read(folder.path().join("modelgate.db")).unwrap();
    let is_in_file = bytes
        .windows(token.len())
        .any(|window| window == token.as_bytes());
    assert!(!is_in_file, "the token itself is nowhere in the database");

    let again = set_up(folder.path(), &["--admin", "bert"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(3), ""));
    assert!(again.only_line().contains("done before"), "{again:?}");
    let verified = run(&[
        "ledger",
        "verify",
        "--data",
        folder.path().to_str().unwrap(),
    ]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn the_grant_can_be_chosen_and_the_rest_left_out() {
    let folder = TempDir::new().unwrap();
    let done = set_up(folder.path(), &["--grant-usd", "2.5"]);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "{\"user_id\":1}\n")
    );
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let location = Location::Sqlite(folder.path().join("modelgate.db"));
        let store = Store::open(&location, &OpenOptions::default())
            .await
            .unwrap();
        let wallet = balance(store.read(), Account::Wallet(store::UserId(1)))
            .await
            .unwrap();
        assert_eq!(wallet, 2_500_000_000);
        assert!(channels::all(store.read()).await.unwrap().is_empty());
        store.close().await.unwrap();
    });
}

#[test]
fn what_is_written_is_its_owners_alone_wherever_the_folder_is() {
    let folder = TempDir::new().unwrap();
    let open = Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    assert_eq!(set_up(folder.path(), &[]).code, Some(0));
    let program = Program::serve(&["--data", folder.path().to_str().unwrap()], &[]);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        // What tells a server of changes says nothing, and the command may be another user's.
        let wanted = if entry.file_name() == "changed" {
            0o644
        } else {
            0o600
        };
        assert_eq!(mode, wanted, "{:?}", entry.file_name());
    }
    drop(program);
}

#[test]
fn a_short_password_is_refused_and_nothing_is_made() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let arguments = [
        "setup",
        "--data",
        data.to_str().unwrap(),
        "--password-stdin",
    ];
    let refused = run_with(&arguments, &[], "short\n");
    assert_eq!(refused.code, Some(1));
    assert!(refused.only_line().contains("8 characters"), "{refused:?}");
    assert!(!data.exists());
}

#[test]
fn set_ups_at_the_same_time_make_one_root() {
    let folder = TempDir::new().unwrap();
    let codes: Vec<Option<i32>> = std::thread::scope(|scope| {
        let names = ["a", "b", "c", "d"];
        let begun: Vec<_> = names
            .map(|name| scope.spawn(|| set_up(folder.path(), &["--admin", name]).code))
            .into_iter()
            .collect();
        begun
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(
        codes.iter().filter(|code| **code == Some(0)).count(),
        1,
        "{codes:?}"
    );
    assert_eq!(
        codes.iter().filter(|code| **code == Some(3)).count(),
        3,
        "{codes:?}"
    );
}

#[test]
fn servers_that_start_meanwhile_are_not_taken_for_a_set_up() {
    let folder = TempDir::new().unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let location = Location::Sqlite(folder.path().join("modelgate.db"));
        let store = Store::open(&location, &OpenOptions::default())
            .await
            .unwrap();
        let keys = KeyRing::generate(&SystemRandomness);
        let request = SetUp {
            username: "root".to_owned(),
            password: Secret::new("correct horse"),
            demo: false,
            token_name: None,
            grant: Dollars::whole(1),
            mode: None,
        };
        let setting_up = make_root(&store, &keys, &SystemClock, &SystemRandomness, request);
        // Each start saves the settings, while the password is hashed.
        let starting = async {
            for _ in 0..20 {
                offer_setup_code(&store, &keys, &SystemClock, &SystemRandomness)
                    .await
                    .unwrap();
            }
        };
        let (done, ()) = tokio::join!(setting_up, starting);
        assert!(done.is_ok(), "{done:?}");
        store.close().await.unwrap();
    });
}

#[test]
fn an_empty_instance_prints_a_setup_link_until_it_is_set_up() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let link = |program: &Program| {
        let line = program
            .greeting
            .lines()
            .find(|line| line.contains("/setup?code="))?;
        line.split("/setup?code=")
            .nth(1)?
            .split(' ')
            .next()
            .map(str::to_owned)
    };
    let first = Program::serve(&["--data", data], &[]);
    let code = link(&first).expect("a link");
    assert_eq!(code.len(), 24);
    assert!(!first.log().contains(&code), "the code is not in the log");
    drop(first);
    assert_ne!(
        link(&Program::serve(&["--data", data], &[])),
        Some(code),
        "each start has its own"
    );
    assert_eq!(set_up(folder.path(), &[]).code, Some(0));
    assert_eq!(link(&Program::serve(&["--data", data], &[])), None);
}

#[test]
fn a_running_server_notices_the_set_up() {
    let folder = TempDir::new().unwrap();
    let program = Program::serve(&["--data", folder.path().to_str().unwrap()], &[]);
    program.wait_for_log("listening");
    let done = set_up(folder.path(), &["--demo", "--token", "first"]);
    let printed: Value = serde_json::from_str(&done.stdout).unwrap();
    served_soon(&program, printed["token"].as_str().unwrap());
}

/// Calls until a call is answered, which takes a moment after a change.
pub fn served_soon(program: &Program, token: &str) {
    let began = Instant::now();
    while call(program, token).status != 200 {
        assert!(began.elapsed() < PATIENCE, "{}", program.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn version_is_told_to_people_and_programs() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(run(&["version"]).stdout, format!("modelgate {version}\n"));
    let json: Value = serde_json::from_str(&run(&["version", "--json"]).stdout).unwrap();
    assert_eq!(json["version"], version);
}
