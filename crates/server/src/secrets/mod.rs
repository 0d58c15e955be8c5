//! Secrets at rest: the master keys outside the database, what they encrypt inside it, and the
//! keyed hash under which tokens are stored. It does not decide what is secret.

mod key_file;
mod key_ring;
mod seal;
mod token_hash;

pub use key_file::{KeyFileError, open_key_file};
pub use key_ring::{KEY_BYTES, KeyRing, NotAKeyRing};
pub use seal::{CannotOpen, open, seal};
pub use token_hash::{
    TOKEN_PREFIX, TokenHash, TokenHasher, generate_token, hash_token, random_text,
};
