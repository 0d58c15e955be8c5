//! Logging in by password, and the second step where a second factor is on. Unknown names take the
//! same time and get the same answer as wrong passwords.

use store::login_flows::{self, LoginFlow};
use store::users::{self, Role, Status, User};
use store::{ConnectionTrait, StoreError, Transaction, passkeys, two_factor};

use super::one_time::new_secret;
use super::password::{PasswordError, hash_password, is_foreign_hash, is_password_of};
use super::second_factor::{Codes, FactorError, Verdict, check_code, has_second_factor, locked_s};
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
    /// The account has no address in an allowed domain.
    #[error("the account has no address in an allowed domain")]
    EmailDomain,
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
            FactorError::Throttle(error) => error.into(),
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
    let user = users::find_by_login(app.store().read(), login).await?;
    let device = user
        .as_ref()
        .and_then(|user| client.device_of(app, user.id));
    let attempt = begin_try(app, Guess::Password(login), client, device.as_ref()).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let is_right = is_password_of(stored, password.clone()).await?;
    let Some(user) = user.filter(|_| is_right) else {
        tracing::info!(client = %client.address, "login refused");
        return Err(LoginError::Wrong);
    };
    attempt.forgive(app).await;
    strengthen(app, &user, password).await?;
    log_in_user(app, client, user, Proof::Own).await
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

/// How it is known who logs in, before a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By what the account itself has: its password, or the code that made it.
    Own,
    /// By an identity provider.
    Provider,
}

/// Whether a user may log in at all, whichever way.
pub fn may_log_in(app: &App, user: &User) -> Result<(), LoginError> {
    if user.status != Status::Enabled {
        return Err(LoginError::Disabled);
    }
    // No setting locks out whoever changes settings.
    let is_free = user.role == Role::Root;
    if !is_free && !app.config().registration.allows(user.email.as_deref()) {
        return Err(LoginError::EmailDomain);
    }
    Ok(())
}

/// Continues once it is known who logs in: with a session, or first with the second factor.
pub async fn log_in_user(
    app: &App,
    client: &Client,
    user: User,
    proof: Proof,
) -> Result<LoggedIn, LoginError> {
    may_log_in(app, &user)?;
    let transaction = app.store().write().await?;
    let is_proved = counts_as_step_up(&transaction, &user, proof).await?;
    let logged_in = if has_second_factor(&transaction, user.id).await? {
        begin_flow(app, &transaction, &user, is_proved).await?
    } else {
        let session = issue_session(app, &transaction, &user, client, is_proved).await?;
        LoggedIn::Session(Box::new(user), session)
    };
    transaction.commit().await?;
    Ok(logged_in)
}

/// Whether a login is a step-up. One through a provider is for accounts that have no other way to log in.
async fn counts_as_step_up(
    records: &impl ConnectionTrait,
    user: &User,
    proof: Proof,
) -> Result<bool, StoreError> {
    Ok(match proof {
        Proof::Own => true,
        Proof::Provider => {
            user.password_hash.is_none() && passkeys::list(records, user.id).await?.is_empty()
        }
    })
}

async fn begin_flow(
    app: &App,
    transaction: &Transaction,
    user: &User,
    is_proved: bool,
) -> Result<LoggedIn, StoreError> {
    let now = app.clock().now_ms();
    let flow_token = new_secret(app.randomness());
    let expires_at = now + FLOW_SECONDS * 1000;
    let flow = LoginFlow {
        purpose: FLOW_PURPOSE.to_owned(),
        user_id: Some(user.id),
        auth_version: user.auth_version,
        state: Some(vec![u8::from(is_proved)]),
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
    let hash = hash_token(app.keys(), FLOW_PURPOSE, flow_token);
    let now = app.clock().now_ms();
    let flow = login_flows::find(app.store().read(), FLOW_PURPOSE, &hash, now).await?;
    let user = flow.and_then(|flow| flow.user_id);
    let is_known = user.is_some_and(|user| client.device_of(app, user).is_some());
    // Whoever knows many passwords must not try codes for all of them from one place.
    let attempt = if is_known {
        None
    } else {
        Some(begin_try(app, Guess::FactorCode, client, None).await?)
    };
    let transaction = app.store().write().await?;
    let outcome = finish(app, &transaction, client, &hash, code).await;
    match &outcome {
        Err(LoginError::Store(_)) => transaction.rollback().await?,
        _ => transaction.commit().await?,
    }
    if let Some(attempt) = attempt
        && !matches!(outcome, Err(LoginError::WrongCode { .. }))
    {
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
    // A locked account says so even where this login has had its tries. Known devices are counted separately.
    if client.device_of(app, user_id).is_none()
        && let Some(seconds) = factor.and_then(|factor| locked_s(&factor, now))
    {
        return Err(LoginError::Locked(seconds));
    }
    let counted = login_flows::attempt(transaction, FLOW_PURPOSE, hash, FLOW_TRIES, now).await?;
    counted.ok_or(LoginError::FlowOver)?;
    let user = users::get(transaction, user_id).await?;
    // A changed password or factor ends logins that were begun before.
    let user = user.filter(|user| user.auth_version == flow.auth_version);
    let user = user.ok_or(LoginError::FlowOver)?;
    may_log_in(app, &user)?;
    match check_code(
        app,
        transaction,
        (user_id, client),
        code,
        Codes::AppOrBackup,
    )
    .await?
    {
        Verdict::Right => {}
        Verdict::Wrong { locked_s } => return Err(LoginError::WrongCode { locked_s }),
        Verdict::Locked { seconds } => return Err(LoginError::Locked(seconds)),
        Verdict::None => return Err(LoginError::FlowOver),
    }
    if !login_flows::consume(transaction, FLOW_PURPOSE, hash, now).await? {
        return Err(LoginError::FlowOver);
    }
    let is_proved = flow.state.is_some_and(|state| state == [1]);
    let session = issue_session(app, transaction, &user, client, is_proved).await?;
    Ok((user, session))
}
