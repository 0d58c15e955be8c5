//! New secrets of tokens: the text that is shown once, and what the records keep of it.

use crate::accounts::TOKEN_PURPOSE;
use crate::config::Secret;
use crate::randomness::Randomness;
use crate::secrets::{KeyRing, TokenHash, generate_token, hash_token};

/// How many characters of a secret people may see to tell tokens apart.
const SHOWN_PREFIX: usize = 8;

/// A secret in the moment of its making.
#[derive(Debug)]
pub struct Issued {
    /// The text to show, once.
    pub secret: Secret,
    /// Its first characters.
    pub prefix: String,
    /// Its keyed hash.
    pub hash: TokenHash,
}

/// Makes a new secret.
pub fn issue(keys: &KeyRing, randomness: &dyn Randomness) -> Issued {
    let secret = generate_token(randomness);
    Issued {
        prefix: secret.expose().chars().take(SHOWN_PREFIX).collect(),
        hash: hash_token(keys, TOKEN_PURPOSE, secret.expose()),
        secret,
    }
}
