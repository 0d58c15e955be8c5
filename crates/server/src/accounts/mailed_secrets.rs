//! What is proved by reading one's mail: a code shows that an address is one's own, a link lets one set
//! a new password. Only hashes are kept, and each works once.

use store::login_flows::{self, LoginFlow};
use store::users::{self, User};
use store::{Result, Transaction};

use super::one_time::new_secret;
use crate::app::App;
use crate::secrets::{TokenHash, hash_token};

const CODE_PURPOSE: &str = "mail_code";
const RESET_PURPOSE: &str = "password_reset";
const CODE_MS: i64 = 900_000;
const RESET_MS: i64 = 3_600_000;

/// A new code for an address, good for fifteen minutes: six digits.
pub async fn new_mail_code(app: &App, email: &str) -> Result<String> {
    let mut bytes = [0; 8];
    app.randomness().fill(&mut bytes);
    // Of 2^64 numbers, the favour that a million divides unevenly is beyond measure.
    let code = format!("{:06}", u64::from_be_bytes(bytes) % 1_000_000);
    let hash = code_hash(app, email, &code);
    begin(app, CODE_PURPOSE, &hash, None, CODE_MS).await?;
    Ok(code)
}

/// Uses up a code; false where it is wrong, over or used.
pub async fn use_mail_code(
    app: &App,
    transaction: &Transaction,
    email: &str,
    code: &str,
) -> Result<bool> {
    let hash = code_hash(app, email, code.trim());
    login_flows::consume(transaction, CODE_PURPOSE, &hash, app.clock().now_ms()).await
}

/// A new token for setting a new password, good for an hour.
pub async fn new_reset_token(app: &App, user: &User) -> Result<String> {
    let token = new_secret(app.randomness());
    let hash = hash_token(app.keys(), RESET_PURPOSE, &token);
    begin(app, RESET_PURPOSE, &hash, Some(user), RESET_MS).await?;
    Ok(token)
}

/// Uses up such a token: whose it is. None where it is unknown, over or used, or where the user has
/// changed how to log in since.
pub async fn use_reset_token(
    app: &App,
    transaction: &Transaction,
    token: &str,
) -> Result<Option<User>> {
    let now = app.clock().now_ms();
    let hash = hash_token(app.keys(), RESET_PURPOSE, token);
    let Some(flow) = login_flows::find(transaction, RESET_PURPOSE, &hash, now).await? else {
        return Ok(None);
    };
    if !login_flows::consume(transaction, RESET_PURPOSE, &hash, now).await? {
        return Ok(None);
    }
    let Some(id) = flow.user_id else {
        return Ok(None);
    };
    let user = users::get(transaction, id).await?;
    Ok(user.filter(|user| user.auth_version == flow.auth_version))
}

fn code_hash(app: &App, email: &str, code: &str) -> TokenHash {
    let email = email.trim().to_lowercase();
    hash_token(app.keys(), CODE_PURPOSE, &format!("{email}\n{code}"))
}

async fn begin(
    app: &App,
    purpose: &str,
    hash: &TokenHash,
    user: Option<&User>,
    life_ms: i64,
) -> Result<()> {
    let now = app.clock().now_ms();
    let flow = LoginFlow {
        purpose: purpose.to_owned(),
        user_id: user.map(|user| user.id),
        auth_version: user.map_or(0, |user| user.auth_version),
        state: None,
        attempts: 0,
        expires_at: now + life_ms,
    };
    let transaction = app.store().write().await?;
    login_flows::begin(&transaction, hash, &flow, now).await?;
    transaction.commit().await?;
    Ok(())
}
