//! SIGHUP on the real program.

use std::fs;

use tempfile::TempDir;

use crate::support::{Program, send};

fn serve(folder: &TempDir, text: &str) -> Program {
    let (data, file) = (
        folder.path().join("data"),
        folder.path().join("modelgate.toml"),
    );
    fs::write(&file, text).expect("the file is written");
    Program::serve(
        &[
            "--data",
            data.to_str().expect("a path of text"),
            "--config",
            file.to_str().expect("a path of text"),
        ],
        &[],
    )
}

#[test]
fn a_reload_changes_what_can_change_and_names_what_cannot() {
    let folder = TempDir::new().unwrap();
    let mut program = serve(&folder, "[limits]\nbody_bytes = 4096\n");
    let body = "a".repeat(2048);
    assert_eq!(send(program.address, "POST /v1/x", &[], &body).status, 404);
    let file = folder.path().join("modelgate.toml");
    fs::write(
        &file,
        "[limits]\nbody_bytes = 1024\n[log]\nlevel = \"debug\"\n[server]\nworkers = 7\n",
    )
    .unwrap();
    program.signal("HUP");
    program.wait_for_log("the configuration was reloaded");
    program.wait_for_log("these settings change with the next restart");
    let log = program.log();
    assert!(log.contains("limits.body_bytes, log.level"), "{log}");
    assert!(log.contains("server.workers"), "{log}");
    assert_eq!(send(program.address, "POST /v1/x", &[], &body).status, 413);
    assert_eq!(send(program.address, "GET /healthz", &[], "").status, 200);
    program.wait_for_log("\"path\":\"/healthz\"");
    program.signal("TERM");
    assert_eq!(program.wait().code(), Some(0));
}

#[test]
fn a_wrong_file_on_reload_changes_nothing_and_says_why() {
    let folder = TempDir::new().unwrap();
    let program = serve(&folder, "[limits]\nbody_bytes = 1024\n");
    let file = folder.path().join("modelgate.toml");
    fs::write(&file, "[limits]\nbody_bytes = 9999\nbody_byte = 1\n").unwrap();
    program.signal("HUP");
    program.wait_for_log("the configuration was not reloaded");
    let log = program.log();
    assert!(
        log.contains("modelgate.toml:3: limits.body_byte: unknown key"),
        "{log}"
    );
    assert_eq!(
        send(program.address, "POST /v1/x", &[], &"a".repeat(2048)).status,
        413
    );
}

#[test]
fn tokens_in_a_query_never_reach_the_log() {
    let folder = TempDir::new().unwrap();
    let program = serve(&folder, "[log]\nlevel = \"trace\"\n");
    let headers = [
        ("authorization", "Bearer sk-header-secret"),
        ("cookie", "session=cookie-secret"),
    ];
    send(
        program.address,
        "GET /v1beta/models?key=sk-query-secret",
        &headers,
        "",
    );
    program.wait_for_log("/v1beta/models");
    let log = program.log();
    for secret in ["sk-query-secret", "sk-header-secret", "cookie-secret"] {
        assert!(!log.contains(secret), "{secret}");
    }
}
