//! The master keys of a command: found or made, and compared with what the records were written with.

use std::fs;
use std::path::PathBuf;

use store::Store;

use super::failure::{Exit, Failure};
use super::prepare::WHERE;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::key_mark::{KeyMarkError, adopt_keys, check_keys, note_keys};
use crate::randomness::SystemRandomness;
use crate::secrets::{KeyRing, open_key_file};

const KEY_FILE: &str = "master.key";

/// The master keys, and where they are from.
pub(super) struct MasterKeys {
    /// The keys.
    pub ring: KeyRing,
    /// The file, where this process has made it.
    made: Option<PathBuf>,
    place: String,
}

/// The keys of the configuration, or those of the key file, made on first use.
pub(super) fn find_or_make(config: &Config) -> Result<MasterKeys, Failure> {
    let place = place(config);
    if let Some(keys) = &config.secrets.master_key {
        let ring = KeyRing::parse(keys.expose());
        let ring = ring.map_err(|error| Failure::new(Exit::Configuration, error))?;
        let made = None;
        return Ok(MasterKeys { ring, made, place });
    }
    let file = key_file(config);
    let was_there = file.exists();
    let ring = open_key_file(&file, &SystemRandomness)?;
    let made = (!was_there).then_some(file);
    Ok(MasterKeys { ring, made, place })
}

/// The same for commands that need the folder of a server: none is made.
pub(super) fn find(config: &Config) -> Result<MasterKeys, Failure> {
    if !are_there(config) {
        let text = format!("there is no master key file {}; {WHERE}", place(config));
        return Err(Failure::new(Exit::DataFolder, text));
    }
    find_or_make(config)
}

/// Whether there are any.
pub(super) fn are_there(config: &Config) -> bool {
    config.secrets.master_key.is_some() || key_file(config).exists()
}

/// Where they are, in words.
pub(super) fn place(config: &Config) -> String {
    match &config.secrets.master_key {
        Some(_) => "secrets.master_key".to_owned(),
        None => key_file(config).display().to_string(),
    }
}

fn key_file(config: &Config) -> PathBuf {
    let default = || config.server.data_dir.join(KEY_FILE);
    config.secrets.key_file.clone().unwrap_or_else(default)
}

impl MasterKeys {
    /// Refuses keys that the records were not written with.
    pub async fn check(&self, store: &Store) -> Result<(), Failure> {
        let checked = check_keys(store, &self.ring).await;
        checked.map_err(|error| self.refused(error))
    }

    /// The same, and notes the keys in records that have no mark yet.
    pub async fn note(&self, store: &Store) -> Result<(), Failure> {
        let noted = note_keys(store, &self.ring, &SystemClock).await;
        noted.map_err(|error| self.refused(error))
    }

    /// Notes the keys, whatever the records were written with.
    pub async fn adopt(&self, store: &Store) -> Result<(), Failure> {
        Ok(adopt_keys(store, &self.ring, &SystemClock).await?)
    }

    fn refused(&self, error: KeyMarkError) -> Failure {
        let error = match error {
            KeyMarkError::Store(error) => return error.into(),
            other @ KeyMarkError::OtherKeys => other,
        };
        let place = &self.place;
        let text = if let Some(made) = &self.made {
            // What is in it has encrypted nothing, and would be taken for the right one.
            let _ = fs::remove_file(made);
            format!("there is no master key file {place}, and the records need theirs: put it back")
        } else {
            format!(
                "{place}: {error}: put the right ones back; a key that is added goes before the others"
            )
        };
        let text = format!("{text} (docs/operating.md, Master keys)");
        Failure::new(Exit::DataFolder, text)
    }
}
