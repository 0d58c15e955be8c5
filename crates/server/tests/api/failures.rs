//! Every way in which a start can fail: one clear line on standard error and its exit status.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use sea_orm::{ConnectionTrait as _, Database};
use tempfile::TempDir;

use crate::support::{run, run_with};

#[test]
fn a_wrong_key_in_the_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("modelgate.toml");
    fs::write(&file, "[server]\nlisten = \"127.0.0.1:0\"\nlisten_on = 1\n").unwrap();
    let file = file.to_str().unwrap();
    for command in ["serve", "setup", "check"] {
        let password = if command == "setup" {
            &["--password-stdin"][..]
        } else {
            &[]
        };
        let finished = run_with(
            &[&[command, "--config", file], password].concat(),
            &[],
            "x\n",
        );
        assert_eq!(finished.code, Some(4), "{finished:?}");
        let line = finished.only_line();
        assert!(
            line.contains(&format!("{file}:3: server.listen_on: unknown key")),
            "{line}"
        );
        assert!(line.contains("did you mean \"listen\"?"), "{line}");
    }
}

#[test]
fn a_wrong_variable_in_the_environment() {
    let finished = run_with(&["check"], &[("MODELGATE_LIMITS__BODY_BYTES", "many")], "");
    assert_eq!(finished.code, Some(4));
    let line = finished.only_line();
    assert!(
        line.contains("environment MODELGATE_LIMITS__BODY_BYTES"),
        "{line}"
    );
}

#[test]
fn a_configuration_file_that_is_not_there() {
    let finished = run(&["serve", "--config", "/nowhere/modelgate.toml"]);
    assert_eq!(finished.code, Some(4));
    assert!(
        finished.only_line().contains("/nowhere/modelgate.toml"),
        "{finished:?}"
    );
}

#[test]
fn check_prints_every_problem_on_its_line_and_says_when_there_is_none() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("modelgate.toml");
    fs::write(
        &file,
        "[server]\ngrace_s = -1\nlisten = 5\n[serve]\nx = 1\n",
    )
    .unwrap();
    let finished = run(&["check", "--config", file.to_str().unwrap()]);
    assert_eq!(
        (finished.code, finished.stderr.lines().count()),
        (Some(4), 3),
        "{finished:?}"
    );
    fs::write(&file, "[server]\ngrace_s = 1\n").unwrap();
    let finished = run(&["check", "--config", file.to_str().unwrap()]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let shown = run_with(
        &[
            "check",
            "--show",
            "--config",
            file.to_str().unwrap(),
            "--listen",
            "127.0.0.1:9",
        ],
        &[("MODELGATE_REDIS__URL", "redis://:hunter2@localhost")],
        "",
    );
    assert!(
        shown
            .stdout
            .contains("listen = \"127.0.0.1:9\"  # flag --listen"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("grace_s = 1"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("hunter2"), "{}", shown.stdout);
}

#[test]
fn a_data_folder_that_cannot_be_used() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let data = file.join("data");
    let finished = run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        data.to_str().unwrap(),
    ]);
    assert_eq!(finished.code, Some(5));
    assert!(finished.only_line().contains("data folder"), "{finished:?}");
    // The file itself: it exists, but is no folder.
    let finished = run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        file.to_str().unwrap(),
    ]);
    assert_eq!(finished.code, Some(5));
    assert!(
        finished.only_line().contains(file.to_str().unwrap()),
        "{finished:?}"
    );
}

#[test]
fn a_key_file_that_others_can_read() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let set_up = ["setup", "--data", data, "--password-stdin"];
    assert_eq!(run_with(&set_up, &[], "long enough\n").code, Some(0));
    let key = folder.path().join("master.key");
    assert_eq!(
        fs::metadata(&key).unwrap().permissions().mode() & 0o777,
        0o600
    );
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let finished = run(&["serve", "--data", data, "--listen", "127.0.0.1:0"]);
    assert_eq!(finished.code, Some(5));
    assert!(finished.only_line().contains("chmod 600"), "{finished:?}");
}

#[test]
fn a_port_that_is_in_use() {
    let folder = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let finished = run(&[
        "serve",
        "--data",
        folder.path().to_str().unwrap(),
        "--listen",
        &address,
    ]);
    assert_eq!(finished.code, Some(6));
    let line = finished.only_line();
    assert!(line.contains(&address) && line.contains("in use"), "{line}");
}

#[test]
fn a_database_that_is_newer_than_the_program() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let set_up = ["setup", "--data", data, "--password-stdin"];
    assert_eq!(run_with(&set_up, &[], "long enough\n").code, Some(0));
    let url = format!("sqlite://{data}/modelgate.db");
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let database = Database::connect(url).await.unwrap();
        let newer =
            "INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'x', 'x')";
        database.execute_unprepared(newer).await.unwrap();
        database.close().await.unwrap();
    });
    let finished = run(&["serve", "--data", data, "--listen", "127.0.0.1:0"]);
    assert_eq!(finished.code, Some(8));
    assert!(finished.only_line().contains("9999"), "{finished:?}");
}

#[test]
fn a_database_that_cannot_be_reached() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "serve",
        "--data",
        folder.path().to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
    ];
    let url = "postgres://someone:hunter2@127.0.0.1:1/records";
    let finished = run_with(&arguments, &[("MODELGATE_DATABASE__URL", url)], "");
    assert_eq!(finished.code, Some(7));
    let line = finished.only_line();
    assert!(
        line.contains("127.0.0.1:1/records") && line.contains("no server took a connection"),
        "{line}"
    );
    assert!(!line.contains("hunter2"), "{line}");
}

#[test]
fn a_reader_that_has_enough_is_no_mistake() {
    let program = env!("CARGO_BIN_EXE_modelgate");
    let script = format!("{program} openapi | head -n 1");
    let done = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!((done.stdout, done.stderr), (b"{\n".to_vec(), Vec::new()));
}

#[test]
fn a_certificate_that_is_not_there() {
    let environment = [
        ("MODELGATE_SERVER__TLS_CERT", "/nowhere/cert.pem"),
        ("MODELGATE_SERVER__TLS_KEY", "/nowhere/key.pem"),
    ];
    let finished = run_with(&["check"], &environment, "");
    assert_eq!(finished.code, Some(4));
    assert!(
        finished.only_line().contains("/nowhere/cert.pem"),
        "{finished:?}"
    );
}

#[test]
fn a_wrong_command_line_has_a_status_of_its_own() {
    assert_eq!(run(&["serve", "--nonsense"]).code, Some(2));
    assert_eq!(
        run(&["setup"]).code,
        Some(2),
        "the password has to come from somewhere"
    );
}
