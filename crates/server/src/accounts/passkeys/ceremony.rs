//! Registering a passkey and logging in with one: every check of the specification that applies.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use super::cbor::Cbor;
use super::client_data;
use super::public_key::PublicKey;

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const HAS_CREDENTIAL: u8 = 1 << 6;
const LONGEST_ID: usize = 1023;

/// The ceremony was not passed; which check failed goes to the log only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the passkey was not accepted: {0}")]
pub struct NotAPasskey(&'static str);

/// Whom passkeys are for: a host, and the address of its pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelyingParty {
    /// The host.
    pub id: String,
    /// Scheme, host and port.
    pub origin: String,
}

impl RelyingParty {
    /// The one at a base address; none where browsers make no passkeys for it: addresses in numbers,
    /// and `http` anywhere but on the same machine.
    pub fn at(base_url: &str) -> Option<Self> {
        let uri: http::Uri = base_url.parse().ok()?;
        let (scheme, host) = (uri.scheme_str()?, uri.host()?.to_ascii_lowercase());
        let is_number = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
        let is_local = host == "localhost" || host.ends_with(".localhost");
        if is_number || (scheme != "https" && !is_local) {
            return None;
        }
        let port = uri
            .port_u16()
            .filter(|port| !matches!((scheme, port), ("https", 443) | ("http", 80)));
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        Some(Self {
            origin: format!("{scheme}://{host}{port}"),
            id: host,
        })
    }
}

/// The kind that browsers give; there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum CredentialKind {
    /// A key pair.
    #[serde(rename = "public-key")]
    PublicKey,
}

/// A passkey as it is kept beside its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// The key.
    pub key: PublicKey,
    /// How often it was used, where the authenticator counts.
    pub sign_count: u32,
    /// The authenticator's model.
    pub aaguid: String,
    /// Whether it may be copied to other devices.
    pub is_backup_eligible: bool,
    /// Whether it was.
    pub is_backed_up: bool,
    /// How it can be reached.
    pub transports: Vec<String>,
    /// The host that it was made for.
    pub relying_party: String,
}

/// What a browser sends after it has made a passkey; decoded.
#[derive(Debug)]
pub struct Registration<'a> {
    /// `clientDataJSON`.
    pub client_data: &'a [u8],
    /// `attestationObject`.
    pub attestation: &'a [u8],
    /// How it can be reached.
    pub transports: Vec<String>,
}

/// What a browser sends after it has used a passkey; decoded.
#[derive(Debug)]
pub struct Assertion<'a> {
    /// `clientDataJSON`.
    pub client_data: &'a [u8],
    /// `authenticatorData`.
    pub authenticator_data: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// Checks a new passkey; its id and what is kept of it.
pub fn register(
    party: &RelyingParty,
    challenge: &[u8],
    registration: Registration<'_>,
) -> Result<(Vec<u8>, Credential), NotAPasskey> {
    let client_data = registration.client_data;
    if !client_data::is_ours(client_data, "webauthn.create", challenge, &party.origin) {
        return Err(NotAPasskey("client data"));
    }
    let (object, rest) = Cbor::read(registration.attestation).ok_or(NotAPasskey("attestation"))?;
    let data = object.field("authData").and_then(Cbor::bytes);
    let data = data
        .filter(|_| rest.is_empty())
        .ok_or(NotAPasskey("attestation"))?;
    let head = Head::read(party, data)?;
    if head.flags & HAS_CREDENTIAL == 0 {
        return Err(NotAPasskey("no credential"));
    }
    let (aaguid, rest) = head
        .rest
        .split_at_checked(16)
        .ok_or(NotAPasskey("credential"))?;
    let (length, rest) = rest.split_at_checked(2).ok_or(NotAPasskey("credential"))?;
    let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
    let id = rest
        .split_at_checked(length)
        .filter(|_| (1..=LONGEST_ID).contains(&length));
    let (id, rest) = id.ok_or(NotAPasskey("credential id"))?;
    let (key, _) = Cbor::read(rest).ok_or(NotAPasskey("public key"))?;
    let key = PublicKey::of_cose(&key).ok_or(NotAPasskey("algorithm"))?;
    let credential = Credential {
        key,
        sign_count: head.sign_count,
        aaguid: URL_SAFE_NO_PAD.encode(aaguid),
        is_backup_eligible: head.flags & BACKUP_ELIGIBLE != 0,
        is_backed_up: head.flags & BACKED_UP != 0,
        transports: registration.transports,
        relying_party: party.id.clone(),
    };
    Ok((id.to_vec(), credential))
}

/// Checks a use of a passkey; what is kept of it afterwards.
pub fn assert(
    party: &RelyingParty,
    challenge: &[u8],
    credential: &Credential,
    assertion: &Assertion<'_>,
) -> Result<Credential, NotAPasskey> {
    let client_data = assertion.client_data;
    if !client_data::is_ours(client_data, "webauthn.get", challenge, &party.origin) {
        return Err(NotAPasskey("client data"));
    }
    if credential.relying_party != party.id {
        return Err(NotAPasskey("made for another host"));
    }
    let head = Head::read(party, assertion.authenticator_data)?;
    let hash = digest(&SHA256, client_data);
    let message = [assertion.authenticator_data, hash.as_ref()].concat();
    if !credential.key.has_signed(&message, assertion.signature) {
        return Err(NotAPasskey("signature"));
    }
    // A count that does not rise betrays a copied authenticator; many do not count at all.
    let counts = credential.sign_count > 0 || head.sign_count > 0;
    if counts && head.sign_count <= credential.sign_count {
        return Err(NotAPasskey("the count did not rise"));
    }
    Ok(Credential {
        sign_count: head.sign_count,
        is_backed_up: head.flags & BACKED_UP != 0,
        ..credential.clone()
    })
}

/// The beginning of authenticator data, checked: our host, and a user who was there and verified. A
/// passkey then stands for both factors.
struct Head<'a> {
    flags: u8,
    sign_count: u32,
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    fn read(party: &RelyingParty, data: &'a [u8]) -> Result<Self, NotAPasskey> {
        let cut = || NotAPasskey("authenticator data");
        let (hash, rest) = data.split_at_checked(32).ok_or_else(cut)?;
        let (flags, rest) = rest.split_first().ok_or_else(cut)?;
        let (count, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let ours = digest(&SHA256, party.id.as_bytes());
        if !bool::from(hash.ct_eq(ours.as_ref())) {
            return Err(NotAPasskey("host"));
        }
        if flags & USER_PRESENT == 0 || flags & USER_VERIFIED == 0 {
            return Err(NotAPasskey("user not verified"));
        }
        Ok(Self {
            flags: *flags,
            sign_count: u32::from_be_bytes(*count),
            rest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_are_for_names_over_tls_or_on_this_machine() {
        for (base, expected) in [
            (
                "https://gate.example/ai",
                Some(("gate.example", "https://gate.example")),
            ),
            (
                "https://Gate.example:443",
                Some(("gate.example", "https://gate.example")),
            ),
            (
                "https://gate.example:8443",
                Some(("gate.example", "https://gate.example:8443")),
            ),
            (
                "http://localhost:3000",
                Some(("localhost", "http://localhost:3000")),
            ),
            ("http://gate.example", None),
            ("http://127.0.0.1:3000", None),
            ("https://[::1]:3000", None),
        ] {
            let party = RelyingParty::at(base);
            let found = party
                .as_ref()
                .map(|party| (party.id.as_str(), party.origin.as_str()));
            assert_eq!(found, expected, "{base}");
        }
    }
}
