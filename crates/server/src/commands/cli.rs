//! The commands and flags, and which function each command runs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use rustix::fs::Mode;
use rustix::process::umask;

use super::failure::Failure;
use super::{
    backup, channel, check, completions, import, keys, ledger, node, openapi, serve, setup, token,
    user, version,
};
use crate::config::{Flags, Sources};

const EXIT_STATUSES: &str = "Exit statuses: 0 success, 1 other failure, 2 wrong command line, \
    3 set-up was done before, 4 wrong configuration, 5 unusable data folder or master key, \
    6 address in use or not ours, 7 database unreachable or unusable, 8 database newer than this \
    program, 9 ledger does not balance.";

/// A gateway for AI models: one address and one token for every client.
#[derive(Debug, Parser)]
#[command(name = "modelgate", version, after_help = EXIT_STATUSES)]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Flags that every command takes.
#[derive(Debug, Args)]
struct Common {
    /// Configuration file; without it, modelgate.toml in the working directory where it exists.
    #[arg(long, global = true, value_name = "FILE", env = "MODELGATE_CONFIG")]
    config: Option<PathBuf>,
    /// Folder for the embedded database and the master key.
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<String>,
    /// Address and port to listen on.
    #[arg(long, global = true, value_name = "ADDR")]
    listen: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service (the default).
    Serve,
    /// Make the root user, and a token and the demo channel where asked for.
    Setup(setup::Arguments),
    /// Check the configuration, one problem a line.
    Check(check::Arguments),
    /// Look after the ledger.
    #[command(subcommand)]
    Ledger(ledger::Command),
    /// Carry over from another gateway, or take that out again.
    Import(import::Arguments),
    /// List, make and change users.
    User(user::Arguments),
    /// List, make and change tokens.
    Token(token::Arguments),
    /// List, make and switch channels.
    Channel(channel::Arguments),
    /// Write a copy of the embedded database, also while the server runs.
    Backup(backup::BackupArguments),
    /// Put a copy of the embedded database back, while the server is stopped.
    Restore(backup::RestoreArguments),
    /// Look after the master keys.
    #[command(subcommand)]
    Keys(keys::Command),
    /// Look after the nodes.
    #[command(subcommand)]
    Node(node::Command),
    /// Print the description of the interface as an OpenAPI document.
    Openapi,
    /// Print what a shell needs to complete this command line.
    Completions(completions::Arguments),
    /// Print the version.
    Version(version::Arguments),
}

/// Runs the command that the command line names.
pub fn run(cli: Cli) -> ExitCode {
    // Whatever a command writes is its owner's alone, also in a folder that others can look into.
    umask(Mode::RWXG | Mode::RWXO);
    let flags = Flags {
        data: cli.common.data,
        listen: cli.common.listen,
    };
    let sources = Sources::of_process(cli.common.config, flags);
    let outcome = match cli.command.unwrap_or(Command::Serve) {
        Command::Serve => serve::run(&sources),
        Command::Setup(arguments) => setup::run(&sources, arguments),
        Command::Check(arguments) => return check::run(&sources, &arguments),
        Command::Ledger(ledger::Command::Verify) => ledger::verify(&sources),
        Command::Import(arguments) => import::run(&sources, &arguments),
        Command::Keys(command) => keys::run(&sources, &command),
        Command::Node(command) => node::run(&sources, &command),
        Command::User(arguments) => user::run(&sources, arguments),
        Command::Token(arguments) => token::run(&sources, arguments),
        Command::Channel(arguments) => channel::run(&sources, arguments),
        Command::Backup(arguments) => backup::backup(&sources, &arguments),
        Command::Restore(arguments) => backup::restore(&sources, &arguments),
        Command::Openapi => openapi::run().map_err(Failure::from),
        Command::Completions(arguments) => completions::run(&arguments).map_err(Failure::from),
        Command::Version(arguments) => version::run(&arguments).map_err(Failure::from),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
