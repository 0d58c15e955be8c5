//! An authenticator in software, and the browser's part of a ceremony: what tests need to make and use
//! passkeys, rightly and wrongly.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

/// One passkey.
pub struct Authenticator {
    key: EcdsaKeyPair,
    id: Vec<u8>,
    user_handle: String,
    /// How often it was used; 0 where it does not count.
    pub count: u32,
    /// The page that the browser shows.
    pub origin: String,
    /// The host that the authenticator signs for.
    pub host: String,
    /// User present and verified, unless a test says otherwise.
    pub flags: u8,
}

impl Authenticator {
    pub fn new(id: &[u8]) -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random);
        Self {
            key: key.expect("a key"),
            id: id.to_vec(),
            user_handle: String::new(),
            count: 1,
            origin: "https://gate.example".to_owned(),
            host: "gate.example".to_owned(),
            flags: 0b101,
        }
    }

    /// Makes the passkey that the options ask for.
    pub fn make(&mut self, options: &Value) -> Value {
        let options = &options["publicKey"];
        options["user"]["id"]
            .as_str()
            .expect("a handle")
            .clone_into(&mut self.user_handle);
        let client_data = self.client_data("webauthn.create", &options["challenge"]);
        let attestation = [
            &[0xa3, 0x63][..],
            b"fmt",
            &[0x64],
            b"none",
            &[0x67],
            b"attStmt",
            &[0xa0, 0x68],
            b"authData",
            &bytes_head(self.credential_data().len()),
            &self.credential_data(),
        ]
        .concat();
        json!({
            "id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encode(client_data.as_bytes()),
                "attestationObject": encode(&attestation),
                "transports": ["internal"],
            },
        })
    }

    /// Uses the passkey.
    pub fn sign(&self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", &options["publicKey"]["challenge"]);
        let data = self.head(self.flags);
        let hash = digest(&SHA256, client_data.as_bytes());
        let message = [&data[..], hash.as_ref()].concat();
        let signature = self
            .key
            .sign(&SystemRandom::new(), &message)
            .expect("a signature");
        json!({
            "id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "response": {
                "clientDataJSON": encode(client_data.as_bytes()),
                "authenticatorData": encode(&data),
                "signature": encode(signature.as_ref()),
                "userHandle": self.user_handle,
            },
        })
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> String {
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
    }

    fn head(&self, flags: u8) -> Vec<u8> {
        let hash = digest(&SHA256, self.host.as_bytes());
        [hash.as_ref(), &[flags], &self.count.to_be_bytes()].concat()
    }

    fn credential_data(&self) -> Vec<u8> {
        let point = self.key.public_key().as_ref();
        let length = u16::try_from(self.id.len()).expect("a short id");
        [
            &self.head(self.flags | 0x40)[..],
            &[0; 16],
            &length.to_be_bytes(),
            &self.id,
            &[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20],
            &point[1..33],
            &[0x22, 0x58, 0x20],
            &point[33..],
        ]
        .concat()
    }
}

fn bytes_head(length: usize) -> [u8; 3] {
    let [high, low] = u16::try_from(length).expect("short data").to_be_bytes();
    [0x59, high, low]
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
