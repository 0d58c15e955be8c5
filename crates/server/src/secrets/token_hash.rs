//! Tokens: how they are made, and the keyed hash under which they are stored. The hash is an
//! HMAC-SHA256 with a key derived from the oldest master key, so a stolen database neither
//! contains tokens nor lets anybody check guesses.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::key_ring::KeyRing;
use crate::config::Secret;
use crate::randomness::Randomness;

/// Begins every token that the gateway makes.
pub const TOKEN_PREFIX: &str = "sk-";

const TOKEN_CHARACTERS: usize = 48;
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The stored form of a token.
pub type TokenHash = [u8; 32];

/// Hashes for one purpose. Most of the work does not depend on the token and is done once.
#[derive(Clone, Debug)]
pub struct TokenHasher(Hmac<Sha256>);

impl TokenHasher {
    /// The hashes of this purpose.
    pub fn new(ring: &KeyRing, purpose: &str) -> Self {
        let key = Self::keyed(ring.oldest().bytes()).hash(purpose);
        Self::keyed(&key)
    }

    fn keyed(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length"))
    }

    /// The hash of a token.
    pub fn hash(&self, token: &str) -> TokenHash {
        let mut mac = self.0.clone();
        mac.update(token.as_bytes());
        mac.finalize().into_bytes().into()
    }
}

/// Hashes whatever a client may present: tokens, session secrets, set-up codes. The purpose
/// keeps one from ever being taken for another.
pub fn hash_token(ring: &KeyRing, purpose: &str, token: &str) -> TokenHash {
    TokenHasher::new(ring, purpose).hash(token)
}

/// Makes a new token: `sk-` and 48 letters and digits.
pub fn generate_token(randomness: &dyn Randomness) -> Secret {
    Secret::new(format!(
        "{TOKEN_PREFIX}{}",
        random_text(randomness, TOKEN_CHARACTERS)
    ))
}

/// Letters and digits, each equally likely.
pub fn random_text(randomness: &dyn Randomness, length: usize) -> String {
    let mut text = String::with_capacity(length);
    let mut bytes = [0; 64];
    while text.len() < length {
        randomness.fill(&mut bytes);
        // 248 is the largest multiple of 62 in a byte; what lies above would favour some letters.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let letters = fair.map(|byte| char::from(ALPHABET[usize::from(byte % 62)]));
        text.extend(letters.take(length - text.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::{SeededRandomness, SystemRandomness};

    #[test]
    fn a_token_has_the_documented_form() {
        let token = generate_token(&SystemRandomness);
        let text = token.expose();
        assert_eq!(text.len(), 51);
        assert!(
            text.starts_with("sk-") && text[3..].bytes().all(|byte| byte.is_ascii_alphanumeric())
        );
        assert!(crate::config::is_token(text));
        assert_ne!(token, generate_token(&SystemRandomness));
    }

    #[test]
    fn a_hash_depends_on_the_token_the_purpose_and_the_key() {
        let ring = KeyRing::generate(&SeededRandomness::new(1));
        let other = KeyRing::generate(&SeededRandomness::new(2));
        let hash = hash_token(&ring, "token", "sk-one");
        assert_eq!(hash, hash_token(&ring, "token", "sk-one"));
        assert_ne!(hash, hash_token(&ring, "token", "sk-two"));
        assert_ne!(hash, hash_token(&ring, "session", "sk-one"));
        assert_ne!(hash, hash_token(&other, "token", "sk-one"));
    }

    #[test]
    fn rotating_the_master_key_keeps_every_token_valid() {
        let ring = KeyRing::generate(&SystemRandomness);
        let rotated = ring.with_new_key(&SystemRandomness);
        assert_eq!(
            hash_token(&ring, "token", "sk-one"),
            hash_token(&rotated, "token", "sk-one")
        );
    }
}
