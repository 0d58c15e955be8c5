//! What the browser says about a ceremony: which kind, for which challenge, on which page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use subtle::ConstantTimeEq as _;

/// `clientDataJSON`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: Option<bool>,
}

/// Whether the browser ran this ceremony, for this challenge, on a page of this origin.
pub(super) fn is_ours(json: &[u8], kind: &str, challenge: &[u8], origin: &str) -> bool {
    let Ok(data) = serde_json::from_slice::<ClientData>(json) else {
        return false;
    };
    let is_challenge = URL_SAFE_NO_PAD
        .decode(data.challenge)
        .is_ok_and(|given| bool::from(given.ct_eq(challenge)));
    data.r#type == kind && is_challenge && data.origin == origin && data.cross_origin != Some(true)
}
