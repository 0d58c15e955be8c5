//! The one place that calls take the current snapshot from. Loading is for the background and for
//! the start of the service; calls only ever read.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use store::channel_keys::ChannelKey;
use store::channels::Channel;
use store::{Store, StoreError, channel_keys, channels};
use tokio::sync::{Mutex, Notify};

use super::retry_budget::RetryBudget;
use super::snapshot::Snapshot;
use crate::clock::Clock;
use crate::randomness::Randomness;
use crate::secrets::KeyRing;
use crate::telemetry::Meters;

/// All channels, and what they share.
pub struct Channels {
    current: ArcSwap<Snapshot>,
    /// One load at a time: a slow one must not put an older view over a newer one.
    loading: Mutex<()>,
    is_stale: Notify,
    retries: RetryBudget,
    meters: Arc<Meters>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) randomness: Arc<dyn Randomness>,
}

impl Channels {
    /// No channels yet.
    pub fn new(clock: Arc<dyn Clock>, randomness: Arc<dyn Randomness>) -> Self {
        Self {
            current: ArcSwap::default(),
            loading: Mutex::default(),
            is_stale: Notify::new(),
            retries: RetryBudget::default(),
            meters: Arc::default(),
            clock,
            randomness,
        }
    }

    /// The current snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The retries that all calls share.
    pub fn retries(&self) -> &RetryBudget {
        &self.retries
    }

    /// What was counted of models on channels.
    pub fn meters(&self) -> &Meters {
        &self.meters
    }

    /// Reads all channels anew. Health lives on; that of deleted channels goes with them.
    pub async fn reload(&self, store: &Store, ring: &KeyRing) -> Result<(), StoreError> {
        let _alone = self.loading.lock().await;
        let rows = channels::all(store.read()).await?;
        let keys = channel_keys::all(store.read()).await?;
        self.install(ring, &rows, keys);
        Ok(())
    }

    /// Puts a view of these records in place of the current one.
    pub(super) fn install(&self, ring: &KeyRing, rows: &[Channel], keys: Vec<ChannelKey>) {
        let former = self.current.load();
        let snapshot = Snapshot::new(ring, rows, keys, &former, self.meters.clone());
        for broken in snapshot.broken() {
            if !former.broken().contains(broken) {
                let (channel, reason) = (&broken.name, &broken.reason);
                tracing::warn!(channel, reason, "a channel cannot be used as it is set up");
            }
        }
        self.current.store(Arc::new(snapshot));
        self.meters.tidy();
    }

    /// Something was changed: the background loads anew.
    pub fn mark_stale(&self) {
        self.is_stale.notify_one();
    }

    /// Waits until something was changed.
    pub async fn stale(&self) {
        self.is_stale.notified().await;
    }
}

impl fmt::Debug for Channels {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Channels").finish_non_exhaustive()
    }
}
