//! `modelgate backup` and `modelgate restore`: a copy of the embedded database, taken while the server
//! runs, and put back while it does not. Master keys are never in a copy: whoever finds one can read no
//! credential with it.

use std::io::{self, Write as _};
use std::path::PathBuf;

use store::{Location, backup};

use super::failure::{Exit, Failure};
use super::{master_keys, prepare};
use crate::config::{Config, Sources};

/// Where the copy goes.
#[derive(Debug, clap::Args)]
pub(super) struct BackupArguments {
    /// The file to write; it must not exist.
    file: PathBuf,
}

/// Where the copy is.
#[derive(Debug, clap::Args)]
pub(super) struct RestoreArguments {
    /// A file that `backup` wrote.
    file: PathBuf,
    /// Put it in the place of a database that is there; that one is kept beside it.
    #[arg(long)]
    replace: bool,
}

/// Writes a copy.
pub(super) fn backup(sources: &Sources, arguments: &BackupArguments) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    embedded(&config, "pg_dump")?;
    let size = prepare::runtime()?.block_on(async {
        let store = prepare::open_store_unchanged(&config).await?;
        let written = backup::write_copy(store.database(), &arguments.file).await;
        store.close().await?;
        written.map_err(|error| Failure::new(Exit::Other, error))?;
        Ok::<_, Failure>(std::fs::metadata(&arguments.file)?.len())
    })?;
    writeln!(
        io::stdout(),
        "{} has the records, {size} bytes. The master keys are not in it: keep {} elsewhere.",
        arguments.file.display(),
        master_keys::place(&config),
    )?;
    Ok(())
}

/// Puts a copy back.
pub(super) fn restore(sources: &Sources, arguments: &RestoreArguments) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    let target = embedded(&config, "pg_restore")?;
    prepare::data_folder(&config)?;
    let (copy, replaces) = (&arguments.file, arguments.replace);
    let restored = prepare::runtime()?.block_on(backup::put_back(copy, &target, replaces));
    let kept = restored.map_err(|error| match error {
        newer @ store::StoreError::NewerThanBinary { .. } => Failure::from(newer),
        other if target.exists() && !replaces => {
            Failure::new(Exit::Other, format!("{other}; --replace puts it aside"))
        }
        other => Failure::new(Exit::Other, other),
    })?;
    let mut out = io::stdout();
    writeln!(
        out,
        "{} has the records of {}",
        target.display(),
        copy.display()
    )?;
    if let Some(kept) = kept {
        writeln!(out, "what was there is in {}", kept.display())?;
    }
    if !master_keys::are_there(&config) {
        writeln!(
            out,
            "put {} back before you start: the records go with no other master keys",
            master_keys::place(&config)
        )?;
    }
    Ok(())
}

/// The embedded database's file; a server's records are copied with the server's own tools.
fn embedded(config: &Config, tool: &str) -> Result<PathBuf, Failure> {
    match prepare::location(config)? {
        Location::Sqlite(path) => Ok(path),
        Location::Postgres(_) => Err(Failure::new(
            Exit::Other,
            format!(
                "the records are in PostgreSQL: use {tool} (docs/operating.md has the commands); this \
                 command copies an embedded database"
            ),
        )),
    }
}
