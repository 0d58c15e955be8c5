//! What all parts of the wallets share: settings, the purses of this node, the way to the writer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use foldhash::HashMap;
use parking_lot::{Mutex, RwLock};
use store::budgets::Window;
use store::{Store, StoreError, Transaction, UserId, nodes};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::backlog::Backlog;
use super::excess::Losses;
use super::figures::Progress;
use super::joining::Joining;
use super::purse::Purse;
use super::records::Records;
use super::settings::{Clock, Durability, Settings};
use super::spool::Spool;
use super::writer::{Message, Writer};

/// How often a spool is asked for that another process still has, which may be about to end, and how long between.
const SPOOL_TRIES: u32 = 20;
const SPOOL_PAUSE: Duration = Duration::from_millis(50);

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
    /// Why the records cannot be reached, while they cannot.
    away: Mutex<Option<Arc<StoreError>>>,
    has_journal: AtomicBool,
    /// Neither the database nor the journal takes charges: nothing more may be promised.
    is_stuck: AtomicBool,
    /// When the node last told others about its journal.
    pub journal_told_at: Mutex<i64>,
    round_trips: AtomicU64,
    pub progress: Progress,
    pub joining: Joining,
    pub losses: Losses,
}

impl Wallets {
    /// Starts leasing and writing. What an earlier run left in the journal is written first; then
    /// its leases are given back: what was written is spent, the rest was never charged.
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
            away: Mutex::default(),
            has_journal: AtomicBool::new(false),
            is_stuck: AtomicBool::new(false),
            journal_told_at: Mutex::new(i64::MIN),
            round_trips: AtomicU64::new(0),
            progress: Progress::default(),
            joining: Joining::default(),
            losses: Losses::default(),
        });
        let backlog = inner.open_backlog().await?;
        let spool = inner.open_spool().await?;
        inner.recover().await?;
        let writer = Writer {
            inner: Arc::downgrade(&inner),
            messages,
            records: Records { backlog },
            spool,
        };
        writer.start()?;
        if let Some(every) = inner.settings.recall_poll {
            tokio::spawn(super::upkeep::answer_recalls(Arc::downgrade(&inner), every));
        }
        Ok(Self { inner })
    }

    /// How many transactions this node began so far for leases and settlements.
    pub fn round_trips(&self) -> u64 {
        self.inner.round_trips.load(Ordering::Relaxed)
    }

    /// Whether charges wait in the journal for the database to come back.
    pub fn has_journal(&self) -> bool {
        self.inner.has_journal.load(Ordering::SeqCst)
    }

    /// Waits until everything that was settled so far is on disk.
    pub async fn flush(&self) {
        let (done, is_done) = oneshot::channel();
        if self.inner.queue.send(Message::Flush(done)).is_ok() {
            // An error means that the writer is gone, and with it everything that it had.
            let _ = is_done.await;
        }
    }
}

impl Inner {
    /// Opens the journal and hands over what an earlier run left in it, while its leases are
    /// still open.
    async fn open_backlog(self: &Arc<Self>) -> store::Result<Option<Backlog>> {
        let Some(settings) = &self.settings.journal else {
            return Ok(None);
        };
        let mut backlog = Backlog::open(settings).await?;
        self.set_journal(!backlog.is_empty());
        self.tell_journal(self.now()).await?;
        while !backlog.is_empty() {
            backlog.replay(self).await?;
        }
        self.tell_journal(self.now()).await?;
        Ok(Some(backlog))
    }

    /// Opens the spool and hands over what an earlier run left in it, whatever the durability is now. None as well
    /// where another process has it and does not end: what is in it is its own.
    async fn open_spool(&self) -> store::Result<Option<Spool>> {
        let Some(files) = &self.settings.spool else {
            return Ok(None);
        };
        let mut opened = Spool::open(files, self).await;
        for _ in 0..SPOOL_TRIES {
            if !opened.as_ref().is_err_and(is_locked) {
                break;
            }
            tokio::time::sleep(SPOOL_PAUSE).await;
            opened = Spool::open(files, self).await;
        }
        match opened {
            Ok(spool) if self.settings.durability == Durability::Strict => Ok(Some(spool)),
            Ok(_) => Ok(None),
            Err(error) if is_locked(&error) => {
                tracing::warn!("another process has the spool; charges go to the database only");
                Ok(None)
            }
            Err(error) => Err(StoreError::Location {
                location: files[0].display().to_string(),
                reason: error.to_string(),
            }),
        }
    }

    /// Why the records cannot be reached, if they cannot.
    pub fn away(&self) -> Option<Arc<StoreError>> {
        self.away.lock().clone()
    }

    pub fn set_away(&self, error: Option<Arc<StoreError>>) {
        *self.away.lock() = error;
    }

    /// Why no charge can be written anywhere, while none can.
    pub fn stuck(&self) -> Option<Arc<StoreError>> {
        let is_stuck = self.is_stuck.load(Ordering::Relaxed);
        is_stuck.then(|| self.away()).flatten()
    }

    pub fn set_stuck(&self, is_stuck: bool) {
        self.is_stuck.store(is_stuck, Ordering::Relaxed);
    }

    pub fn set_journal(&self, has_journal: bool) {
        self.has_journal.store(has_journal, Ordering::SeqCst);
    }

    /// Tells other nodes whether charges wait in the journal: if so, what this node leased is not
    /// theirs to take back.
    pub async fn tell_journal(&self, now: i64) -> store::Result<()> {
        let has_journal = self.has_journal.load(Ordering::SeqCst);
        let transaction = self.write().await?;
        nodes::set_journal(&transaction, &self.settings.node_id, has_journal, now).await?;
        transaction.commit().await?;
        *self.journal_told_at.lock() = now;
        Ok(())
    }

    /// Calls that run or wait to be written.
    pub fn running(&self) -> usize {
        let free = self.permits.available_permits();
        self.settings.queue.saturating_sub(free)
    }

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

fn is_locked(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}
