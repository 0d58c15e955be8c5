//! What the program says about itself: version, description, completions.

use serde_json::Value;

use crate::support::run;

#[test]
fn the_version_is_json_for_scripts() {
    let done = run(&["version", "--json"]);
    let version: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert!(version["schema"].as_i64().unwrap() > 60, "{version}");
}

#[test]
fn the_description_is_the_one_that_is_stored() {
    let done = run(&["openapi"]);
    let stored = include_str!("../../../../../docs/api/openapi.json");
    assert!(done.stdout == stored);
}

#[test]
fn every_shell_gets_completions_of_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let done = run(&["completions", shell]);
        assert_eq!(done.code, Some(0), "{done:?}");
        for command in ["serve", "backup", "add-balance", "completions"] {
            assert!(done.stdout.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(run(&["completions", "cmd"]).code, Some(2));
}
