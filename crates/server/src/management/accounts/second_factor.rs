//! Switching the second factor on and off, and its backup codes. Every change ends the user's other
//! sessions; the one that made it goes on under a new secret.

use std::sync::Arc;

use axum::extract::State;
use qrcode::QrCode;
use qrcode::render::svg;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{StoreError, Transaction, two_factor};

use super::cookies;
use super::refusals::must_be_right;
use crate::accounts::{
    Client, Codes, Verdict, base32, check_code, enable_with_code, end_other_sessions,
    hash_backup_code, locked_s, new_backup_codes, new_totp_secret, normal_backup_code, otpauth_uri,
    seal_secret,
};
use crate::app::App;
use crate::management::frame::{Act, ApiError, Identity, Input, Reply};

const ISSUER: &str = "Modelgate";

/// The state of the second factor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactorView {
    /// Whether it is on.
    enabled: bool,
    /// Whether codes are refused for now.
    locked: bool,
    /// Backup codes that are left, where it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_codes_remaining: Option<i64>,
}

/// What an authenticator app is set up with. It is shown once.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactorSetUp {
    /// The secret, to be typed.
    secret: String,
    /// The same as an address.
    otpauth_uri: String,
    /// The address as a QR code.
    qr_svg: String,
    /// Codes for when the app is lost, each good once.
    backup_codes: Vec<String>,
}

/// New backup codes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BackupCodes {
    /// The codes; all former ones are void.
    backup_codes: Vec<String>,
}

/// A code that shows that the user has the factor.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FactorCode {
    /// Six digits, or a backup code where one is accepted.
    code: String,
}

/// `GET /api/user/2fa/status`.
pub(super) async fn status(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<FactorView>, ApiError> {
    Ok(Reply::of(view(&app, &identity).await?))
}

async fn view(app: &App, identity: &Identity) -> Result<FactorView, ApiError> {
    let records = app.store().read();
    let now = app.clock().now_ms();
    let factor = two_factor::get(records, identity.id()).await?;
    let Some(factor) = factor.filter(|factor| factor.enabled_at.is_some()) else {
        return Ok(FactorView {
            enabled: false,
            locked: false,
            backup_codes_remaining: None,
        });
    };
    Ok(FactorView {
        enabled: true,
        locked: locked_s(&factor, now).is_some(),
        backup_codes_remaining: Some(two_factor::backup_codes_left(records, identity.id()).await?),
    })
}

/// `POST /api/user/2fa/setup`: a secret that counts only once its first code was shown.
pub(super) async fn set_up(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<FactorSetUp>, ApiError> {
    let user = identity.id();
    let secret = new_totp_secret(app.randomness());
    let backup_codes = new_backup_codes(app.randomness());
    let sealed = seal_secret(&app, user, &secret);
    let hashes = hashes(&app, &identity, &backup_codes);
    let otpauth_uri = otpauth_uri(ISSUER, &identity.user.username, &secret);
    let qr_svg = qr_svg(&otpauth_uri)?;
    let transaction = app.store().write().await?;
    let now = app.clock().now_ms();
    if !two_factor::set_up(&transaction, user, &sealed, &hashes, now).await? {
        return Err(ApiError::conflict("The second factor is on already."));
    }
    transaction.commit().await?;
    Ok(Reply::of(FactorSetUp {
        secret: base32(&secret),
        otpauth_uri,
        qr_svg,
        backup_codes,
    }))
}

fn hashes(app: &App, identity: &Identity, codes: &[String]) -> Vec<Vec<u8>> {
    let normal = codes.iter().filter_map(|code| normal_backup_code(code));
    normal
        .map(|code| hash_backup_code(app.keys(), identity.id(), &code))
        .collect()
}

/// Drawn here: a service that draws QR codes would learn the secret.
fn qr_svg(text: &str) -> Result<String, ApiError> {
    let code = QrCode::new(text).map_err(|error| ApiError::internal(&error))?;
    Ok(code
        .render::<svg::Color<'_>>()
        .min_dimensions(200, 200)
        .build())
}

/// `POST /api/user/2fa/enable`.
pub(super) async fn enable(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(input): Input<FactorCode>,
) -> Result<Reply<FactorView>, ApiError> {
    let transaction = app.store().write().await?;
    let verdict = enable_with_code(&app, &transaction, identity.id(), &input.code).await?;
    if verdict == Verdict::None {
        let factor = two_factor::get(&transaction, identity.id()).await?;
        let is_on = factor.is_some_and(|factor| factor.enabled_at.is_some());
        return Err(if is_on {
            ApiError::conflict("The second factor is on already.")
        } else {
            ApiError::conflict("Begin with /api/user/2fa/setup; a set-up waits 15 minutes.")
        });
    }
    finish(&app, transaction, &identity, verdict, "two_factor.enable").await
}

/// `POST /api/user/2fa/disable`.
pub(super) async fn disable(
    State(app): State<Arc<App>>,
    identity: Identity,
    client: Client,
    Input(input): Input<FactorCode>,
) -> Result<Reply<FactorView>, ApiError> {
    let transaction = app.store().write().await?;
    let (codes, by) = (Codes::AppOrBackup, (identity.id(), &client));
    let verdict = check_code(&app, &transaction, by, &input.code, codes).await?;
    if verdict == Verdict::Right {
        two_factor::delete(&transaction, identity.id()).await?;
    }
    finish(&app, transaction, &identity, verdict, "two_factor.disable").await
}

/// Ends the other sessions after a change, or keeps the count of a wrong code.
async fn finish(
    app: &App,
    transaction: Transaction,
    identity: &Identity,
    verdict: Verdict,
    action: &'static str,
) -> Result<Reply<FactorView>, ApiError> {
    if verdict != Verdict::Right {
        transaction.commit().await?;
        must_be_right(verdict)?;
        return Err(ApiError::broken());
    }
    let kept = identity.session();
    let secret = end_other_sessions(app, &transaction, identity.id(), kept).await?;
    note(app, &transaction, identity, action).await?;
    transaction.commit().await?;
    let reply = Reply::of(view(app, identity).await?);
    Ok(cookies::renewed(app, &identity.caller, reply, secret))
}

/// `POST /api/user/2fa/backup_codes`: takes a code of the app, since a backup code could otherwise
/// be turned into ten.
pub(super) async fn renew_backup_codes(
    State(app): State<Arc<App>>,
    identity: Identity,
    client: Client,
    Input(input): Input<FactorCode>,
) -> Result<Reply<BackupCodes>, ApiError> {
    let transaction = app.store().write().await?;
    let user = identity.id();
    let by = (user, &client);
    let verdict = check_code(&app, &transaction, by, &input.code, Codes::App).await?;
    let backup_codes = new_backup_codes(app.randomness());
    if verdict == Verdict::Right {
        let hashes = hashes(&app, &identity, &backup_codes);
        two_factor::replace_backup_codes(&transaction, user, &hashes).await?;
        note(&app, &transaction, &identity, "two_factor.backup_codes").await?;
    }
    transaction.commit().await?;
    must_be_right(verdict)?;
    Ok(Reply::of(BackupCodes { backup_codes }))
}

async fn note(
    app: &App,
    transaction: &Transaction,
    identity: &Identity,
    action: &'static str,
) -> Result<(), StoreError> {
    let act = Act {
        action,
        object_kind: "user",
        object_id: identity.id().to_string(),
        changes: json!({}),
    };
    act.note(transaction, identity, app.clock().now_ms()).await
}
