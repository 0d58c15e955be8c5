//! The signature scheme of Stripe's webhooks, which the sandbox shares: HMAC-SHA256 over the time
//! and the raw bytes of the body, as `t=…,v1=…` with any number of `v1`.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq as _};

use crate::config::Secret;

/// How far the time of a signature may be from ours, in seconds, either way.
pub const TOLERANCE_S: i64 = 300;

/// Why a signature is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSignature {
    /// The header is not in the scheme's form: no time, or no `v1`.
    #[error("the signature header cannot be read")]
    Malformed,
    /// The time is too far from ours.
    #[error("the signature is too old, or from the future")]
    Stale,
    /// No signature in it is right.
    #[error("the signature does not match")]
    Mismatch,
}

/// Checks a signature header against the body as it came. Any of the secrets may have signed it,
/// so that they can be rotated.
pub fn verify(
    header: &str,
    body: &[u8],
    secrets: &[Secret],
    now_s: i64,
) -> Result<(), BadSignature> {
    let (time, signatures) = read(header).ok_or(BadSignature::Malformed)?;
    let seconds: i64 = time.parse().map_err(|_| BadSignature::Malformed)?;
    // Every signature is compared with every secret, found or not.
    let mut matches = Choice::from(0);
    for secret in secrets {
        let expected = mac(secret, time, body);
        for signature in &signatures {
            if let Some(bytes) = from_hex(signature) {
                matches |= bytes.ct_eq(&expected);
            }
        }
    }
    if !bool::from(matches) {
        return Err(BadSignature::Mismatch);
    }
    if now_s.abs_diff(seconds) > TOLERANCE_S.unsigned_abs() {
        return Err(BadSignature::Stale);
    }
    Ok(())
}

/// Signs a body as a provider does.
pub fn sign(body: &[u8], secret: &Secret, now_s: i64) -> String {
    let signature = mac(secret, &now_s.to_string(), body);
    format!("t={now_s},v1={}", hex::encode(signature))
}

/// The time as it was received, since that is what was signed, and all `v1`. Other schemes are
/// ignored: believing a weaker one would be a downgrade.
fn read(header: &str) -> Option<(&str, Vec<&str>)> {
    let mut time = None;
    let mut signatures = Vec::new();
    for element in header.split(',') {
        match element.trim().split_once('=') {
            Some(("t", value)) => time = Some(value),
            Some(("v1", value)) => signatures.push(value),
            _ => {}
        }
    }
    let time = time.filter(|time| !time.is_empty() && time.bytes().all(|b| b.is_ascii_digit()))?;
    (!signatures.is_empty()).then_some((time, signatures))
}

fn mac(secret: &Secret, time: &str, body: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes())
        .expect("HMAC takes keys of any length");
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    mac.finalize().into_bytes().into()
}

/// 64 hexadecimal digits of either case; anything else is no signature.
fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
