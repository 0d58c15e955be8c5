//! Whose token the last call with the same head held. The next one holds the same, so that neither its hash nor the
//! directory is needed.

use std::sync::Arc;

use parking_lot::Mutex;

use super::directory::Tokens;
use super::holder::Holder;

/// How long the directory is not asked. It hears of changes; what it does not hear of, it notices in a time that
/// must not become much longer.
const ASKED_AGAIN_AFTER_MS: i64 = 1_000;

/// Whose token it was.
#[derive(Debug, Default)]
pub struct LastHolder(Mutex<Option<Last>>);

#[derive(Debug)]
struct Last {
    holder: Arc<Holder>,
    found_at: i64,
    /// How often the directory had forgotten everything before it was asked.
    forgets: u64,
}

impl LastHolder {
    /// The holder, where the directory would say the same.
    pub fn get(&self, tokens: &Tokens, now_ms: i64) -> Option<Arc<Holder>> {
        let last = self.0.lock();
        let last = last.as_ref()?;
        let age = now_ms.checked_sub(last.found_at)?;
        let is_fresh = (0..ASKED_AGAIN_AFTER_MS).contains(&age);
        (is_fresh && last.forgets == tokens.forgets()).then(|| Arc::clone(&last.holder))
    }

    /// Notes what the directory said, which had forgotten everything so often before it was asked.
    pub fn set(&self, holder: &Arc<Holder>, found_at: i64, forgets: u64) {
        let last = Last {
            holder: Arc::clone(holder),
            found_at,
            forgets,
        };
        *self.0.lock() = Some(last);
    }
}
