//! Accounts: set-up, passwords, second factors, logins and their sessions. It chooses no HTTP status.

mod backup_codes;
mod device;
mod first_records;
mod login;
mod low_balance;
mod mail;
mod mailed_secrets;
mod one_time;
pub mod passkeys;
mod password;
mod second_factor;
mod session;
mod set_up;
mod setup_code;
pub mod sign_in;
mod throttle;
mod totp;

pub use backup_codes::{BACKUP_CODES, hash_backup_code, new_backup_codes, normal_backup_code};
pub use device::{DEVICE_COOKIE, Device, MOST_MARKS};
pub use login::{
    FLOW_SECONDS, LoggedIn, LoginError, Proof, finish_login, log_in, log_in_user, may_log_in,
};
pub use low_balance::tell_low_balances;
pub use mail::{MailError, send_mail};
pub use mailed_secrets::{new_mail_code, new_reset_token, use_mail_code, use_reset_token};
pub use one_time::new_secret;
pub use password::{
    PasswordError, hash_password, is_foreign_hash, is_password_of, verify_password,
};
pub use second_factor::{
    Codes, FactorError, Verdict, check_code, enable_with_code, has_second_factor, locked_s,
    seal_secret,
};
pub use session::{
    Client, IssuedSession, SESSION_PURPOSE, SessionError, end_other_sessions, hold_session,
    issue_session,
};
pub use set_up::{
    DEFAULT_GROUP, DEMO_MODELS, HASHED_TOKEN_PURPOSE, SetUp, SetUpDone, SetUpError, TOKEN_PURPOSE,
    set_up,
};
pub use setup_code::{SETUP_CODE_MINUTES, is_setup_code, offer_setup_code};
pub use throttle::{Guess, Throttled, Try, begin_mailing, begin_registering, begin_try};
pub use totp::{base32, code_at, new_totp_secret, otpauth_uri, step_of_code};
