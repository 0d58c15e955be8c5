//! The journal beside the writer: keeps rows while the database is away, and hands them over when
//! it is back, also those of an earlier run.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use store::StoreError;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

use super::entry::Unwritten;
use super::inner::Inner;
use super::journal::{AppendError, Journal};
use super::row::Row;
use super::settings::JournalSettings;

/// How long the first and the longest pause between two looks for the database are.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// The journal and how far it was replayed.
pub(super) struct Backlog {
    journal: Arc<Mutex<Journal>>,
    /// Where the next record to replay begins.
    next: u64,
    is_empty: bool,
    /// It cannot be read on: what it has is for people to look at, and nothing comes to it.
    is_damaged: bool,
    /// Charges of this run in the order of their records; those of an earlier run have no purse.
    unwritten: VecDeque<Option<Unwritten>>,
    /// So many records are replayed alone: one among them was refused.
    alone: usize,
    /// Tells when the database answers again; none while it does.
    back: Option<oneshot::Receiver<()>>,
    /// How long the database may take before it counts as away.
    pub patience: Duration,
}

impl Backlog {
    pub async fn open(settings: &JournalSettings) -> store::Result<Self> {
        let (path, most) = (settings.path.clone(), settings.most_bytes);
        let opened = blocking(move || Journal::open(&path, most)).await;
        let journal = opened.map_err(|error| unusable(&settings.path, &error))?;
        Ok(Self {
            is_empty: journal.is_empty(),
            journal: Arc::new(Mutex::new(journal)),
            next: Journal::start(),
            is_damaged: false,
            unwritten: VecDeque::new(),
            alone: 0,
            back: None,
            patience: settings.patience,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Whether there is something to replay.
    pub fn has_more(&self) -> bool {
        !self.is_empty && !self.is_damaged
    }

    /// Whether the database is away, as far as is known.
    pub fn is_away(&mut self, inner: &Inner) -> bool {
        let Some(back) = &mut self.back else {
            return false;
        };
        if let Err(TryRecvError::Empty) = back.try_recv() {
            return true;
        }
        self.found(inner);
        false
    }

    fn found(&mut self, inner: &Inner) {
        tracing::info!("the database is back");
        self.back = None;
        inner.set_away(None);
    }

    pub fn is_half_full(&self) -> bool {
        self.journal.lock().is_half_full()
    }

    /// A replay has failed: for want of the database, or of a journal that can be read.
    pub fn failed(&mut self, inner: &Arc<Inner>, error: StoreError) {
        if matches!(error, StoreError::Unavailable(_)) {
            return self.lost(inner, error);
        }
        tracing::error!(%error, "the journal cannot be replayed and is kept as it is");
        self.is_damaged = true;
    }

    /// The database does not answer: looks for it until it does.
    pub fn lost(&mut self, inner: &Arc<Inner>, error: StoreError) {
        if self.back.is_some() {
            return;
        }
        tracing::warn!(%error, "the database is away; charges go to the journal");
        inner.set_away(Some(Arc::new(error)));
        let (tell, back) = oneshot::channel();
        tokio::spawn(look_for_database(Arc::downgrade(inner), tell));
        self.back = Some(back);
    }

    /// Waits until something can be replayed; for ever where there is nothing to replay and the
    /// database is there.
    pub async fn is_due(&mut self, inner: &Weak<Inner>) {
        if let Some(back) = &mut self.back {
            // An error means that the wallets are gone.
            let _ = back.await;
            let Some(inner) = inner.upgrade() else { return };
            self.found(&inner);
        }
        if !self.has_more() {
            std::future::pending::<()>().await;
        }
    }

    /// Writes rows to the journal; they are on disk when this returns.
    pub async fn keep(&mut self, rows: Vec<Row>) -> Result<(), AppendError> {
        if self.is_damaged {
            return Err(io::Error::from(io::ErrorKind::InvalidData).into());
        }
        let journal = Arc::clone(&self.journal);
        let kept = tokio::task::spawn_blocking(move || journal.lock().append(&rows)).await;
        kept.map_err(io::Error::other)??;
        self.is_empty = false;
        Ok(())
    }

    /// Remembers whose purses are to be told when the rows just kept are in the database.
    pub fn remember(&mut self, unwritten: impl Iterator<Item = Option<Unwritten>>) {
        self.unwritten.extend(unwritten);
    }

    /// Hands the next records over to the database. Where they cannot be read the journal stays as it is.
    pub async fn replay(&mut self, inner: &Inner) -> store::Result<()> {
        let (rows, next) = self.read(inner.settings.batch).await?;
        if rows.is_empty() {
            return self.clear(inner).await;
        }
        let written: Vec<&Row> = rows.iter().collect();
        match inner.persist_within(&written, Some(self.patience)).await {
            Ok(()) => self.advance(&rows, next),
            Err(error @ StoreError::Unavailable(_)) => return Err(error),
            Err(_) if rows.len() > 1 => self.alone = rows.len(),
            Err(error) => {
                rows[0].refused(&error);
                self.advance(&rows, next);
            }
        }
        Ok(())
    }

    async fn read(&self, batch: usize) -> store::Result<(Vec<Row>, u64)> {
        let count = if self.alone > 0 { 1 } else { batch };
        let (journal, from) = (Arc::clone(&self.journal), self.next);
        let read = blocking(move || journal.lock().read(from, count)).await;
        read.map_err(|error| unusable(Path::new("the journal"), &error))
    }

    /// The records have these rows, or refused one.
    fn advance(&mut self, rows: &[Row], next: u64) {
        self.next = next;
        self.alone = self.alone.saturating_sub(rows.len());
        // Records of an earlier run come first and have nobody to tell.
        for _ in rows {
            if let Some(Some(unwritten)) = self.unwritten.pop_front() {
                unwritten.let_go();
            }
        }
    }

    async fn clear(&mut self, inner: &Inner) -> store::Result<()> {
        let (journal, read) = (Arc::clone(&self.journal), self.next);
        let cleared = blocking(move || journal.lock().clear(read)).await;
        cleared.map_err(|error| unusable(Path::new("the journal"), &error))?;
        self.next = Journal::start();
        self.is_empty = true;
        inner.set_journal(false);
        Ok(())
    }
}

async fn look_for_database(inner: Weak<Inner>, tell: oneshot::Sender<()>) {
    let mut pause = FIRST_LOOK;
    loop {
        let Some(inner) = inner.upgrade() else { return };
        if inner.store.write().await.is_ok() {
            // The writer may be gone.
            let _ = tell.send(());
            return;
        }
        drop(inner);
        tokio::time::sleep(pause).await;
        pause = LONGEST_LOOK.min(pause * 2);
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)?
}

fn unusable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Location {
        location: path.display().to_string(),
        reason: error.to_string(),
    }
}
