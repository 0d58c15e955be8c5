//! What is stored about the installation itself and changes while it runs: one document in the
//! database, with a version number that tells who came second.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use store::{ConnectionTrait, settings};

/// The stored settings. Fields are only ever added, each with a default: nodes of an older and a
/// newer version read the same document during an upgrade.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether set-up was done: there is a root user.
    pub is_set_up: bool,
    /// Whether set-up chose the demo channel, which also switches the sandbox payments on.
    pub is_demo: bool,
    /// The one-time code of the setup link, while set-up is still to be done.
    pub setup_code: Option<SetupCode>,
    /// A keyed hash by which other master keys than those of the records are noticed.
    pub key_mark: Option<String>,
    /// Settings of the configuration that were changed while the service ran, by their full key.
    pub options: BTreeMap<String, StoredOption>,
}

impl Settings {
    /// The settings as they are stored, and which version that is: who saves them anew names it.
    pub async fn stored(connection: &impl ConnectionTrait) -> store::Result<(i64, Self)> {
        let stored = settings::load::<Self>(connection).await?;
        Ok(stored.map_or((0, Self::default()), |stored| {
            (stored.version, stored.document)
        }))
    }
}

/// A changed setting as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredOption {
    /// Anything that may be seen.
    Plain(serde_json::Value),
    /// A secret, encrypted with the master key, as base64.
    Sealed(String),
}

/// A one-time setup code; only its hash is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupCode {
    /// The keyed hash, in hexadecimal digits.
    pub hash: String,
    /// When the code ends, in unix milliseconds.
    pub expires_at: i64,
}
