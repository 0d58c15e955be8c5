//! What all parts of the wallets share: settings, the purses of this node, the way to the writer.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use store::budgets::Window;
use store::{Store, Transaction, UserId};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::purse::Purse;
use super::settings::{Clock, Settings};
use super::writer::{self, Message};

/// The node's share of all wallets. Cheap to clone.
#[derive(Clone)]
pub struct Wallets {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub store: Store,
    pub clock: Clock,
    pub settings: Settings,
    pub purses: RwLock<HashMap<UserId, Vec<Arc<Purse>>>>,
    pub queue: mpsc::UnboundedSender<Message>,
    /// One for each call that runs or waits to be written, so that the queue has an end.
    pub permits: Arc<Semaphore>,
    /// Likewise for calls that are only noted: a flood of refusals takes no place of a call that
    /// pays.
    pub notes: Arc<Semaphore>,
    pub lost_notes: AtomicU64,
    round_trips: AtomicU64,
}

impl Wallets {
    /// Starts leasing and writing. Leases of an earlier run of this node are given back first:
    /// what was written is spent, the rest was never charged.
    pub async fn start(store: Store, clock: Clock, settings: Settings) -> store::Result<Self> {
        let (queue, messages) = mpsc::unbounded_channel();
        let permits = Arc::new(Semaphore::new(settings.queue));
        let notes = Arc::new(Semaphore::new(settings.queue));
        let inner = Arc::new(Inner {
            store,
            clock,
            settings,
            purses: RwLock::default(),
            queue,
            permits,
            notes,
            lost_notes: AtomicU64::new(0),
            round_trips: AtomicU64::new(0),
        });
        inner.recover().await?;
        tokio::spawn(writer::run(Arc::downgrade(&inner), messages));
        if let Some(every) = inner.settings.recall_poll {
            tokio::spawn(super::upkeep::answer_recalls(Arc::downgrade(&inner), every));
        }
        Ok(Self { inner })
    }

    /// How many transactions this node began so far for leases and settlements.
    pub fn round_trips(&self) -> u64 {
        self.inner.round_trips.load(Ordering::Relaxed)
    }

    /// Waits until everything that was settled so far is written.
    pub async fn flush(&self) {
        let (done, is_done) = oneshot::channel();
        if self.inner.queue.send(Message::Flush(done)).is_ok() {
            // An error means that the writer is gone, and with it everything that it had.
            let _ = is_done.await;
        }
    }
}

impl Inner {
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// How long before its end a lease is no longer spent from: clocks of nodes may differ.
    pub fn fence_ms(&self) -> i64 {
        self.settings.lease_ms / 6
    }

    pub async fn write(&self) -> store::Result<Transaction> {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        self.store.write().await
    }

    /// The purse of a user for these windows.
    pub fn purse(&self, user: UserId, windows: impl Iterator<Item = Window> + Clone) -> Arc<Purse> {
        let is_same = |purse: &&Arc<Purse>| purse.windows.iter().copied().eq(windows.clone());
        if let Some(purses) = self.purses.read().get(&user)
            && let Some(found) = purses.iter().find(is_same)
        {
            return Arc::clone(found);
        }
        let mut purses = self.purses.write();
        let purses = purses.entry(user).or_default();
        if let Some(found) = purses.iter().find(is_same) {
            return Arc::clone(found);
        }
        let purse = Arc::new(Purse::new(user, windows.collect()));
        purses.push(Arc::clone(&purse));
        purse
    }

    /// All purses of this node, or of one user.
    pub fn all_purses(&self, of: Option<UserId>) -> Vec<Arc<Purse>> {
        let purses = self.purses.read();
        match of {
            Some(user) => purses.get(&user).cloned().unwrap_or_default(),
            None => purses.values().flatten().cloned().collect(),
        }
    }
}
