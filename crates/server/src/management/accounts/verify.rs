//! The step-up: the person of a session proves again who they are, by password or passkey and by the second factor
//! if one is set.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Transaction, passkeys, sessions};

use super::profile::must_be_password;
use super::refusals::must_be_right;
use crate::accounts::{Client, Codes, Verdict, check_code, has_second_factor, hold_session};
use crate::app::App;
use crate::config::Secret;
use crate::management::frame::{ApiError, FRESH_MS, Identity, Input, Moment, Reply};

/// What a step-up takes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerificationView {
    /// Whether it takes the password.
    password: bool,
    /// Whether it takes a code of the second factor, beside the password.
    second_factor: bool,
    /// Whether a passkey does in place of both.
    passkey: bool,
    /// Until when the last one counts; `null`: there was none, or it is over.
    fresh_until: Option<Moment>,
}

/// `GET /api/verify`.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<VerificationView>, ApiError> {
    let (records, now) = (app.store().read(), app.clock().now_ms());
    let proved_at = identity.session().and_then(|session| session.proved_at);
    let fresh_until = proved_at.map(|at| at + FRESH_MS).filter(|end| *end > now);
    Ok(Reply::of(VerificationView {
        password: identity.user.password_hash.is_some(),
        second_factor: has_second_factor(records, identity.id()).await?,
        passkey: !passkeys::list(records, identity.id()).await?.is_empty(),
        fresh_until: fresh_until.map(Moment),
    }))
}

/// Who the person of the session is.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct VerifyInput {
    /// The password.
    #[schemars(with = "Option<String>")]
    password: Option<Secret>,
    /// Six digits of the authenticator app, or a backup code, if a second factor is on.
    code: Option<String>,
}

/// A step-up that was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProofView {
    /// Until when it counts, in this session.
    fresh_until: Moment,
}

/// `POST /api/verify`.
pub(super) async fn verify(
    State(app): State<Arc<App>>,
    identity: Identity,
    client: Client,
    Input(input): Input<VerifyInput>,
) -> Result<Reply<ProofView>, ApiError> {
    if identity.user.password_hash.is_none() {
        let text = "This account has no password: confirm with a passkey, or log in again.";
        return Err(ApiError::conflict(text).with_code("password_missing"));
    }
    let has_factor = has_second_factor(app.store().read(), identity.id()).await?;
    let code = input.code.filter(|_| has_factor);
    let missing: Vec<&str> = [
        ("password", input.password.is_none()),
        ("code", has_factor && code.is_none()),
    ]
    .into_iter()
    .filter_map(|(field, is_missing)| is_missing.then_some(field))
    .collect();
    if !missing.is_empty() {
        return Err(ApiError::missing(&missing));
    }
    must_be_password(&app, &identity, &client, ("password", input.password)).await?;
    let transaction = app.store().write().await?;
    if let Some(code) = code {
        let by = (identity.id(), &client);
        let verdict = check_code(&app, &transaction, by, &code, Codes::AppOrBackup).await?;
        if verdict != Verdict::Right {
            // Also a wrong code leaves its count.
            transaction.commit().await?;
            must_be_right(verdict)?;
            return Err(ApiError::broken());
        }
    }
    let proof = prove(&app, &transaction, &identity).await?;
    transaction.commit().await?;
    Ok(Reply::of(proof))
}

/// Records the step-up in the present session.
pub(super) async fn prove(
    app: &App,
    transaction: &Transaction,
    identity: &Identity,
) -> Result<ProofView, ApiError> {
    let session = identity.session().ok_or_else(ApiError::not_logged_in)?;
    let now = app.clock().now_ms();
    hold_session(transaction, Some(session)).await?;
    sessions::prove(transaction, session.id, now).await?;
    Ok(ProofView {
        fresh_until: Moment(now + FRESH_MS),
    })
}
