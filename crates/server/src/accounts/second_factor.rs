//! The second factor: checking a code so that no step and no backup code counts twice, and locking
//! after wrong ones. Every try is counted before its code is looked at; whoever calls commits the
//! transaction whatever the outcome, or the count would be lost. A known device is counted by itself.

use store::two_factor::{self, SecondFactor};
use store::{ConnectionTrait, StoreError, Transaction, UserId};
use zeroize::Zeroizing;

use super::backup_codes::{hash_backup_code, normal_backup_code};
use super::session::Client;
use super::throttle::{Throttled, Try, begin_device_code};
use super::totp::step_of_code;
use crate::app::App;
use crate::secrets::{CannotOpen, open, seal};

/// Wrong codes before a lock.
const WRONG_CODES: i64 = 5;

/// How long a set-up waits for its first code.
const SET_UP_MS: i64 = 900_000;

/// Which codes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// Those of the authenticator app.
    App,
    /// Those, and backup codes.
    AppOrBackup,
}

/// What a code was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Right, and used up now.
    Right,
    /// Wrong, or used before; where it was one too many, locked for so many seconds.
    Wrong {
        /// How long no other is taken.
        locked_s: Option<u64>,
    },
    /// Not looked at: locked for so many seconds.
    Locked {
        /// How long no other is taken.
        seconds: u64,
    },
    /// There is no second factor.
    None,
}

/// Why a code could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum FactorError {
    /// The records could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The secret does not open.
    #[error(transparent)]
    Secret(#[from] CannotOpen),
    /// The attempts could not be counted.
    #[error(transparent)]
    Throttle(Throttled),
}

/// How an attempt was counted.
enum Counted {
    /// With the account's own attempts, of which so many failed since the last right one.
    Account(i64),
    /// With those of a known device.
    Device(Try),
}

/// Whether a user has switched a second factor on.
pub async fn has_second_factor(
    records: &impl ConnectionTrait,
    user: UserId,
) -> Result<bool, StoreError> {
    let factor = two_factor::get(records, user).await?;
    Ok(factor.is_some_and(|factor| factor.enabled_at.is_some()))
}

/// Checks a code, which a client has sent, against the factor that is switched on.
pub async fn check_code(
    app: &App,
    transaction: &Transaction,
    (user, client): (UserId, &Client),
    code: &str,
    codes: Codes,
) -> Result<Verdict, FactorError> {
    let factor = two_factor::get(transaction, user).await?;
    let Some(factor) = factor.filter(|factor| factor.enabled_at.is_some()) else {
        return Ok(Verdict::None);
    };
    let now = app.clock().now_ms();
    let counted = match count_from(app, transaction, user, client).await? {
        Ok(counted) => counted,
        Err(locked) => return Ok(locked),
    };
    let digits = digits(code);
    let is_right = if let Some(digits) = digits {
        let secret = open_secret(app, &factor)?;
        match step_of_code(&secret, &digits, now) {
            Some(step) => two_factor::use_step(transaction, user, step).await?,
            None => false,
        }
    } else if let Some(code) = normal_backup_code(code).filter(|_| codes == Codes::AppOrBackup) {
        let hash = hash_backup_code(app.keys(), user, &code);
        two_factor::use_backup_code(transaction, user, &hash, now).await?
    } else {
        false
    };
    match counted {
        Counted::Account(failures) => outcome(app, transaction, user, failures, is_right).await,
        Counted::Device(attempt) => Ok(device_outcome(app, attempt, is_right).await),
    }
}

/// Checks the first code of a set-up and switches the factor on with it.
pub async fn enable_with_code(
    app: &App,
    transaction: &Transaction,
    user: UserId,
    code: &str,
) -> Result<Verdict, FactorError> {
    let now = app.clock().now_ms();
    let factor = two_factor::get(transaction, user).await?;
    let is_waiting =
        |factor: &SecondFactor| factor.enabled_at.is_none() && now - factor.created_at < SET_UP_MS;
    let Some(factor) = factor.filter(is_waiting) else {
        return Ok(Verdict::None);
    };
    let failures = match count(app, transaction, user).await? {
        Ok(failures) => failures,
        Err(locked) => return Ok(locked),
    };
    let secret = open_secret(app, &factor)?;
    let step = digits(code).and_then(|digits| step_of_code(&secret, &digits, now));
    let is_right = match step {
        Some(step) => two_factor::enable(transaction, user, step, now).await?,
        None => false,
    };
    outcome(app, transaction, user, failures, is_right).await
}

/// How long a factor takes no code, in seconds; none where it takes one.
pub fn locked_s(factor: &SecondFactor, now_ms: i64) -> Option<u64> {
    let left_ms = factor.locked_until? - now_ms;
    u64::try_from(left_ms)
        .ok()
        .filter(|left| *left > 0)
        .map(|left| left.div_ceil(1000))
}

/// The secret of a user as it is stored.
pub fn seal_secret(app: &App, user: UserId, secret: &[u8]) -> Vec<u8> {
    seal(app.keys(), app.randomness(), &record(user), secret)
}

fn open_secret(app: &App, factor: &SecondFactor) -> Result<Zeroizing<Vec<u8>>, CannotOpen> {
    open(
        app.keys(),
        &record(factor.user_id),
        &factor.secret_encrypted,
    )
}

fn record(user: UserId) -> String {
    format!("second_factor:{user}")
}

/// Counts an attempt with those of the account, or of the known device that it comes from.
async fn count_from(
    app: &App,
    transaction: &Transaction,
    user: UserId,
    client: &Client,
) -> Result<Result<Counted, Verdict>, FactorError> {
    let Some(device) = client.device_of(app, user) else {
        let counted = count(app, transaction, user).await?;
        return Ok(counted.map(Counted::Account));
    };
    match begin_device_code(app, &device, WRONG_CODES.unsigned_abs()).await {
        Ok(attempt) => Ok(Ok(Counted::Device(attempt))),
        Err(Throttled::Locked(seconds)) => Ok(Err(Verdict::Locked { seconds })),
        Err(error) => Err(FactorError::Throttle(error)),
    }
}

async fn device_outcome(app: &App, attempt: Try, is_right: bool) -> Verdict {
    if is_right {
        attempt.forgive(app).await;
        return Verdict::Right;
    }
    let lock_s = u64::from(app.config().login.lock_s);
    let is_last = attempt.left() == 0;
    Verdict::Wrong {
        locked_s: is_last.then_some(lock_s),
    }
}

/// Counts the try and says how many there were since the last right one; a verdict where the code may
/// not be looked at.
async fn count(
    app: &App,
    transaction: &Transaction,
    user: UserId,
) -> Result<Result<i64, Verdict>, FactorError> {
    let now = app.clock().now_ms();
    if let Some(failures) = two_factor::begin_attempt(transaction, user, now).await? {
        return Ok(Ok(failures));
    }
    let factor = two_factor::get(transaction, user).await?;
    let seconds = factor
        .and_then(|factor| locked_s(&factor, now))
        .unwrap_or(1);
    Ok(Err(Verdict::Locked { seconds }))
}

/// Locks after too many wrong codes, longer each time. The count stays after a lock: until a right
/// code comes, each further wrong one locks again.
async fn outcome(
    app: &App,
    transaction: &Transaction,
    user: UserId,
    failures: i64,
    is_right: bool,
) -> Result<Verdict, FactorError> {
    if is_right {
        return Ok(Verdict::Right);
    }
    let first = i64::from(app.config().login.lock_s);
    let lock_s = match failures / WRONG_CODES {
        0 => return Ok(Verdict::Wrong { locked_s: None }),
        1 => first,
        2 => first.saturating_mul(3),
        _ => first.saturating_mul(12),
    };
    let until = app.clock().now_ms() + lock_s * 1000;
    two_factor::lock(transaction, user, until).await?;
    tracing::warn!(%user, failures, lock_s, "second factor locked");
    Ok(Verdict::Wrong {
        locked_s: u64::try_from(lock_s).ok(),
    })
}

/// A code of an authenticator app, without the spaces that apps show; none for anything else.
fn digits(code: &str) -> Option<String> {
    let digits: String = code
        .chars()
        .filter(|letter| *letter != ' ')
        .take(7)
        .collect();
    (digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}
