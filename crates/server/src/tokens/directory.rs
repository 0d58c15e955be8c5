//! The tokens that this node has seen lately. A call whose token is here needs no database.
//!
//! A token is found by its keyed hash; one that came from a gateway which knew its SHA-256 alone, by the keyed hash
//! of that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use foldhash::fast::RandomState;
use moka::future::Cache;
use sha2::{Digest as _, Sha256};
use store::{StoreError, groups, tokens, users};
use tokio::time::timeout;

use super::holder::Holder;
use super::last_holder::LastHolder;
use crate::accounts::{HASHED_TOKEN_PURPOSE, TOKEN_PURPOSE};
use crate::app::App;
use crate::limits::HolderLimits;
use crate::secrets::{KeyRing, TokenHash, TokenHasher};

/// How many tokens are remembered, unknown ones included.
const REMEMBERED: u64 = 200_000;
/// How long at most; changes are noticed at once.
const REMEMBERED_FOR: Duration = Duration::from_mins(1);
/// How long a call waits to learn whose its token is. Databases that hang are silent for much longer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The multiplier of a group that is gone: the list price.
const LIST_PRICE_PPM: i64 = 1_000_000;

/// Why it is not known whether there is such a token.
#[derive(Debug, thiserror::Error)]
pub enum NotLookedUp {
    /// The records cannot be read.
    #[error("{0}")]
    Records(#[from] Arc<StoreError>),
    /// They do not answer.
    #[error("the records do not answer")]
    Silent,
}

/// Tokens by their keyed hash.
#[derive(Debug)]
pub struct Tokens {
    hasher: TokenHasher,
    hasher_of_hashes: TokenHasher,
    known: Cache<TokenHash, Option<Arc<Holder>>, RandomState>,
    /// How often everything was forgotten.
    forgets: AtomicU64,
}

impl Tokens {
    /// None are known yet; hashes are made with these keys.
    pub fn new(keys: &KeyRing) -> Self {
        let known = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(REMEMBERED_FOR)
            .build_with_hasher(RandomState::default());
        Self {
            hasher: TokenHasher::new(keys, TOKEN_PURPOSE),
            hasher_of_hashes: TokenHasher::new(keys, HASHED_TOKEN_PURPOSE),
            known,
            forgets: AtomicU64::new(0),
        }
    }

    /// The holder of this secret; none where there is no such token.
    pub async fn find(&self, app: &App, secret: &str) -> Result<Option<Arc<Holder>>, NotLookedUp> {
        let hash = self.hasher.hash(secret);
        if let Some(known) = self.known.get(&hash).await {
            return Ok(known);
        }
        // Boxed: the way to the database is rare, and no call should carry room for it.
        Box::pin(self.learn(app, secret, hash)).await
    }

    /// The same for whoever asks again before long, and notes it.
    pub async fn find_for(
        &self,
        app: &App,
        secret: &str,
        (last, now_ms): (&LastHolder, i64),
    ) -> Result<Option<Arc<Holder>>, NotLookedUp> {
        let forgets = self.forgets();
        let found = self.find(app, secret).await?;
        if let Some(holder) = &found {
            last.set(holder, now_ms, forgets);
        }
        Ok(found)
    }

    async fn learn(
        &self,
        app: &App,
        secret: &str,
        hash: TokenHash,
    ) -> Result<Option<Arc<Holder>>, NotLookedUp> {
        let forgets = self.forgets();
        let of_hash = self.hasher_of_hashes.hash(&sha256_of(secret));
        let found = self.known.try_get_with(hash, look_up(app, [hash, of_hash]));
        let Ok(found) = timeout(PATIENCE, found).await else {
            return Err(NotLookedUp::Silent);
        };
        // What was changed meanwhile may have been read before it was.
        if self.forgets() != forgets {
            self.known.invalidate(&hash).await;
        }
        Ok(found?)
    }

    /// How often everything was forgotten.
    pub(super) fn forgets(&self) -> u64 {
        self.forgets.load(Ordering::Acquire)
    }

    /// Forgets everything: something was changed.
    pub fn forget(&self) {
        self.forgets.fetch_add(1, Ordering::Release);
        self.known.invalidate_all();
    }
}

/// The SHA-256 of a secret, as other gateways write it.
fn sha256_of(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

async fn look_up(app: &App, hashes: [TokenHash; 2]) -> Result<Option<Arc<Holder>>, StoreError> {
    let records = app.store().read();
    let [hash, of_hash] = &hashes;
    let now = app.clock().now_ms();
    let Some(token) = tokens::find_by_either(records, hash, of_hash, now).await? else {
        return Ok(None);
    };
    let Some(user) = users::get(records, token.user_id).await? else {
        return Ok(None);
    };
    let group = token.group_name.as_deref().unwrap_or(&user.group_name);
    let group = groups::get(records, group).await?;
    let multiplier = group.as_ref().map(|group| group.multiplier_ppm);
    let limits = HolderLimits::new(&token, &user, group.as_ref());
    let is_former = hashes.iter().all(|hash| token.secret_hash != *hash);
    let former_ends_at = token.previous_expires_at.filter(|_| is_former);
    let has_tools = group.is_some_and(|group| group.allows_hosted_tools);
    let holder = Holder::new(token, &user, multiplier.unwrap_or(LIST_PRICE_PPM))
        .limited(limits)
        .with_hosted_tools(has_tools);
    // It is remembered for longer than the overlap may last.
    let holder = match former_ends_at {
        Some(end) => holder.until(end),
        None => holder,
    };
    Ok(Some(Arc::new(holder)))
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;
