//! Passwords: argon2id with a random salt, computed away from the threads that serve requests. Few at
//! a time, since each takes 19 MiB and a core; whoever finds the queue full is told so. Imported
//! users have bcrypt's hashes until they log in.

use std::sync::LazyLock;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Argon2, password_hash};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::config::Secret;
use crate::randomness::Randomness;

const SALT_BYTES: usize = 16;

/// How many may wait for each one that is computed.
const WAITING: usize = 64;

/// A hash that no password has, with the cost of a real one: what is compared where there is no
/// user, so that the time of the answer does not tell.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
    $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What the hashes of imported users begin with, whichever of bcrypt's revisions wrote them.
const FOREIGN: [&str; 4] = ["$2a$", "$2b$", "$2x$", "$2y$"];

/// The costliest bcrypt hash that is compared: each step more takes twice the time, and this takes
/// about a second.
const COSTLIEST: u32 = 14;

static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(2, usize::from));
static COMPUTING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(*CORES));
static ADMITTED: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(*CORES * WAITING));

/// Why a password could not be hashed or compared.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The stored text is not a hash, or hashing failed.
    #[error("the password could not be hashed: {0}")]
    Hash(#[from] password_hash::Error),
    /// The stored text is not a hash.
    #[error("the stored password hash cannot be read: {0}")]
    Stored(#[from] password_hash::phc::Error),
    /// The stored text is not a hash of bcrypt's.
    #[error("the stored password hash cannot be read: {0}")]
    Foreign(#[from] bcrypt::BcryptError),
    /// The computation was ended.
    #[error("the password check was cut off")]
    CutOff,
    /// Too many are waiting already.
    #[error("too many passwords are being checked")]
    Busy,
}

/// A place to compute in, waited for within a bounded queue.
async fn place() -> Result<(SemaphorePermit<'static>, SemaphorePermit<'static>), PasswordError> {
    let admitted = ADMITTED.try_acquire().map_err(|_| PasswordError::Busy)?;
    let computing = COMPUTING.acquire().await;
    Ok((admitted, computing.map_err(|_| PasswordError::CutOff)?))
}

/// The text to store for a password.
pub async fn hash_password(
    password: Secret,
    randomness: &dyn Randomness,
) -> Result<String, PasswordError> {
    let mut salt = [0; SALT_BYTES];
    randomness.fill(&mut salt);
    let place = place().await?;
    let hash = tokio::task::spawn_blocking(move || {
        // Held until it is computed, even where nobody waits for it any more.
        let _place = place;
        let hash: PasswordHash =
            Argon2::default().hash_password_with_salt(password.expose().as_bytes(), &salt)?;
        Ok(hash.to_string())
    });
    hash.await.map_err(|_| PasswordError::CutOff)?
}

/// Whether a password is the one whose hash is stored.
pub async fn verify_password(password: Secret, stored: String) -> Result<bool, PasswordError> {
    let place = place().await?;
    let check = tokio::task::spawn_blocking(move || {
        let _place = place;
        if is_foreign_hash(&stored) {
            return Ok(bcrypt::verify(password.expose(), &stored)?);
        }
        let hash = PasswordHash::new(&stored)?;
        match Argon2::default().verify_password(password.expose().as_bytes(), &hash) {
            Ok(()) => Ok(true),
            Err(password_hash::Error::PasswordInvalid) => Ok(false),
            Err(error) => Err(error.into()),
        }
    });
    check.await.map_err(|_| PasswordError::CutOff)?
}

/// Whether a stored text is a bcrypt hash that can be compared within reason.
pub fn is_foreign_hash(stored: &str) -> bool {
    let Some(rest) = FOREIGN
        .iter()
        .find_map(|prefix| stored.strip_prefix(prefix))
    else {
        return false;
    };
    let cost = rest.split_once('$').and_then(|(cost, _)| cost.parse().ok());
    stored.len() == 60 && cost.is_some_and(|cost: u32| (4..=COSTLIEST).contains(&cost))
}

/// Whether a password is this user's: never where there is no user or the user has none, after the
/// same time.
pub async fn is_password_of(
    stored: Option<String>,
    password: Secret,
) -> Result<bool, PasswordError> {
    let is_somebody = stored.is_some();
    let is_right = verify_password(password, stored.unwrap_or_else(|| NOBODY.to_owned())).await?;
    Ok(is_right && is_somebody)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SystemRandomness;

    #[tokio::test]
    async fn a_bcrypt_hash_of_an_imported_user_is_verified() {
        let hash = bcrypt::hash("correct horse", 4).unwrap();
        assert!(is_foreign_hash(&hash), "{hash}");
        let is_right = |password: &str| verify_password(Secret::new(password), hash.clone());
        assert!(is_right("correct horse").await.unwrap());
        assert!(!is_right("wrong horse").await.unwrap());
        for text in [
            "",
            "$2a$31$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "$2a$10$short",
            "plain text",
        ] {
            assert!(!is_foreign_hash(text), "{text}");
        }
    }

    #[tokio::test]
    async fn a_password_is_verified_against_its_hash_only() {
        let hash = hash_password(Secret::new("correct horse"), &SystemRandomness)
            .await
            .unwrap();
        assert!(hash.starts_with("$argon2id$v=19$"), "{hash}");
        assert!(
            verify_password(Secret::new("correct horse"), hash.clone())
                .await
                .unwrap()
        );
        assert!(
            !verify_password(Secret::new("wrong horse"), hash.clone())
                .await
                .unwrap()
        );
        let again = hash_password(Secret::new("correct horse"), &SystemRandomness)
            .await
            .unwrap();
        assert_ne!(hash, again, "the salt differs");
        assert!(
            verify_password(Secret::new("x"), "not a hash".to_owned())
                .await
                .is_err()
        );
    }
}
