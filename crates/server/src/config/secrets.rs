//! `[secrets]`: where the master keys for encryption at rest come from.

use std::path::PathBuf;

use serde::Deserialize;

use super::loader::Section;
use super::secret::Secret;

/// The `[secrets]` section.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecretsConfig {
    /// Master keys themselves, newest first, separated by commas; meant for the environment.
    pub master_key: Option<Secret>,
    /// File with the master keys; absent: `master.key` in the data folder.
    pub key_file: Option<PathBuf>,
}

impl Section for SecretsConfig {
    const NAME: &'static str = "secrets";
    const NEEDS_RESTART: &'static [&'static str] = &["master_key", "key_file"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if self.master_key.is_some() && self.key_file.is_some() {
            refuse(
                "key_file",
                "master_key and key_file cannot both be set".to_owned(),
            );
        }
        if let Some(keys) = &self.master_key
            && let Err(error) = crate::secrets::KeyRing::parse(keys.expose())
        {
            refuse("master_key", error.to_string());
        }
    }
}
