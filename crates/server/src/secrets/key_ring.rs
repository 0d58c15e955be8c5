//! The master keys, newest first. The newest encrypts, all of them decrypt. The oldest also keys
//! the token hashes and therefore stays in the ring when keys are rotated: the hashes of tokens
//! cannot be computed again without the tokens.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use zeroize::Zeroize;

use crate::randomness::Randomness;

/// Length of a master key.
pub const KEY_BYTES: usize = 32;

/// Names a key inside what it encrypted: the beginning of the key's SHA-256.
pub type KeyId = [u8; 4];

/// One master key.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct MasterKey([u8; KEY_BYTES]);

/// Why a text is not a list of master keys. It never quotes the text.
#[derive(Debug, thiserror::Error)]
pub enum NotAKeyRing {
    /// There is no key at all.
    #[error("there is no master key")]
    Empty,
    /// Something in it is not a key.
    #[error("master key {0} is not the base64 of 32 bytes")]
    NotAKey(usize),
    /// Two keys are the same, or would go by the same name.
    #[error("master key {0} is in the list twice")]
    Twice(usize),
}

/// The master keys, newest first; never empty.
#[derive(Clone)]
pub struct KeyRing(Vec<MasterKey>);

impl MasterKey {
    pub(super) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    pub(super) fn id(&self) -> KeyId {
        let digest = Sha256::digest(self.0);
        [digest[0], digest[1], digest[2], digest[3]]
    }
}

impl Drop for MasterKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "KeyRing({} keys)", self.0.len())
    }
}

impl KeyRing {
    /// A ring of one new key.
    pub fn generate(randomness: &dyn Randomness) -> Self {
        Self(vec![new_key(randomness)])
    }

    /// The same ring with a new key in front, as an operator adds one.
    #[cfg(test)]
    #[must_use]
    pub fn with_new_key(&self, randomness: &dyn Randomness) -> Self {
        let mut keys = vec![new_key(randomness)];
        keys.extend(self.0.iter().cloned());
        Self(keys)
    }

    /// Reads keys separated by commas or lines; lines that begin with `#` are comments.
    pub fn parse(text: &str) -> Result<Self, NotAKeyRing> {
        let entries = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
            .flat_map(|line| line.split(','))
            .map(str::trim)
            .filter(|entry| !entry.is_empty());
        let mut keys: Vec<MasterKey> = Vec::new();
        for (index, entry) in entries.enumerate() {
            let mut decoded = STANDARD
                .decode(entry)
                .map_err(|_| NotAKeyRing::NotAKey(index + 1))?;
            let bytes = <[u8; KEY_BYTES]>::try_from(decoded.as_slice());
            decoded.zeroize();
            let key = MasterKey(bytes.map_err(|_| NotAKeyRing::NotAKey(index + 1))?);
            if keys.iter().any(|other| other.id() == key.id()) {
                return Err(NotAKeyRing::Twice(index + 1));
            }
            keys.push(key);
        }
        if keys.is_empty() {
            Err(NotAKeyRing::Empty)
        } else {
            Ok(Self(keys))
        }
    }

    /// The text of a key file, `parse`'s inverse.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::from(
            "# Modelgate master keys, newest first. Without them what is encrypted in the database\n\
             # is lost: keep a copy apart from the database's backups. The last key also keys the\n\
             # hashes of tokens: never remove it.\n",
        );
        for key in &self.0 {
            text.push_str(&STANDARD.encode(key.0));
            text.push('\n');
        }
        text
    }

    pub(super) fn newest(&self) -> &MasterKey {
        self.0
            .first()
            .expect("a ring has at least one key: every constructor sees to it")
    }

    pub(super) fn oldest(&self) -> &MasterKey {
        self.0
            .last()
            .expect("a ring has at least one key: every constructor sees to it")
    }

    pub(super) fn find(&self, id: KeyId) -> Option<&MasterKey> {
        self.0.iter().find(|key| key.id() == id)
    }
}

fn new_key(randomness: &dyn Randomness) -> MasterKey {
    let mut bytes = [0; KEY_BYTES];
    randomness.fill(&mut bytes);
    MasterKey(bytes)
}
