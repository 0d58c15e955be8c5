//! What the account rules refuse, in the interface's words.

use crate::accounts::passkeys::NotAPasskey;
use crate::accounts::{FactorError, LoginError, SessionError, SetUpError, Throttled, Verdict};
use crate::management::frame::ApiError;

impl From<Throttled> for ApiError {
    fn from(error: Throttled) -> Self {
        match error {
            Throttled::Locked(seconds) => locked(seconds),
            Throttled::Shared(error) => error.into(),
        }
    }
}

impl From<FactorError> for ApiError {
    fn from(error: FactorError) -> Self {
        match error {
            FactorError::Store(error) => error.into(),
            FactorError::Throttle(error) => error.into(),
            FactorError::Secret(error) => Self::internal(&error),
        }
    }
}

impl From<LoginError> for ApiError {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::Wrong => {
                Self::login_refused("login_failed", "The user name or the password is wrong.")
            }
            LoginError::FlowOver => flow_over(),
            LoginError::WrongCode { locked_s } => wrong_code(locked_s),
            LoginError::Locked(seconds) => locked(seconds),
            LoginError::Disabled => {
                Self::forbidden("This account is disabled.").with_code("account_disabled")
            }
            LoginError::EmailDomain => {
                let text = "Accounts need an e-mail address in an allowed domain here.";
                Self::forbidden(text).with_code("email_domain")
            }
            LoginError::Throttle(error) => error.into(),
            LoginError::Password(error) => error.into(),
            LoginError::Factor(error) => error.into(),
            LoginError::Store(error) => error.into(),
        }
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Ended => Self::not_logged_in(),
            SessionError::Store(error) => error.into(),
        }
    }
}

impl From<SetUpError> for ApiError {
    fn from(error: SetUpError) -> Self {
        match error {
            SetUpError::AlreadyDone => Self::conflict("Set-up was done before."),
            SetUpError::BadName => Self::bad_field("username", "cannot be a user's name"),
            SetUpError::Password(error) => error.into(),
            SetUpError::Store(error) => error.into(),
        }
    }
}

/// Refuses a code that was not right.
pub fn must_be_right(verdict: Verdict) -> Result<(), ApiError> {
    match verdict {
        Verdict::Right => Ok(()),
        Verdict::Wrong { locked_s } => Err(wrong_code(locked_s)),
        Verdict::Locked { seconds } => Err(locked(seconds)),
        Verdict::None => Err(ApiError::conflict("There is no second factor to check.")),
    }
}

/// A login, or another thing begun, that cannot be finished any more.
pub fn flow_over() -> ApiError {
    ApiError::login_refused("flow_expired", "This login is over; begin it again.")
}

/// A passkey that nobody has, or whose answer was not accepted: one text for all reasons.
pub fn unknown_passkey() -> ApiError {
    ApiError::login_refused("passkey_refused", "The passkey was not accepted.")
}

/// The same, with the reason in the log.
pub fn not_a_passkey(error: NotAPasskey) -> ApiError {
    tracing::info!(%error, "passkey refused");
    unknown_passkey()
}

fn wrong_code(locked_s: Option<u64>) -> ApiError {
    let text = "The code is wrong or was used before.";
    match locked_s {
        None => ApiError::login_refused("code_wrong", text),
        Some(seconds) => {
            let text = format!("{text} That was one too many: locked for {seconds} seconds.");
            ApiError::login_refused("code_wrong", text).retry_after(seconds)
        }
    }
}

fn locked(seconds: u64) -> ApiError {
    ApiError::too_many(
        format!("Too many tries; none is taken for {seconds} seconds."),
        seconds,
    )
}
