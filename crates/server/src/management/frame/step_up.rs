//! The step-up check: before secrets are made or changed, whoever has a second factor shows it
//! again. `/api/verify` gives a proof, which the protected call sends in a header. A proof belongs
//! to one session and one scope, and is never a credential by itself.

use http::HeaderName;
use serde::{Deserialize, Serialize};
use store::{SessionId, login_flows, passkeys, two_factor};

use super::access::Identity;
use super::reply::ApiError;
use crate::app::App;
use crate::secrets::hash_token;

/// The header that carries a proof.
pub const PROOF_HEADER: HeaderName = HeaderName::from_static("x-security-proof");

/// What the keyed hash of a proof, and its flow, are for.
pub const PROOF_PURPOSE: &str = "security_proof";

/// What proofs can be asked for.
pub const SCOPES: [&str; 11] = [
    "access_token.create",
    "account.delete",
    "backup.download",
    "channel.key.change",
    "email.change",
    "identity.change",
    "import.run",
    "passkey.delete",
    "passkey.register",
    "password.change",
    "settings.change",
];

/// How long a login that showed a second factor counts as a proof by itself.
const FRESH_MS: i64 = 300_000;

/// What a proof was given for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofOf {
    /// In this session only.
    pub session: SessionId,
    /// For this only.
    pub scope: String,
}

/// Refuses a session whose user has a second factor and neither showed it at a login a moment ago nor
/// sends a proof for this scope. Access tokens cannot show a factor; routes that must not take them say so.
pub async fn require_proof(
    app: &App,
    identity: &Identity,
    scope: &'static str,
) -> Result<(), ApiError> {
    let now = app.clock().now_ms();
    let Some(session) = identity.session() else {
        return Ok(());
    };
    let is_fresh = now - session.created_at < FRESH_MS;
    let is_free = match second_factor(app, identity).await? {
        None => true,
        Some(Factor::App) => is_fresh,
        Some(Factor::Passkey) => false,
    };
    if is_free {
        return Ok(());
    }
    let refused = |code, text| ApiError::forbidden(text).with_code(code);
    let Some(proof) = &identity.proof else {
        let text = "Confirm with your second factor first (POST /api/verify).";
        return Err(refused("security_proof_required", text));
    };
    let hash = hash_token(app.keys(), PROOF_PURPOSE, proof);
    let flow = login_flows::find(app.store().read(), PROOF_PURPOSE, &hash, now).await?;
    let flow = flow.filter(|flow| {
        flow.user_id == Some(identity.id()) && flow.auth_version == identity.user.auth_version
    });
    let state = flow.and_then(|flow| flow.state);
    let wanted = ProofOf {
        session: session.id,
        scope: scope.to_owned(),
    };
    let given = state.and_then(|state| serde_json::from_slice::<ProofOf>(&state).ok());
    match given {
        Some(given) if given == wanted => Ok(()),
        Some(given) if given.session == wanted.session => Err(refused(
            "security_proof_scope_mismatch",
            "The confirmation was given for something else.",
        )),
        _ => Err(refused(
            "security_proof_invalid",
            "The confirmation is unknown or over; confirm again.",
        )),
    }
}

/// What a user can confirm with.
enum Factor {
    /// An authenticator app: every login asks for it, or for a passkey.
    App,
    /// Passkeys alone: a password logs in without one.
    Passkey,
}

async fn second_factor(app: &App, identity: &Identity) -> Result<Option<Factor>, ApiError> {
    let records = app.store().read();
    let factor = two_factor::get(records, identity.id()).await?;
    if factor.is_some_and(|factor| factor.enabled_at.is_some()) {
        return Ok(Some(Factor::App));
    }
    let passkeys = passkeys::list(records, identity.id()).await?;
    Ok((!passkeys.is_empty()).then_some(Factor::Passkey))
}
