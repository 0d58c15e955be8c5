//! `modelgate import`, from a file and from a PostgreSQL server.

use serde_json::Value;
use tempfile::TempDir;

use super::rows::Foreign;
use crate::nodes::empty_database;
use crate::support::{Finished, Program, run_with};

/// An installation, with its records in a file or on a server.
pub struct Installation {
    folder: TempDir,
    environment: Vec<(&'static str, String)>,
}

impl Installation {
    /// Set up with the demo channel.
    pub fn new(url: Option<String>) -> Self {
        let url = url.map(|url| ("MODELGATE_DATABASE__URL", url));
        let installation = Self {
            folder: TempDir::new().expect("a folder"),
            environment: url.into_iter().collect(),
        };
        let done = installation.run(&["setup", "--password-stdin", "--demo"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        installation
    }

    fn run(&self, arguments: &[&str]) -> Finished {
        let data = self.folder.path().to_str().expect("text");
        let environment: Vec<(&str, &str)> = self
            .environment
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let arguments = [arguments, &["--data", data]].concat();
        run_with(&arguments, &environment, "correct horse\n")
    }

    /// Runs `import`.
    pub fn import(&self, more: &[&str]) -> Finished {
        self.run(&[&["import"], more].concat())
    }
}

/// What a command printed that must have succeeded.
pub fn report(done: &Finished) -> Value {
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    serde_json::from_str(&done.stdout).expect("a report")
}

#[test]
fn a_postgres_server_is_imported_into_another_twice_with_one_result_and_undone() {
    let url = empty_database("foreign");
    Foreign::new_api().postgres(&url);
    let here = Installation::new(Some(empty_database("imports")));
    let dry = report(&here.import(&["new-api", &url, "--dry-run", "--json"]));
    let first = report(&here.import(&["new-api", &url, "--json"]));
    assert_eq!(first["format"], "postgres");
    assert_eq!(
        (&first["counts"], &first["notes"]),
        (&dry["counts"], &dry["notes"])
    );
    assert_eq!(first["credited_usd"], "2");
    let second = report(&here.import(&["new-api", &url, "--json"]));
    assert_eq!(second["credited_usd"], "0");
    let listed = here.import(&["--list"]);
    assert!(
        listed.stdout.contains("1 new-api (postgres), done"),
        "{listed:?}"
    );
    let listed = report(&here.import(&["--list", "--json"]));
    assert_eq!(
        (&listed[0]["id"], &listed[0]["state"]),
        (&2.into(), &"done".into())
    );
    let undone = here.import(&["--undo", "1"]);
    assert_eq!(undone.code, Some(0), "{undone:?}");
    assert!(
        undone.stdout.contains("users: 3 taken out, 0 kept"),
        "{undone:?}"
    );
    assert!(
        undone.stdout.contains("booked back: 2.01 dollars"),
        "{undone:?}"
    );
    let ledger = here.run(&["ledger", "verify"]);
    assert_eq!(ledger.code, Some(0), "{ledger:?}");
}

#[test]
fn what_is_wrong_is_one_line_and_a_status() {
    let here = Installation::new(None);
    for (arguments, words) in [
        (
            &["one-api", "/nowhere/at/all.db"][..],
            "/nowhere/at/all.db: the source cannot be read",
        ),
        (
            &["new-api", "postgres://nobody:secret@127.0.0.1:1/x"][..],
            "cannot be read",
        ),
        (&["--undo", "7"][..], "there is no such import"),
    ] {
        let done = here.import(arguments);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.only_line().contains(words), "{done:?}");
        assert!(!done.only_line().contains("secret"), "{done:?}");
    }
    assert_eq!(here.import(&["one-api"]).code, Some(2));
    let empty = Installation {
        folder: TempDir::new().expect("a folder"),
        environment: Vec::new(),
    };
    let path = empty.folder.path().join("one-api.db");
    Foreign::one_api().sqlite(&path);
    let data = empty.folder.path().to_str().expect("text");
    drop(Program::serve(&["--data", data], &[]));
    let done = empty.import(&["one-api", path.to_str().expect("text")]);
    assert!(
        done.only_line().contains("set this installation up first"),
        "{done:?}"
    );
    let path = here.folder.path().join("one-api.db");
    Foreign::one_api().sqlite(&path);
    let path = path.to_str().expect("text");
    let done = here.import(&["one-api", path, "--dry-run"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for line in [
        "users: 4 found, 3 carried over, 0 known, 1 left out",
        "credited: 2 dollars to wallets, 0 dollars of referral earnings",
        "nothing was changed",
    ] {
        assert!(done.stdout.contains(line), "{line}: {done:?}");
    }
}
