//! A gateway that was set up with the demo channel and one token, and what its records say.

use std::time::{Duration, Instant};

use serde_json::Value;
use store::ledger::{Account, balance};
use store::request_log::{self, LoggedCall};
use store::{Location, OpenOptions, Store, users};
use tempfile::TempDir;

use super::exchange::{Answer, post};
use crate::support::{Program, Reply, run_with, send, wait_for_spool};

const PATIENCE: Duration = Duration::from_secs(20);

/// A running gateway.
pub struct Gateway {
    pub program: Program,
    pub token: String,
    folder: TempDir,
}

impl Gateway {
    /// Sets up and serves.
    pub fn start() -> Self {
        Self::with_grant("100")
    }

    /// Sets up, and serves with this configuration.
    pub fn with_config(text: &str) -> Self {
        Self::with("100", text)
    }

    /// Sets up with this many dollars, and serves.
    pub fn with_grant(dollars: &str) -> Self {
        Self::with(dollars, "")
    }

    fn with(dollars: &str, config: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let data = folder.path().to_str().expect("a path of text").to_owned();
        let arguments = [
            "setup",
            "--data",
            &data,
            "--admin",
            "root",
            "--password-stdin",
            "--demo",
            "--token",
            "first",
            "--grant-usd",
            dollars,
        ];
        let done = run_with(&arguments, &[], "correct horse battery\n");
        let printed: Value = serde_json::from_str(&done.stdout).expect("set-up prints JSON");
        let token = printed["token"].as_str().expect("a token").to_owned();
        let file = folder.path().join("modelgate.toml");
        std::fs::write(&file, config).expect("a file is written");
        let file = file.to_str().expect("a path of text");
        let program = Program::serve(&["--data", &data, "--config", file], &[]);
        Self {
            program,
            token,
            folder,
        }
    }

    /// Runs a command beside it that must succeed; what it printed as JSON.
    pub fn command(&self, arguments: &[&str]) -> Value {
        let data = self.folder.path().to_str().expect("a path of text");
        let done = run_with(&[arguments, &["--data", data, "--json"]].concat(), &[], "");
        assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
        serde_json::from_str(&done.stdout).expect("JSON")
    }

    /// Posts JSON with the token as a bearer and the version header that messages wants.
    pub fn post(&self, path: &str, body: &Value) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("provider-version", "2023-06-01"),
        ];
        send(
            self.program.address,
            &format!("POST {path}"),
            &headers,
            &body.to_string(),
        )
    }

    /// Posts bytes of this media type with the token as a bearer.
    pub fn post_bytes(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("authorization", bearer.as_str()), ("content-type", kind)];
        post(self.program.address, path, &headers, body)
    }

    /// Posts a form that [`super::exchange::form`] made.
    pub fn post_form(&self, path: &str, body: &[u8]) -> Answer {
        self.post_bytes(path, "multipart/form-data; boundary=BoUnd", body)
    }

    /// The log's row of a call that was answered so.
    pub fn row(&self, reply: &Reply) -> LoggedCall {
        self.row_of(reply.header("x-request-id").expect("a request id"))
    }

    /// The log's row of a call. A refused call's comes a moment after its answer.
    pub fn row_of(&self, request_id: &str) -> LoggedCall {
        let began = Instant::now();
        loop {
            let look = async |store: &Store| request_log::find(store.read(), request_id).await;
            if let Some(row) = self.records(look).expect("the log answers") {
                return row;
            }
            assert!(began.elapsed() < PATIENCE, "no row for {request_id}");
        }
    }

    /// What the root user owns; what a node has leased is the user's all the same.
    pub fn owned(&self) -> i64 {
        self.records(async |store| {
            let root = users::find_by_login(store.read(), "root").await;
            let root = root.expect("the records answer").expect("a root user");
            let mut owned = 0;
            for account in [Account::Wallet(root.id), Account::Held(root.id)] {
                let part = balance(store.read(), account).await;
                owned += part.expect("the records answer");
            }
            owned
        })
    }

    /// Stops it in order: what it had leased from wallets is given back then.
    pub fn stop(&mut self) {
        self.program.signal("TERM");
        let status = self.program.wait();
        assert!(status.success(), "{}", self.program.log());
    }

    /// Looks into the records, once all that was answered is there.
    pub fn records<T>(&self, look: impl AsyncFnOnce(&Store) -> T) -> T {
        wait_for_spool(self.folder.path());
        let location = Location::Sqlite(self.folder.path().join("modelgate.db"));
        let options = OpenOptions {
            migrate: false,
            ..OpenOptions::default()
        };
        tokio::runtime::Runtime::new()
            .expect("a runtime")
            .block_on(async {
                let store = Store::open(&location, &options)
                    .await
                    .expect("the records open");
                look(&store).await
            })
    }
}
