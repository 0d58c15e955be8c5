//! The one-time code of the setup link: without it, a visitor cannot claim a fresh instance.

use store::{Store, StoreError, settings};
use subtle::ConstantTimeEq as _;

use crate::clock::Clock;
use crate::randomness::Randomness;
use crate::secrets::{KeyRing, hash_token, random_text};
use crate::settings::{Settings, SetupCode};

/// How long a code works.
pub const SETUP_CODE_MINUTES: i64 = 30;

const CODE_CHARACTERS: usize = 24;
const PURPOSE: &str = "setup code";

/// Makes a new code where set-up is still to be done, and remembers its hash; the former code
/// ends with it. None where set-up was done, or where another node has just made a code.
pub async fn offer_setup_code(
    store: &Store,
    keys: &KeyRing,
    clock: &dyn Clock,
    randomness: &dyn Randomness,
) -> Result<Option<String>, StoreError> {
    let (version, mut document) = Settings::stored(store.read()).await?;
    if document.is_set_up {
        return Ok(None);
    }
    let code = random_text(randomness, CODE_CHARACTERS);
    let now = clock.now_ms();
    let expires_at = now + SETUP_CODE_MINUTES * 60_000;
    document.setup_code = Some(SetupCode {
        hash: hash(keys, &code),
        expires_at,
    });
    let transaction = store.write().await?;
    match settings::save(&transaction, version, &document, None, now).await {
        Ok(_) => {
            transaction.commit().await?;
            Ok(Some(code))
        }
        Err(StoreError::Stale(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a text is the setup code that is valid now.
pub fn is_setup_code(settings: &Settings, keys: &KeyRing, code: &str, now_ms: i64) -> bool {
    settings.setup_code.as_ref().is_some_and(|stored| {
        let is_same = stored.hash.as_bytes().ct_eq(hash(keys, code).as_bytes());
        now_ms < stored.expires_at && bool::from(is_same)
    })
}

fn hash(keys: &KeyRing, code: &str) -> String {
    hex::encode(hash_token(keys, PURPOSE, code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SystemRandomness;

    #[test]
    fn only_the_right_code_in_time_is_accepted() {
        let keys = KeyRing::generate(&SystemRandomness);
        let setup_code = Some(SetupCode {
            hash: hash(&keys, "right"),
            expires_at: 1000,
        });
        let settings = Settings {
            setup_code,
            ..Settings::default()
        };
        assert!(is_setup_code(&settings, &keys, "right", 999));
        assert!(!is_setup_code(&settings, &keys, "right", 1000));
        assert!(!is_setup_code(&settings, &keys, "wrong", 999));
        assert!(!is_setup_code(&Settings::default(), &keys, "right", 0));
    }
}
