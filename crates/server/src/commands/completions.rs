//! `modelgate completions`: what a shell needs to complete our command line.

use std::io;

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use super::cli::Cli;

/// Flags of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(arguments: &Arguments) -> io::Result<()> {
    let mut script = Vec::new();
    generate(
        arguments.shell,
        &mut Cli::command(),
        "modelgate",
        &mut script,
    );
    io::Write::write_all(&mut io::stdout(), &script)
}
