//! Secrets that are shown once and kept as a keyed hash: session secrets, flow tokens, access tokens,
//! proofs. The purpose keeps one from being taken for another.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::randomness::Randomness;

const SECRET_BYTES: usize = 32;

/// A new secret: 43 characters that need no escaping anywhere.
pub fn new_secret(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; SECRET_BYTES];
    randomness.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}
