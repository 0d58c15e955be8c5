//! Checking an ID token: signature by one of the provider's keys, issuer, audience, time and nonce.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value;
use subtle::ConstantTimeEq as _;

/// How far the provider's clock may be from ours.
const LEEWAY_S: i64 = 60;

/// Why an ID token was not accepted; for the log only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the ID token was not accepted: {0}")]
pub struct NotAnIdToken(&'static str);

/// What an accepted token says about a person.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Claims {
    /// The provider.
    iss: String,
    /// The provider's own name for the person.
    pub(super) sub: String,
    /// When the token ends, in unix seconds.
    exp: i64,
    /// What we sent along.
    #[serde(default)]
    nonce: Option<String>,
    /// The person's address.
    #[serde(default)]
    pub(super) email: Option<String>,
    /// Whether the provider has verified it.
    #[serde(default)]
    pub(super) email_verified: Option<bool>,
    /// The name that the person logs in with there.
    #[serde(default)]
    pub(super) preferred_username: Option<String>,
    /// The person's name.
    #[serde(default)]
    pub(super) name: Option<String>,
}

/// What a token must be for.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
    pub(super) now_s: i64,
}

/// The claims of a token that one of these keys has signed and that is for us and for now.
pub(super) fn check(
    token: &str,
    keys: &Value,
    expected: &Expected<'_>,
) -> Result<Claims, NotAnIdToken> {
    let mut parts = token.split('.');
    let (Some(head), Some(body), Some(by), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(NotAnIdToken("form"));
    };
    let header: Value = json(head)?;
    let by = decode(by)?;
    let message = &token.as_bytes()[..head.len() + 1 + body.len()];
    let algorithm = header["alg"].as_str().unwrap_or_default();
    let wanted = header["kid"].as_str();
    let candidates = keys["keys"].as_array().into_iter().flatten();
    let is_signed = candidates
        .filter(|key| key["use"].as_str().is_none_or(|purpose| purpose == "sig"))
        .filter(|key| wanted.is_none() || key["kid"].as_str() == wanted)
        .any(|key| has_signed(key, algorithm, message, &by));
    if !is_signed {
        return Err(NotAnIdToken("signature"));
    }
    let value: Value = json(body)?;
    if !is_for(&value, expected.client_id) {
        return Err(NotAnIdToken("audience"));
    }
    let claims: Claims = json(body)?;
    if claims.iss != expected.issuer {
        return Err(NotAnIdToken("issuer"));
    }
    if claims.exp + LEEWAY_S <= expected.now_s {
        return Err(NotAnIdToken("over"));
    }
    let nonce = claims.nonce.as_deref().unwrap_or_default();
    if !bool::from(nonce.as_bytes().ct_eq(expected.nonce.as_bytes())) {
        return Err(NotAnIdToken("nonce"));
    }
    if claims.sub.is_empty() || claims.sub.len() > 255 {
        return Err(NotAnIdToken("subject"));
    }
    Ok(claims)
}

/// Only algorithms with public keys: a token that is signed with a shared secret, or not at all, is
/// none.
fn has_signed(key: &Value, algorithm: &str, message: &[u8], by: &[u8]) -> bool {
    let number = |name: &str| key[name].as_str().and_then(|text| decode(text).ok());
    match (algorithm, key["kty"].as_str()) {
        ("RS256", Some("RSA")) => match (number("n"), number("e")) {
            (Some(n), Some(e)) => RsaPublicKeyComponents { n, e }
                .verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, by)
                .is_ok(),
            _ => false,
        },
        ("ES256", Some("EC")) if key["crv"] == "P-256" => match (number("x"), number("y")) {
            (Some(x), Some(y)) => {
                let point = [vec![4], x, y].concat();
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point)
                    .verify(message, by)
                    .is_ok()
            }
            _ => false,
        },
        _ => false,
    }
}

/// A token for several must say that it was asked for by us.
fn is_for(claims: &Value, client_id: &str) -> bool {
    let is_ours = match &claims["aud"] {
        Value::String(one) => one == client_id,
        Value::Array(several) if several.len() > 1 => {
            several.iter().any(|one| one == client_id) && claims["azp"] == client_id
        }
        Value::Array(several) => several.iter().any(|one| one == client_id),
        _ => false,
    };
    is_ours && (claims["azp"].is_null() || claims["azp"] == client_id)
}

fn json<T: serde::de::DeserializeOwned>(part: &str) -> Result<T, NotAnIdToken> {
    serde_json::from_slice(&decode(part)?).map_err(|_| NotAnIdToken("form"))
}

fn decode(text: &str) -> Result<Vec<u8>, NotAnIdToken> {
    URL_SAFE_NO_PAD
        .decode(text.trim_end_matches('='))
        .map_err(|_| NotAnIdToken("form"))
}
