//! The command line: one file a command. Every failure is one line on standard error and an exit
//! status that scripts can tell apart.

mod backup;
mod channel;
mod check;
mod cli;
mod completions;
mod desk;
mod failure;
mod import;
mod keys;
mod ledger;
mod master_keys;
mod node;
mod node_name;
mod openapi;
mod prepare;
mod reload;
mod serve;
mod setup;
mod show;
mod token;
mod user;
mod version;

pub use cli::{Cli, run};
pub use failure::{Exit, Failure};
