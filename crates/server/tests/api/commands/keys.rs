//! Master keys that the records were not written with: nothing starts on them, and nothing is lost.

use std::fs;
use std::path::PathBuf;

use super::scripts::{Instance, call};
use crate::support::{Finished, run_with};

const OTHER: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

fn key_file(instance: &Instance) -> PathBuf {
    instance.folder.path().join("master.key")
}

fn serve(instance: &Instance) -> Finished {
    instance.run(&["serve", "--listen", "127.0.0.1:0"], "")
}

/// Nothing runs on these keys, and each command says so in a line with these words.
fn all_refuse(instance: &Instance, words: &str) {
    for finished in [
        serve(instance),
        instance.run(&["user", "list"], ""),
        instance.run(&["import", "--list"], ""),
    ] {
        assert_eq!(finished.code, Some(5), "{finished:?}");
        assert!(finished.only_line().contains(words), "{finished:?}");
    }
}

#[test]
fn other_keys_than_those_of_the_records_are_refused() {
    let instance = Instance::new();
    let right = fs::read_to_string(key_file(&instance)).unwrap();
    fs::write(key_file(&instance), OTHER).unwrap();
    all_refuse(
        &instance,
        "not the master keys that the records were written with",
    );
    let arguments = ["user", "list", "--data", instance.data()];
    let finished = run_with(&arguments, &[("MODELGATE_SECRETS__MASTER_KEY", OTHER)], "");
    assert_eq!(finished.code, Some(5), "{finished:?}");
    assert!(
        finished.only_line().contains("secrets.master_key"),
        "{finished:?}"
    );
    // A key that was added on the wrong side.
    fs::write(key_file(&instance), format!("{right}{OTHER}\n")).unwrap();
    all_refuse(&instance, "goes before the others");

    fs::write(key_file(&instance), format!("{OTHER}\n{right}")).unwrap();
    assert_eq!(call(&instance.serve(), &instance.token).status, 200);
}

#[test]
fn a_key_file_that_is_gone_is_not_made_anew() {
    let instance = Instance::new();
    fs::remove_file(key_file(&instance)).unwrap();
    all_refuse(&instance, "there is no master key file");
    assert!(!key_file(&instance).exists());
}

#[test]
fn an_operator_who_has_lost_the_keys_can_go_on_with_others() {
    let instance = Instance::new();
    fs::remove_file(key_file(&instance)).unwrap();
    let adopted = instance.run(&["keys", "adopt"], "");
    assert_eq!(adopted.code, Some(0), "{adopted:?}");
    let made = instance.json(&["token", "create", "anew"], "");
    let program = instance.serve();
    assert_eq!(call(&program, &instance.token).status, 401);
    assert_eq!(call(&program, made["key"].as_str().unwrap()).status, 200);
}
