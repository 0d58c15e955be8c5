//! The ceremonies of passkeys as flows: what is remembered between the beginning and the end, and
//! the options that a browser gets.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::login_flows::{self, LoginFlow};
use store::passkeys::{self, Passkey};
use store::sessions::Session;
use store::users::User;
use store::{SessionId, Transaction, UserId};

use super::credentials::AssertedCredential;
use super::passkeys::descriptors;
use super::refusals::{self, flow_over};
use crate::accounts::new_secret;
use crate::accounts::passkeys::{ALGORITHMS, Assertion, Credential, RelyingParty, assert};
use crate::app::App;
use crate::management::frame::{ApiError, Identity, Moment, Reply};
use crate::middleware::Caller;
use crate::secrets::hash_token;

/// The purposes, which never cross.
pub const REGISTER: &str = "passkey_register";
/// Logging in.
pub const LOGIN: &str = "passkey_login";
/// Confirming.
pub const VERIFY: &str = "passkey_verify";

const TIMEOUT_MS: i64 = 120_000;
const NAME: &str = "Modelgate";

/// What is remembered of a ceremony.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ceremony {
    /// Whom it is for.
    pub party: RelyingParty,
    /// What the authenticator signs.
    pub challenge: Vec<u8>,
    /// In which session it was begun.
    pub session: Option<SessionId>,
}

/// What a browser needs to begin.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BeginView {
    /// For `navigator.credentials`; binary values are base64url.
    options: Value,
    /// To be sent back at the end.
    flow_token: String,
    /// When it ends.
    expires_at: Moment,
}

impl Ceremony {
    /// A new one, for the address under which the service is reached.
    pub fn new(app: &App, caller: &Caller, session: Option<&Session>) -> Result<Self, ApiError> {
        let party = RelyingParty::at(&caller.base_url).ok_or_else(|| {
            let text = "Passkeys need an address with a name, over https or on localhost.";
            ApiError::conflict(text).with_code("passkeys_unavailable")
        })?;
        let mut challenge = vec![0; 32];
        app.randomness().fill(&mut challenge);
        Ok(Self {
            party,
            challenge,
            session: session.map(|session| session.id),
        })
    }

    /// Options for making a passkey.
    pub fn creation_options(&self, app: &App, user: &User, known: &[Passkey]) -> Value {
        let algorithms = ALGORITHMS.map(|number| json!({"type": "public-key", "alg": number}));
        json!({"publicKey": {
            "rp": {"id": self.party.id, "name": NAME},
            "user": {
                "id": base64(&user_handle(app, user.id)),
                "name": user.username,
                "displayName": user.display_name,
            },
            "challenge": base64(&self.challenge),
            "pubKeyCredParams": algorithms,
            "timeout": TIMEOUT_MS,
            "excludeCredentials": descriptors(known),
            "authenticatorSelection": {
                "residentKey": "required",
                "requireResidentKey": true,
                "userVerification": "required",
            },
            "attestation": "none",
        }})
    }

    /// Options for using one of these passkeys, or any where none is named.
    pub fn request_options(&self, known: &[Passkey]) -> Value {
        json!({"publicKey": {
            "challenge": base64(&self.challenge),
            "rpId": self.party.id,
            "timeout": TIMEOUT_MS,
            "userVerification": "required",
            "allowCredentials": descriptors(known),
        }})
    }
}

/// Begins a ceremony.
pub async fn begin(
    app: &App,
    purpose: &'static str,
    user: Option<&User>,
    ceremony: &Ceremony,
    options: Value,
) -> Result<Reply<BeginView>, ApiError> {
    let now = app.clock().now_ms();
    let flow_token = new_secret(app.randomness());
    let state = serde_json::to_vec(ceremony).map_err(|error| ApiError::internal(&error))?;
    let flow = LoginFlow {
        purpose: purpose.to_owned(),
        user_id: user.map(|user| user.id),
        auth_version: user.map_or(0, |user| user.auth_version),
        state: Some(state),
        attempts: 0,
        expires_at: now + TIMEOUT_MS,
    };
    let transaction = app.store().write().await?;
    let hash = hash_token(app.keys(), purpose, &flow_token);
    login_flows::begin(&transaction, &hash, &flow, now).await?;
    transaction.commit().await?;
    Ok(Reply::of(BeginView {
        options,
        flow_token,
        expires_at: Moment(flow.expires_at),
    }))
}

/// A ceremony that is being finished.
pub struct Finishing {
    flow: LoginFlow,
    ceremony: Ceremony,
}

/// Takes a ceremony up again, once.
pub async fn finish(
    app: &App,
    transaction: &Transaction,
    purpose: &'static str,
    flow_token: &str,
) -> Result<Finishing, ApiError> {
    let now = app.clock().now_ms();
    let hash = hash_token(app.keys(), purpose, flow_token);
    let flow = login_flows::find(transaction, purpose, &hash, now).await?;
    let flow = flow.ok_or_else(flow_over)?;
    if !login_flows::consume(transaction, purpose, &hash, now).await? {
        return Err(flow_over());
    }
    let state = flow.state.as_deref().unwrap_or_default();
    let ceremony = serde_json::from_slice(state).map_err(|error| ApiError::internal(&error))?;
    Ok(Finishing { flow, ceremony })
}

impl Finishing {
    /// The ceremony, where this user began it in this session.
    pub fn of_user(&self, identity: &Identity) -> Result<&Ceremony, ApiError> {
        let is_same = self.flow.user_id == Some(identity.id())
            && self.flow.auth_version == identity.user.auth_version
            && self.ceremony.session == identity.session().map(|session| session.id);
        is_same.then_some(&self.ceremony).ok_or_else(flow_over)
    }

    /// Checks the use of a passkey, and keeps what it changed.
    pub async fn check(
        &self,
        app: &App,
        transaction: &Transaction,
        passkey: &Passkey,
        asserted: &AssertedCredential,
    ) -> Result<(), ApiError> {
        let stored: Credential = serde_json::from_str(&passkey.credential)
            .map_err(|error| ApiError::internal(&error))?;
        let parts = asserted.decoded()?;
        let assertion = Assertion {
            client_data: &parts.client_data,
            authenticator_data: &parts.authenticator_data,
            signature: &parts.signature,
        };
        let ceremony = &self.ceremony;
        let used = assert(&ceremony.party, &ceremony.challenge, &stored, &assertion);
        let used = used.map_err(refusals::not_a_passkey)?;
        let document = serde_json::to_string(&used).map_err(|error| ApiError::internal(&error))?;
        let now = app.clock().now_ms();
        passkeys::note_use(transaction, passkey.id, &document, now).await?;
        Ok(())
    }
}

/// What authenticators know a user by: opaque, and always the same.
pub fn user_handle(app: &App, user: UserId) -> Vec<u8> {
    hash_token(app.keys(), "passkey user", &user.to_string()).to_vec()
}

/// Bytes as browsers want them.
pub fn base64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
