//! Accounts: passwords, and the first one, which set-up makes. It chooses no HTTP status.

mod password;
mod set_up;
mod setup_code;

pub use password::{PasswordError, hash_password, verify_password};
pub use set_up::{DEFAULT_GROUP, DEMO_MODELS, SetUp, SetUpDone, SetUpError, TOKEN_PURPOSE, set_up};
pub use setup_code::{SETUP_CODE_MINUTES, is_setup_code, offer_setup_code};
