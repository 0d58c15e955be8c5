//! Logging in by password, and the second step where a second factor is on. Unknown names take the
//! same time and get the same answer as wrong passwords.

use store::login_flows::{self, LoginFlow};
use store::two_factor;
use store::users::{self, Status, User};
use store::{StoreError, Transaction};

use super::one_time::new_secret;
use super::password::{PasswordError, hash_password, is_foreign_hash, is_password_of};
use super::second_factor::{Codes, FactorError, Verdict, check_code, locked_s};
use super::session::{Client, IssuedSession, issue_session};
use super::throttle::{Guess, Throttled, begin_try};
use crate::app::App;
use crate::config::Secret;
use crate::secrets::{TokenHash, hash_token};

/// What the flow of a login that waits for its second factor, and the hash of its token, are for.
const FLOW_PURPOSE: &str = "2fa_login";

/// How long such a login waits.
pub const FLOW_SECONDS: i64 = 300;

/// How many codes one such login takes.
const FLOW_TRIES: i64 = 5;

/// How a login went on.
#[derive(Debug)]
pub enum LoggedIn {
    /// There is a session.
    Session(Box<User>, IssuedSession),
    /// A code of the second factor is needed first.
    NeedsCode {
        /// What the second step sends back.
        flow_token: String,
        /// When it ends, in unix milliseconds.
        expires_at: i64,
    },
}

/// Why a login was refused.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The name or the password is wrong.
    #[error("the name or the password is wrong")]
    Wrong,
    /// The login that a code was sent for is unknown, over, or was changed meanwhile.
    #[error("the login is over")]
    FlowOver,
    /// The code is wrong or was used.
    #[error("the code is wrong or was used")]
    WrongCode {
        /// Where it was one too many, how long no other is taken.
        locked_s: Option<u64>,
    },
    /// Too many were wrong; none is taken for so many seconds.
    #[error("locked for {0} seconds")]
    Locked(u64),
    /// The account is switched off.
    #[error("the account is disabled")]
    Disabled,
    /// The tries could not be counted.
    #[error(transparent)]
    Throttle(Throttled),
    /// The password could not be compared.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The code could not be checked.
    #[error(transparent)]
    Factor(FactorError),
    /// The records could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Throttled> for LoginError {
    fn from(error: Throttled) -> Self {
        match error {
            Throttled::Locked(seconds) => Self::Locked(seconds),
            other @ Throttled::Shared(_) => Self::Throttle(other),
        }
    }
}

impl From<FactorError> for LoginError {
    fn from(error: FactorError) -> Self {
        match error {
            FactorError::Store(error) => Self::Store(error),
            other @ FactorError::Secret(_) => Self::Factor(other),
        }
    }
}

/// The first step: a name or e-mail address, and the password.
pub async fn log_in(
    app: &App,
    client: &Client,
    login: &str,
    password: Secret,
) -> Result<LoggedIn, LoginError> {
    let attempt = begin_try(app, Guess::Password(login), client.address).await?;
    let user = users::find_by_login(app.store().read(), login).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let is_right = is_password_of(stored, password.clone()).await?;
    let Some(user) = user.filter(|_| is_right) else {
        tracing::info!(client = %client.address, "login refused");
        return Err(LoginError::Wrong);
    };
    attempt.forgive(app).await;
    strengthen(app, &user, password).await?;
    log_in_user(app, client, user, true).await
}

/// Hashes the password of an imported user in our own way, now that it is known.
async fn strengthen(app: &App, user: &User, password: Secret) -> Result<(), LoginError> {
    let former = user.password_hash.as_deref();
    let Some(former) = former.filter(|stored| is_foreign_hash(stored)) else {
        return Ok(());
    };
    let hash = hash_password(password, app.randomness()).await?;
    let transaction = app.store().write().await?;
    users::rehash_password(&transaction, user.id, former, &hash).await?;
    transaction.commit().await?;
    Ok(())
}

/// What follows once it is known who it is: a session, or first the second factor where
/// `asks_factor` says that it still counts.
pub async fn log_in_user(
    app: &App,
    client: &Client,
    user: User,
    asks_factor: bool,
) -> Result<LoggedIn, LoginError> {
    if user.status != Status::Enabled {
        return Err(LoginError::Disabled);
    }
    let transaction = app.store().write().await?;
    let factor = two_factor::get(&transaction, user.id).await?;
    let has_factor = factor.is_some_and(|factor| factor.enabled_at.is_some());
    let logged_in = if has_factor && asks_factor {
        begin_flow(app, &transaction, &user).await?
    } else {
        let session = issue_session(app, &transaction, &user, client).await?;
        LoggedIn::Session(Box::new(user), session)
    };
    transaction.commit().await?;
    Ok(logged_in)
}

async fn begin_flow(
    app: &App,
    transaction: &Transaction,
    user: &User,
) -> Result<LoggedIn, StoreError> {
    let now = app.clock().now_ms();
    let flow_token = new_secret(app.randomness());
    let expires_at = now + FLOW_SECONDS * 1000;
    let flow = LoginFlow {
        purpose: FLOW_PURPOSE.to_owned(),
        user_id: Some(user.id),
        auth_version: user.auth_version,
        state: None,
        attempts: 0,
        expires_at,
    };
    let hash = hash_token(app.keys(), FLOW_PURPOSE, &flow_token);
    login_flows::begin(transaction, &hash, &flow, now).await?;
    Ok(LoggedIn::NeedsCode {
        flow_token,
        expires_at,
    })
}

/// The second step: a code, for the login that the flow token names. Flow, code and session are one
/// transaction, which also keeps the count of wrong codes.
pub async fn finish_login(
    app: &App,
    client: &Client,
    flow_token: &str,
    code: &str,
) -> Result<(User, IssuedSession), LoginError> {
    // Whoever knows many passwords must not try codes for all of them from one place.
    let attempt = begin_try(app, Guess::FactorCode, client.address).await?;
    let hash = hash_token(app.keys(), FLOW_PURPOSE, flow_token);
    let transaction = app.store().write().await?;
    let outcome = finish(app, &transaction, client, &hash, code).await;
    match &outcome {
        Err(LoginError::Store(_)) => transaction.rollback().await?,
        _ => transaction.commit().await?,
    }
    if !matches!(outcome, Err(LoginError::WrongCode { .. })) {
        attempt.forgive(app).await;
    }
    outcome
}

async fn finish(
    app: &App,
    transaction: &Transaction,
    client: &Client,
    hash: &TokenHash,
    code: &str,
) -> Result<(User, IssuedSession), LoginError> {
    let now = app.clock().now_ms();
    let flow = login_flows::find(transaction, FLOW_PURPOSE, hash, now).await?;
    let flow = flow.ok_or(LoginError::FlowOver)?;
    let user_id = flow.user_id.ok_or(LoginError::FlowOver)?;
    let factor = two_factor::get(transaction, user_id).await?;
    // A locked account says so even where this login has had its tries.
    if let Some(seconds) = factor.and_then(|factor| locked_s(&factor, now)) {
        return Err(LoginError::Locked(seconds));
    }
    let counted = login_flows::attempt(transaction, FLOW_PURPOSE, hash, FLOW_TRIES, now).await?;
    counted.ok_or(LoginError::FlowOver)?;
    let user = users::get(transaction, user_id).await?;
    // A changed password or factor ends logins that were begun before.
    let user = user.filter(|user| user.auth_version == flow.auth_version);
    let user = user.ok_or(LoginError::FlowOver)?;
    if user.status != Status::Enabled {
        return Err(LoginError::Disabled);
    }
    match check_code(app, transaction, user_id, code, Codes::AppOrBackup).await? {
        Verdict::Right => {}
        Verdict::Wrong { locked_s } => return Err(LoginError::WrongCode { locked_s }),
        Verdict::Locked { seconds } => return Err(LoginError::Locked(seconds)),
        Verdict::None => return Err(LoginError::FlowOver),
    }
    if !login_flows::consume(transaction, FLOW_PURPOSE, hash, now).await? {
        return Err(LoginError::FlowOver);
    }
    let session = issue_session(app, transaction, &user, client).await?;
    Ok((user, session))
}
