//! Encryption of single values with XChaCha20-Poly1305. The record that a value belongs to is its
//! associated data, so a ciphertext moved to another record does not open; the key's id is in the
//! ciphertext, so keys can be rotated.
//!
//! Layout: version (1 byte), key id (4), nonce (24), ciphertext with its tag.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::key_ring::{KeyRing, MasterKey};
use crate::randomness::Randomness;

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;
const HEAD_BYTES: usize = 1 + 4 + NONCE_BYTES;

/// Why a sealed value does not open.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotOpen {
    /// It is not in a form that this version knows.
    #[error("the encrypted value is not in a known form")]
    UnknownForm,
    /// The key that encrypted it is not in the ring.
    #[error("the master key that encrypted the value is missing")]
    UnknownKey,
    /// It was changed, or it belongs to another record.
    #[error("the encrypted value was changed or belongs to another record")]
    Forged,
}

/// Encrypts a value of a record with the newest key. `record` names the record and the field, as
/// in `channel_key:17`.
pub fn seal(ring: &KeyRing, randomness: &dyn Randomness, record: &str, value: &[u8]) -> Vec<u8> {
    let key = ring.newest();
    let mut nonce = [0; NONCE_BYTES];
    randomness.fill(&mut nonce);
    let payload = Payload {
        msg: value,
        aad: record.as_bytes(),
    };
    let ciphertext = cipher(key)
        .encrypt(&XNonce::from(nonce), payload)
        .expect("encryption fails only beyond 256 GiB, and values come from bounded requests");
    let mut sealed = Vec::with_capacity(HEAD_BYTES + ciphertext.len());
    sealed.push(VERSION);
    sealed.extend_from_slice(&key.id());
    sealed.extend_from_slice(&nonce);
    sealed.extend_from_slice(&ciphertext);
    sealed
}

/// Decrypts a value of a record; what comes out is wiped when dropped.
pub fn open(ring: &KeyRing, record: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, CannotOpen> {
    let (id, nonce, ciphertext) = split(sealed).ok_or(CannotOpen::UnknownForm)?;
    let key = ring.find(id).ok_or(CannotOpen::UnknownKey)?;
    let payload = Payload {
        msg: ciphertext,
        aad: record.as_bytes(),
    };
    cipher(key)
        .decrypt(&XNonce::from(nonce), payload)
        .map(Zeroizing::new)
        .map_err(|_| CannotOpen::Forged)
}

fn cipher(key: &MasterKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.bytes().into())
}

fn split(sealed: &[u8]) -> Option<([u8; 4], [u8; NONCE_BYTES], &[u8])> {
    let (version, rest) = sealed.split_first()?;
    let (id, rest) = rest.split_first_chunk()?;
    let (nonce, ciphertext) = rest.split_first_chunk()?;
    (*version == VERSION).then_some((*id, *nonce, ciphertext))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SystemRandomness;

    const RECORD: &str = "channel_key:17";

    fn sealed() -> (KeyRing, Vec<u8>) {
        let ring = KeyRing::generate(&SystemRandomness);
        let sealed = seal(&ring, &SystemRandomness, RECORD, b"sk-upstream");
        (ring, sealed)
    }

    #[test]
    fn what_is_sealed_opens_for_the_same_record_only() {
        let (ring, sealed) = sealed();
        assert_eq!(
            open(&ring, RECORD, &sealed).unwrap().as_slice(),
            b"sk-upstream"
        );
        assert_eq!(
            open(&ring, "channel_key:18", &sealed),
            Err(CannotOpen::Forged)
        );
    }

    #[test]
    fn a_change_of_any_byte_is_noticed() {
        let (ring, sealed) = sealed();
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert!(open(&ring, RECORD, &changed).is_err(), "byte {index}");
        }
        assert_eq!(
            open(&ring, RECORD, &sealed[..20]),
            Err(CannotOpen::UnknownForm)
        );
    }

    #[test]
    fn the_same_value_never_looks_the_same_twice() {
        let (ring, first) = sealed();
        assert_ne!(
            first,
            seal(&ring, &SystemRandomness, RECORD, b"sk-upstream")
        );
    }

    #[test]
    fn rotation_keeps_old_values_readable_and_seals_with_the_new_key() {
        let (old, sealed) = sealed();
        let ring = old.with_new_key(&SystemRandomness);
        let again = seal(&ring, &SystemRandomness, RECORD, b"sk-upstream");
        for sealed in [&sealed, &again] {
            let opened = open(&ring, RECORD, sealed).unwrap();
            assert_eq!(opened.as_slice(), b"sk-upstream");
        }
        assert_eq!(open(&old, RECORD, &again), Err(CannotOpen::UnknownKey));
    }
}
