//! What browsers send in the ceremonies of passkeys, as `PublicKeyCredential.toJSON()` writes it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::accounts::passkeys::CredentialKind;
use crate::management::frame::ApiError;

const MOST_TRANSPORTS: usize = 8;
const LONGEST_TRANSPORT: usize = 32;

/// A new credential.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MadeCredential {
    /// The credential's id, base64url.
    #[expect(dead_code, reason = "the id inside the signed data counts")]
    id: String,
    /// `public-key`.
    #[expect(dead_code, reason = "there is one kind; reading it checks it")]
    r#type: CredentialKind,
    /// What the authenticator answered.
    response: MadeResponse,
}

/// What the authenticator answered when it made a credential.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MadeResponse {
    /// What the browser says of the ceremony, base64url.
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    /// What the authenticator says, base64url.
    attestation_object: String,
    /// How it can be reached.
    transports: Option<Vec<String>>,
}

impl MadeCredential {
    /// Client data and attestation, decoded.
    pub fn decoded(&self) -> Result<(Vec<u8>, Vec<u8>), ApiError> {
        let response = &self.response;
        Ok((
            decode("credential.response.clientDataJSON", &response.client_data)?,
            decode(
                "credential.response.attestationObject",
                &response.attestation_object,
            )?,
        ))
    }

    /// How the authenticator can be reached, within bounds.
    pub fn transports(&self) -> Vec<String> {
        let given = self.response.transports.iter().flatten();
        let sane = given.filter(|name| name.len() <= LONGEST_TRANSPORT);
        sane.take(MOST_TRANSPORTS).cloned().collect()
    }
}

/// A credential that was used.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AssertedCredential {
    /// The credential's id, base64url.
    pub id: String,
    /// `public-key`.
    #[expect(dead_code, reason = "there is one kind; reading it checks it")]
    r#type: CredentialKind,
    /// What the authenticator answered.
    response: AssertedResponse,
}

/// What the authenticator answered when a credential was used.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssertedResponse {
    /// What the browser says of the ceremony, base64url.
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    /// What the authenticator says, base64url.
    authenticator_data: String,
    /// Its signature, base64url.
    signature: String,
    /// Whose it is, base64url.
    user_handle: Option<String>,
}

/// The parts of a used credential, decoded.
pub struct Decoded {
    pub client_data: Vec<u8>,
    pub authenticator_data: Vec<u8>,
    pub signature: Vec<u8>,
}

impl AssertedCredential {
    /// The parts, decoded.
    pub fn decoded(&self) -> Result<Decoded, ApiError> {
        let response = &self.response;
        let data = "credential.response.authenticatorData";
        Ok(Decoded {
            client_data: decode("credential.response.clientDataJSON", &response.client_data)?,
            authenticator_data: decode(data, &response.authenticator_data)?,
            signature: decode("credential.response.signature", &response.signature)?,
        })
    }

    /// Whose it is, where the authenticator says so.
    pub fn user_handle(&self) -> Result<Option<Vec<u8>>, ApiError> {
        let given = self
            .response
            .user_handle
            .as_deref()
            .filter(|text| !text.is_empty());
        given
            .map(|text| decode("credential.response.userHandle", text))
            .transpose()
    }
}

/// Decodes base64url, with or without its padding.
pub fn decode(field: &str, text: &str) -> Result<Vec<u8>, ApiError> {
    let decoded = URL_SAFE_NO_PAD.decode(text.trim_end_matches('='));
    decoded.map_err(|_| ApiError::bad_field(field, "must be base64url"))
}
