//! The records as the writer sees them: the database or, while that is away, the journal. A charge is never given
//! up: without a journal it waits.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use store::StoreError;

use super::backlog::Backlog;
use super::entry::Entry;
use super::inner::Inner;
use super::journal::AppendError;
use super::row::Row;
use super::written::NotWritten;

/// How long the writer waits before it tries again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Trouble that passes (a deadlock, a lock) is tried so often before the database counts as away.
const TRIES: u32 = 3;

/// Where charges and log rows go.
#[derive(Default)]
pub(super) struct Records {
    pub backlog: Option<Backlog>,
}

impl Records {
    /// Resolves when the journal can be replayed; never without one.
    pub async fn is_due(&mut self, inner: &Weak<Inner>) {
        match &mut self.backlog {
            Some(backlog) => backlog.is_due(inner).await,
            None => std::future::pending().await,
        }
    }

    /// Writes a batch in one transaction; where the records refuse it, each call on its own.
    pub async fn write_down(&mut self, inner: &Arc<Inner>, entries: Vec<Entry>) {
        let mut batches = VecDeque::from([entries]);
        let mut pause = FIRST_PAUSE;
        while let Some(mut batch) = batches.pop_front() {
            if batch.is_empty() {
                continue;
            }
            let rows: Vec<&Row> = batch.iter().map(|entry| &entry.row).collect();
            match self.write_rows(inner, &rows).await {
                Ok(()) => Entry::finish(batch, &Ok(())),
                Err(StoreError::Unavailable(error)) => {
                    let Err(mut batch) = self.keep(inner, batch).await else {
                        continue;
                    };
                    let error = StoreError::Unavailable(error);
                    if error.is_of_the_disk() {
                        batch = only_promised(batch, &error);
                    }
                    if batch.is_empty() {
                        continue;
                    }
                    tracing::warn!(%error, waiting = batch.len(), "charges cannot be written");
                    inner.set_away(Some(Arc::new(error)));
                    tokio::time::sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                    batches.push_front(batch);
                }
                Err(_) if batch.len() > 1 => {
                    batches = batch.into_iter().map(|entry| vec![entry]).collect();
                }
                Err(error) => batch.remove(0).refuse(&error),
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
    /// given up long before. One that no record can hold is refused, and holds up no other.
    async fn keep(&mut self, inner: &Arc<Inner>, entries: Vec<Entry>) -> Result<(), Vec<Entry>> {
        let Some(backlog) = &mut self.backlog else {
            return Err(entries);
        };
        backlog.lost(inner, StoreError::no_answer());
        let mut entries = if backlog.is_half_full() {
            only_paid(inner, entries)
        } else {
            entries
        };
        inner.set_journal(true);
        let rows = |entries: &[Entry]| entries.iter().map(|entry| entry.row.clone()).collect();
        while let Err(error) = backlog.keep(rows(&entries)).await {
            if let AppendError::Refused(place, error) = error {
                entries.remove(place).refuse(&error.into());
                continue;
            }
            tracing::error!(%error, "charges cannot go to the journal");
            inner.set_stuck(true);
            return Err(entries);
        }
        inner.set_stuck(false);
        backlog.remember(entries.into_iter().map(Entry::finish_kept));
        Ok(())
    }

    /// Hands the next records of the journal over, if the database is there.
    pub async fn replay(&mut self, inner: &Arc<Inner>) {
        let Some(backlog) = &mut self.backlog else {
            return;
        };
        if !backlog.has_more() || backlog.is_away(inner) {
            return;
        }
        if let Err(error) = backlog.replay(inner).await {
            backlog.failed(inner, error);
        }
    }

    /// Before a stop: what the database can have it gets now, so that leases can be given back.
    /// That it was away a moment ago does not count: it is asked once more.
    pub async fn replay_all(&mut self, inner: &Arc<Inner>) {
        while let Some(backlog) = &mut self.backlog
            && backlog.has_more()
        {
            if let Err(error) = backlog.replay(inner).await {
                return backlog.failed(inner, error);
            }
        }
    }
}

/// Those whose client has its answer, or cannot be told any more: they are charged, whenever that is. With the disk full
/// that may take hours, so the others are refused, and cost nothing.
fn only_promised(entries: Vec<Entry>, error: &StoreError) -> Vec<Entry> {
    let is_promised = |entry: &Entry| entry.bill.is_some() && !entry.done.is_awaited();
    let (promised, refused): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(is_promised);
    Entry::finish(refused, &Err(NotWritten::because(error.to_string())));
    promised
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
