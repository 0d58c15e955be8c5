//! `modelgate version`.

use std::io::{self, Write as _};

use serde_json::json;

/// Flags of `version`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Print a JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the version.
pub(super) fn run(arguments: &Arguments) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let mut out = io::stdout();
    if arguments.json {
        let schema = store::newest_schema();
        let line = json!({"name": "modelgate", "version": version, "schema": schema});
        writeln!(out, "{line}")
    } else {
        writeln!(out, "modelgate {version}")
    }
}
