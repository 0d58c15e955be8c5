//! Group commit: one task writes charges and log rows, many in one transaction. It never gives up
//! on a charge while the database is away: it goes to the journal or, without one, waits.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use store::StoreError;
use tokio::sync::{mpsc, oneshot};

use super::backlog::Backlog;
use super::entry::Entry;
use super::inner::Inner;
use super::row::Row;
use super::settings::Durability;
use super::written::NotWritten;

/// How long the writer waits before it tries again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Where nobody waits for the disk, calls gather for so long before they are written together.
const GATHERED_FOR: Duration = Duration::from_millis(200);
/// Trouble that passes (a deadlock, a lock) is tried so often before the database counts as away.
const TRIES: u32 = 3;

/// What the writer is told.
pub(super) enum Message {
    Settle(Box<Entry>),
    Flush(oneshot::Sender<()>),
}

/// The task that writes.
pub(super) struct Writer {
    pub inner: Weak<Inner>,
    pub messages: mpsc::UnboundedReceiver<Message>,
    pub backlog: Option<Backlog>,
}

impl Writer {
    /// Writes until the wallets are gone.
    pub async fn run(mut self) {
        let mut waiting = Vec::new();
        loop {
            let most = self.inner.upgrade().map_or(1, |inner| inner.settings.batch);
            tokio::select! {
                count = self.messages.recv_many(&mut waiting, most) => if count == 0 { return },
                () = is_due(&mut self.backlog, &self.inner) => {}
            }
            self.gather(&mut waiting, most).await;
            let Some(inner) = self.inner.upgrade() else {
                return;
            };
            let mut entries = Vec::with_capacity(waiting.len());
            let mut flushes = Vec::new();
            for message in waiting.drain(..) {
                match message {
                    Message::Settle(mut entry) => {
                        entry.write_lines();
                        entries.push(*entry);
                    }
                    Message::Flush(done) => flushes.push(done),
                }
            }
            let charges = entries.iter().filter(|entry| entry.bill.is_some());
            inner.joining.taken(charges.count());
            inner.progress.begin(self.messages.len(), inner.now());
            self.write_down(&inner, entries).await;
            inner.progress.end(self.messages.len());
            self.replay(&inner).await;
            if !flushes.is_empty() {
                self.replay_all(&inner).await;
            }
            for done in flushes {
                // Whoever asked may have stopped waiting.
                let _ = done.send(());
            }
        }
    }

    /// Lets more calls come, so that they are written together: where nobody waits for the disk asleep, so that none
    /// of them wakes anybody.
    async fn gather(&mut self, waiting: &mut Vec<Message>, most: usize) {
        let must_stop = |message: &Message| matches!(message, Message::Flush(_));
        let is_full = waiting.is_empty() || waiting.len() >= most;
        if is_full || waiting.iter().any(must_stop) {
            return;
        }
        let Some(inner) = self.inner.upgrade() else {
            return;
        };
        match inner.settings.durability {
            Durability::Strict => inner.joining.wait(|| inner.running()).await,
            Durability::Relaxed => {
                drop(inner);
                tokio::time::sleep(GATHERED_FOR).await;
            }
        }
        while waiting.len() < most
            && let Ok(message) = self.messages.try_recv()
        {
            waiting.push(message);
        }
    }

    /// Writes a batch in one transaction; where the records refuse it, each call on its own.
    async fn write_down(&mut self, inner: &Arc<Inner>, entries: Vec<Entry>) {
        let mut batches = VecDeque::from([entries]);
        let mut pause = FIRST_PAUSE;
        while let Some(batch) = batches.pop_front() {
            if batch.is_empty() {
                continue;
            }
            let rows: Vec<&Row> = batch.iter().map(|entry| &entry.row).collect();
            match self.write_rows(inner, &rows).await {
                Ok(()) => Entry::finish(batch, &Ok(())),
                Err(StoreError::Unavailable(error)) => {
                    let Err(batch) = self.keep(inner, batch).await else {
                        continue;
                    };
                    tracing::warn!(%error, waiting = batch.len(), "charges cannot be written");
                    inner.set_away(Some(Arc::new(StoreError::Unavailable(error))));
                    tokio::time::sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                    batches.push_front(batch);
                }
                Err(_) if batch.len() > 1 => {
                    batches = batch.into_iter().map(|entry| vec![entry]).collect();
                }
                Err(error) => {
                    let request_id = batch[0].row.call.request_id.as_str();
                    tracing::error!(%error, request_id, "charge refused");
                    Entry::finish(batch, &Err(NotWritten::because(error.to_string())));
                }
            }
        }
    }

    /// To the database, unless it is known to be away.
    async fn write_rows(&mut self, inner: &Arc<Inner>, rows: &[&Row]) -> store::Result<()> {
        let Some(backlog) = &mut self.backlog else {
            let written = inner.persist_within(rows, None).await;
            inner.note_outcome(&written);
            return written;
        };
        if backlog.is_away(inner) && !backlog.is_empty() {
            return Err(StoreError::no_answer());
        }
        let written = inner.persist_within(rows, Some(backlog.patience)).await;
        inner.note_outcome(&written);
        written
    }

    /// To the journal. Gives the entries back where it has no room; log rows without money are
    /// given up long before.
    async fn keep(&mut self, inner: &Arc<Inner>, entries: Vec<Entry>) -> Result<(), Vec<Entry>> {
        let Some(backlog) = &mut self.backlog else {
            return Err(entries);
        };
        backlog.lost(inner, StoreError::no_answer());
        let entries = if backlog.is_half_full() {
            only_paid(inner, entries)
        } else {
            entries
        };
        inner.set_journal(true);
        let rows = entries.iter().map(|entry| entry.row.clone()).collect();
        if let Err(error) = backlog.keep(rows).await {
            tracing::error!(%error, "charges cannot go to the journal");
            inner.set_stuck(true);
            return Err(entries);
        }
        inner.set_stuck(false);
        backlog.remember(entries.into_iter().map(Entry::finish_kept));
        Ok(())
    }

    /// Hands the next records of the journal over, if the database is there. False where there is
    /// nothing more to do now.
    async fn replay(&mut self, inner: &Arc<Inner>) -> bool {
        let Some(backlog) = &mut self.backlog else {
            return false;
        };
        if backlog.is_empty() || backlog.is_away(inner) {
            return false;
        }
        if let Err(error) = backlog.replay(inner).await {
            backlog.lost(inner, error);
        }
        true
    }

    /// Before a stop: what the database can have it gets now, so that leases can be given back.
    /// That it was away a moment ago does not count: it is asked once more.
    async fn replay_all(&mut self, inner: &Arc<Inner>) {
        while let Some(backlog) = &mut self.backlog
            && !backlog.is_empty()
        {
            if let Err(error) = backlog.replay(inner).await {
                return backlog.lost(inner, error);
            }
        }
    }
}

/// Resolves when the journal can be replayed; never without one.
async fn is_due(backlog: &mut Option<Backlog>, inner: &Weak<Inner>) {
    match backlog {
        Some(backlog) => backlog.is_due(inner).await,
        None => std::future::pending().await,
    }
}

fn only_paid(inner: &Inner, entries: Vec<Entry>) -> Vec<Entry> {
    let (kept, lost): (Vec<Entry>, Vec<Entry>) =
        entries.into_iter().partition(|entry| entry.bill.is_some());
    let count = lost.len() as u64;
    inner.lost_notes.fetch_add(count, Ordering::Relaxed);
    Entry::finish(lost, &Err(NotWritten::because("the database is away")));
    kept
}

impl Inner {
    /// Writes rows; trouble that passes is tried again, within the time where one is given.
    pub(super) async fn persist_within(
        &self,
        rows: &[&Row],
        time: Option<Duration>,
    ) -> store::Result<()> {
        let tries = async {
            for _ in 1..TRIES {
                match self.persist(rows).await {
                    Err(StoreError::Unavailable(_)) => tokio::time::sleep(FIRST_PAUSE).await,
                    other => return other,
                }
            }
            self.persist(rows).await
        };
        match time {
            None => tries.await,
            Some(time) => tokio::time::timeout(time, tries)
                .await
                .unwrap_or_else(|_| Err(StoreError::no_answer())),
        }
    }

    fn note_outcome(&self, outcome: &store::Result<()>) {
        if outcome.is_ok() {
            self.set_stuck(false);
            self.set_away(None);
        }
    }
}
