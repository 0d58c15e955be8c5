//! The program on one data folder: a script's view of it.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Finished, Program, Reply, run_with, send};

/// A data folder that was set up with the demo channel.
pub struct Instance {
    pub folder: TempDir,
    pub token: String,
}

impl Instance {
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let data = folder.path().to_str().expect("text");
        let arguments = [
            "setup",
            "--data",
            data,
            "--password-stdin",
            "--demo",
            "--token",
            "first",
        ];
        let done = run_with(&arguments, &[], "correct horse battery\n");
        let printed: Value = serde_json::from_str(&done.stdout).expect("set-up prints JSON");
        let token = printed["token"].as_str().expect("a token").to_owned();
        Self { folder, token }
    }

    pub fn data(&self) -> &str {
        self.folder.path().to_str().expect("text")
    }

    pub fn serve(&self) -> Program {
        Program::serve(&["--data", self.data()], &[])
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str], input: &str) -> Finished {
        run_with(&[arguments, &["--data", self.data()]].concat(), &[], input)
    }

    /// Runs a command that must succeed; what it printed as JSON.
    pub fn json(&self, arguments: &[&str], input: &str) -> Value {
        let done = self.run(&[arguments, &["--json"]].concat(), input);
        assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
        serde_json::from_str(&done.stdout).expect("JSON")
    }
}

/// A model call of the demo channel.
pub fn call(program: &Program, token: &str) -> Reply {
    let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hello"}]});
    let headers = [("authorization", &*format!("Bearer {token}"))];
    send(
        program.address,
        "POST /v1/chat/completions",
        &headers,
        &body.to_string(),
    )
}
