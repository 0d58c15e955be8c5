//! A copy that was taken while calls ran is a whole instance: its ledger balances, and it serves.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tempfile::TempDir;

use super::scripts::{Instance, call};
use crate::support::{Program, run_with};

#[test]
fn a_copy_taken_under_load_restores_into_a_server_that_balances_and_serves() {
    let instance = Instance::new();
    let program = instance.serve();
    let copies = TempDir::new().unwrap();
    let (is_over, served) = (AtomicBool::new(false), AtomicUsize::new(0));
    let file = |number: usize| {
        let path = copies.path().join(format!("copy-{number}"));
        path.to_str().unwrap().to_owned()
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    assert_eq!(call(&program, &instance.token).status, 200);
                    served.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in 0..3 {
            let before = served.load(Ordering::Relaxed);
            while served.load(Ordering::Relaxed) < before + 20 {
                std::thread::yield_now();
            }
            let done = instance.run(&["backup", &file(number)], "");
            assert_eq!(done.code, Some(0), "{done:?}");
            assert!(
                done.stdout.contains("master keys are not in it"),
                "{done:?}"
            );
        }
        is_over.store(true, Ordering::Relaxed);
    });
    for number in 0..3 {
        check_restored(&instance, &file(number));
    }
}

/// Restores into a new folder with the keys of the old one.
fn check_restored(instance: &Instance, file: &str) {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let done = run_with(&["restore", file, "--data", data], &[], "");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.stdout.contains("master.key back before you start"),
        "{done:?}"
    );
    let keys = instance.folder.path().join("master.key");
    std::fs::copy(keys, folder.path().join("master.key")).unwrap();
    let verified = run_with(&["ledger", "verify", "--data", data], &[], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let restored = Program::serve(&["--data", data], &[]);
    assert_eq!(call(&restored, &instance.token).status, 200);
    drop(restored);
    let verified = run_with(&["ledger", "verify", "--data", data], &[], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn nothing_is_overwritten_by_mistake() {
    let instance = Instance::new();
    let copy = instance.folder.path().join("copy");
    let copy = copy.to_str().unwrap();
    assert_eq!(instance.run(&["backup", copy], "").code, Some(0));
    let again = instance.run(&["backup", copy], "");
    assert!(again.only_line().contains("exists already"), "{again:?}");
    let refused = instance.run(&["restore", copy], "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.only_line().contains("--replace"), "{refused:?}");
    let program = instance.serve();
    let refused = instance.run(&["restore", copy, "--replace"], "");
    assert!(
        refused.only_line().contains("stop the server first"),
        "{refused:?}"
    );
    assert_eq!(call(&program, &instance.token).status, 200);
    drop(program);
    let done = instance.run(&["restore", copy, "--replace"], "");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.stdout.contains("modelgate.db.before-restore"),
        "{done:?}"
    );
}

#[test]
fn a_restore_over_a_database_can_be_undone_with_what_it_put_aside() {
    let instance = Instance::new();
    let copy = instance.folder.path().join("copy");
    assert_eq!(
        instance.run(&["backup", copy.to_str().unwrap()], "").code,
        Some(0)
    );
    let later = instance.json(&["token", "create", "later"], "");
    let later = later["key"].as_str().unwrap();
    let mut program = instance.serve();
    assert_eq!(call(&program, later).status, 200);
    program.signal("TERM");
    assert_eq!(program.wait().code(), Some(0), "{}", program.log());
    let put_back = |file: &str| {
        let done = instance.run(&["restore", file, "--replace"], "");
        assert_eq!(done.code, Some(0), "{done:?}");
    };
    put_back(copy.to_str().unwrap());
    put_back(&format!("{}/modelgate.db.before-restore", instance.data()));
    assert_eq!(call(&instance.serve(), later).status, 200);
}

#[test]
fn records_in_postgres_are_left_to_its_own_tools() {
    let url = [(
        "MODELGATE_DATABASE__URL",
        "postgres://nobody@127.0.0.1:1/none",
    )];
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        let refused = run_with(&[command, "file"], &url, "");
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.only_line().contains(tool), "{refused:?}");
    }
}
