//! The state that nodes share, and the work that no request asks for.

use tempfile::TempDir;

use crate::support::{Program, run_with};

#[test]
fn a_redis_that_is_away_does_not_keep_the_service_from_starting_or_stopping() {
    let folder = TempDir::new().unwrap();
    let environment = [("MODELGATE_REDIS__URL", "redis://127.0.0.1:1")];
    let mut program = Program::serve(&["--data", folder.path().to_str().unwrap()], &environment);
    program.signal("TERM");
    assert_eq!(program.wait().code(), Some(0), "{}", program.log());
}

#[test]
fn a_redis_address_that_is_none_is_one_line() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "serve",
        "--data",
        folder.path().to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
    ];
    let wrong = [("MODELGATE_REDIS__URL", "redis://:hunter2@bad host:x")];
    let finished = run_with(&arguments, &wrong, "");
    assert_eq!(finished.code, Some(4), "{finished:?}");
    assert!(!finished.only_line().contains("hunter2"), "{finished:?}");
}
