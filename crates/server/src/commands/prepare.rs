//! What several commands need before they can work: a usable data folder, the master keys, and
//! the open store.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use store::shared::{RedisOptions, Shared};
use store::{Location, OpenOptions, Store};
use tokio::runtime::{Builder, Runtime};

use super::failure::{Exit, Failure};
use super::node_name::{self, NodeName};
use crate::config::Config;
use crate::file_owners::check_folder;
use crate::randomness::Randomness;

const DATABASE_FILE: &str = "modelgate.db";
/// What may be wrong where nothing is found.
pub(super) const WHERE: &str =
    "is this the data folder of a server that ran before? (--data, --config)";

/// A runtime for what is not serving.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// Creates the data folder if there is none. Fails if the process cannot write to it, or if other users can.
pub(super) fn data_folder(config: &Config) -> Result<(), Failure> {
    let folder = &config.server.data_dir;
    let unusable = |error: io::Error| {
        let folder = folder.display();
        Failure::new(
            Exit::DataFolder,
            format!("data folder {folder} cannot be used: {error}"),
        )
    };
    // Its owner's alone: it holds the records of everybody.
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(unusable)?;
    fs::read_dir(folder).map_err(unusable)?;
    check_folder(folder).map_err(|error| Failure::new(Exit::DataFolder, error))?;
    let probe = folder.join(format!(".writable-{}", std::process::id()));
    fs::write(&probe, b"")
        .and_then(|()| fs::remove_file(&probe))
        .map_err(unusable)
}

/// This process's name among the nodes.
pub(super) fn node_name(config: &Config, randomness: &dyn Randomness) -> Result<NodeName, Failure> {
    node_name::take(&config.server.data_dir, randomness).map_err(|error| {
        let text = format!("the node's name cannot be kept in the data folder: {error}");
        Failure::new(Exit::DataFolder, text)
    })
}

/// Opens the records and brings their schema up to date.
pub(super) async fn open_store(config: &Config) -> Result<Store, Failure> {
    let options = OpenOptions {
        postgres_connections: config.database.connections,
        ..OpenOptions::default()
    };
    open_with(config, &options).await
}

/// Opens the records as they are; none, or those of an older schema, are an error.
pub(super) async fn open_store_unchanged(config: &Config) -> Result<Store, Failure> {
    if let Location::Sqlite(file) = location(config)?
        && !file.exists()
    {
        let text = format!("there is no database {}; {WHERE}", file.display());
        return Err(Failure::new(Exit::Database, text));
    }
    let options = OpenOptions {
        migrate: false,
        ..OpenOptions::default()
    };
    open_with(config, &options).await
}

async fn open_with(config: &Config, options: &OpenOptions) -> Result<Store, Failure> {
    let location = location(config)?;
    Store::open(&location, options).await.map_err(|error| {
        let failure = Failure::from(error);
        Failure::new(
            failure.exit,
            format!("database {}: {}", location.public_name(), failure.text),
        )
    })
}

/// The state that nodes share: in Redis where one is configured, else in this process. A Redis
/// that is away does not keep the service from starting.
pub(super) async fn open_shared(config: &Config, node: &str) -> Result<Shared, Failure> {
    let Some(url) = &config.redis.url else {
        return Ok(Shared::memory());
    };
    let options = RedisOptions::new(url.expose(), &config.redis.prefix, node);
    let opened = Shared::redis(options).await;
    opened.map_err(|_| {
        let text = "redis.url: cannot be read as an address like redis://:password@host:6379/0";
        Failure::new(Exit::Configuration, text)
    })
}

/// Where the records are.
pub(super) fn location(config: &Config) -> Result<Location, Failure> {
    let embedded = |folder: &Path| Location::Sqlite(folder.join(DATABASE_FILE));
    match &config.database.url {
        Some(url) => Ok(Location::parse(url.expose())?),
        None => Ok(embedded(&config.server.data_dir)),
    }
}
