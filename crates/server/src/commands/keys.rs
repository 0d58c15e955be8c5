//! `modelgate keys`: going on with other master keys, where those of the records are lost.

use std::io::{self, Write as _};

use super::failure::Failure;
use super::{master_keys, prepare};
use crate::config::{Config, Sources};

/// Commands about the master keys.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Go on with the master keys that are there, where those of the records are lost for good.
    Adopt,
}

/// Runs one of them.
pub(super) fn run(sources: &Sources, command: &Command) -> Result<(), Failure> {
    match command {
        Command::Adopt => adopt(sources),
    }
}

/// Notes the keys in the records. What others encrypted stays as it is: should they turn up, it can be read again.
fn adopt(sources: &Sources) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    prepare::runtime()?.block_on(async {
        let store = prepare::open_store_unchanged(&config).await?;
        let keys = master_keys::find_or_make(&config)?;
        let adopted = keys.adopt(&store).await;
        store.close().await?;
        adopted
    })?;
    writeln!(
        io::stdout(),
        "the records go with {} from now on: start the servers anew, and make what other keys have written anew: \
         tokens, access tokens, keys of channels, second factors, secret settings",
        master_keys::place(&config)
    )?;
    Ok(())
}
