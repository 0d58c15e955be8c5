//! The step-up check: the second factor once more, for one kind of sensitive call.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Transaction;
use store::login_flows::{self, LoginFlow};

use super::refusals::must_be_right;
use crate::accounts::{Codes, Verdict, check_code, new_secret};
use crate::app::App;
use crate::management::frame::{
    ApiError, Identity, Input, Moment, PROOF_PURPOSE, ProofOf, Reply, SCOPES,
};
use crate::secrets::hash_token;

const PROOF_MS: i64 = 300_000;

/// What is to be confirmed, and how.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct VerifyInput {
    /// Six digits of the authenticator app, or a backup code.
    code: String,
    /// What the proof is for.
    scope: String,
    /// `2fa`; passkeys have their own calls.
    method: Option<String>,
}

/// A proof, for the header `x-security-proof` of the calls that it was given for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProofView {
    /// The proof.
    proof_token: String,
    /// When it ends.
    expires_at: Moment,
    /// How it was confirmed.
    method: &'static str,
    /// What it is for.
    scope: String,
}

/// `POST /api/verify`.
pub(super) async fn verify(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(input): Input<VerifyInput>,
) -> Result<Reply<ProofView>, ApiError> {
    let scope = known_scope(&input.scope)?;
    if input
        .method
        .as_deref()
        .is_some_and(|method| method != "2fa")
    {
        return Err(ApiError::bad_field("method", "must be 2fa"));
    }
    let transaction = app.store().write().await?;
    let codes = Codes::AppOrBackup;
    let verdict = check_code(&app, &transaction, identity.id(), &input.code, codes).await?;
    let proof = match verdict {
        Verdict::Right => Some(give_proof(&app, &transaction, &identity, scope, "2fa").await?),
        _ => None,
    };
    transaction.commit().await?;
    must_be_right(verdict)?;
    proof.map(Reply::of).ok_or_else(ApiError::broken)
}

/// One of the scopes that there are.
pub(super) fn known_scope(text: &str) -> Result<&'static str, ApiError> {
    let scope = SCOPES.iter().find(|scope| **scope == text);
    let problem = || format!("must be one of {}", SCOPES.join(", "));
    scope
        .copied()
        .ok_or_else(|| ApiError::bad_field("scope", &problem()))
}

/// Gives a proof to the present session.
pub(super) async fn give_proof(
    app: &App,
    transaction: &Transaction,
    identity: &Identity,
    scope: &'static str,
    method: &'static str,
) -> Result<ProofView, ApiError> {
    let session = identity.session().ok_or_else(ApiError::not_logged_in)?;
    let now = app.clock().now_ms();
    let state = ProofOf {
        session: session.id,
        scope: scope.to_owned(),
    };
    let state = serde_json::to_vec(&state).map_err(|error| ApiError::internal(&error))?;
    let proof_token = new_secret(app.randomness());
    let flow = LoginFlow {
        purpose: PROOF_PURPOSE.to_owned(),
        user_id: Some(identity.id()),
        auth_version: identity.user.auth_version,
        state: Some(state),
        attempts: 0,
        expires_at: now + PROOF_MS,
    };
    let hash = hash_token(app.keys(), PROOF_PURPOSE, &proof_token);
    login_flows::begin(transaction, &hash, &flow, now).await?;
    Ok(ProofView {
        proof_token,
        expires_at: Moment(flow.expires_at),
        method,
        scope: scope.to_owned(),
    })
}
