//! The public key of a passkey: read from the authenticator's form (COSE), kept in ours, and used to
//! check signatures.

use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use super::cbor::Cbor;

/// The algorithms that are offered, by their COSE numbers, the best known first.
pub const ALGORITHMS: [i64; 3] = [-7, -8, -257];

/// A public key; its numbers are big-endian bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PublicKey {
    /// ECDSA on P-256 with SHA-256: the point, uncompressed.
    Es256(Vec<u8>),
    /// Ed25519.
    EdDsa(Vec<u8>),
    /// RSA PKCS#1 1.5 with SHA-256: modulus and exponent.
    Rs256(Vec<u8>, Vec<u8>),
}

impl PublicKey {
    /// Reads the COSE form; none where it is of a kind that was not offered.
    pub(super) fn of_cose(key: &Cbor) -> Option<Self> {
        const POINT_BYTES: usize = 32;
        let integer = |number| match key.number(number) {
            Some(Cbor::Integer(value)) => Some(*value),
            _ => None,
        };
        let bytes = |number| key.number(number).and_then(Cbor::bytes).map(<[u8]>::to_vec);
        match (integer(1)?, integer(3)?) {
            (2, -7) if integer(-1) == Some(1) => {
                let (x, y) = (bytes(-2)?, bytes(-3)?);
                let is_point = x.len() == POINT_BYTES && y.len() == POINT_BYTES;
                is_point.then(|| Self::Es256([vec![4], x, y].concat()))
            }
            (1, -8) if integer(-1) == Some(6) => bytes(-2).map(Self::EdDsa),
            (3, -257) => Some(Self::Rs256(bytes(-1)?, bytes(-2)?)),
            _ => None,
        }
    }

    /// Whether a signature over a message is by this key.
    pub(super) fn has_signed(&self, message: &[u8], by: &[u8]) -> bool {
        let check = |algorithm: &'static dyn signature::VerificationAlgorithm, key: &Vec<u8>| {
            UnparsedPublicKey::new(algorithm, key)
                .verify(message, by)
                .is_ok()
        };
        match self {
            Self::Es256(point) => check(&signature::ECDSA_P256_SHA256_ASN1, point),
            Self::EdDsa(key) => check(&signature::ED25519, key),
            Self::Rs256(n, e) => RsaPublicKeyComponents { n, e }
                .verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, by)
                .is_ok(),
        }
    }
}
