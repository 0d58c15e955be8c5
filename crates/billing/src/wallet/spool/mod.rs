//! The spool: where replies wait for the disk, they wait for a file and not for the database, which follows a moment
//! later with many of them at once. One file fills while the database takes what the other one has. At the next
//! start after a crash the database gets what is left in both; each call counts once by its id.
//!
//! Blocking: the writer that has a spool has a thread of its own.

mod half;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use store::StoreError;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use self::half::Half;
use super::entry::Entry;
use super::inner::Inner;
use super::records::Records;
use super::row::Row;
use super::written::Done;

/// Calls gather for so long before the database gets them; until then nobody sees them.
const GATHERED_FOR: Duration = Duration::from_millis(25);
/// Where so many came in the time before, it is longer, which saves a part of the work.
const MANY: usize = 200;
const MANY_GATHERED_FOR: Duration = Duration::from_millis(200);

/// Both files, and what is in them.
pub(super) struct Spool {
    halves: [Half; 2],
    /// Which of them fills.
    filling: usize,
    /// What it has.
    kept: Vec<Entry>,
    /// When the database is to get that; none while there is nothing.
    due: Option<Instant>,
    /// How long calls gather.
    gathered_for: Duration,
    /// Gives the database what the other one has.
    writing: Option<JoinHandle<()>>,
    /// Where that is done.
    runtime: Handle,
    /// A file could not be emptied: what it has is for the next start, and nothing comes to it.
    is_broken: bool,
}

impl Spool {
    /// Opens both files, and hands over what an earlier run left in them. To be called where the database is written from.
    pub async fn open(files: &[PathBuf; 2], inner: &Inner) -> io::Result<Self> {
        let (first, of_first) = Half::open(&files[0])?;
        let (second, of_second) = Half::open(&files[1])?;
        let mut halves = [first, second];
        for (half, rows) in halves.iter_mut().zip([of_first, of_second]) {
            replay(inner, &rows).await.map_err(io::Error::other)?;
            half.clear()?;
        }
        Ok(Self {
            halves,
            filling: 0,
            kept: Vec::new(),
            due: None,
            gathered_for: GATHERED_FOR,
            writing: None,
            runtime: Handle::current(),
            is_broken: false,
        })
    }

    /// Puts a group on the disk and tells whoever waits for that. Gives it back where the disk does not take it.
    pub async fn keep(
        &mut self,
        inner: &Arc<Inner>,
        mut entries: Vec<Entry>,
    ) -> Result<(), Vec<Entry>> {
        if self.kept.len() + entries.len() > inner.settings.batch {
            self.wait_until_written().await;
            self.hand_over(inner);
        }
        if self.is_broken {
            return Err(entries);
        }
        let rows = entries.iter().map(|entry| &entry.row);
        if let Err(error) = self.halves[self.filling].append(rows) {
            tracing::warn!(%error, "the spool takes no charges");
            return Err(entries);
        }
        let told = entries.iter_mut().map(|entry| {
            entry.permit = None;
            entry.done.take()
        });
        Done::tell_all(told, &Ok(()));
        self.kept.append(&mut entries);
        self.due
            .get_or_insert_with(|| Instant::now() + self.gathered_for);
        Ok(())
    }

    /// Waits until the database can have what is kept; for ever where there is nothing.
    pub async fn is_due(&mut self) {
        self.wait_until_written().await;
        match self.due {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    /// Lets the database have what is kept, if it is time for that and the last of it is there.
    pub async fn hand_over_if_due(&mut self, inner: &Arc<Inner>) {
        if self.writing.as_ref().is_some_and(JoinHandle::is_finished) {
            self.wait_until_written().await;
        }
        let is_due = self.due.is_some_and(|due| due <= Instant::now());
        if is_due && self.writing.is_none() {
            self.hand_over(inner);
        }
    }

    /// Returns when the database has everything.
    pub async fn drain(&mut self, inner: &Arc<Inner>) {
        self.wait_until_written().await;
        self.hand_over(inner);
        self.wait_until_written().await;
    }

    fn hand_over(&mut self, inner: &Arc<Inner>) {
        if self.due.take().is_none() {
            return;
        }
        let entries = self.kept.split_off(0);
        let has_many = entries.len() >= MANY;
        self.gathered_for = if has_many {
            MANY_GATHERED_FOR
        } else {
            GATHERED_FOR
        };
        let inner = Arc::clone(inner);
        self.filling = 1 - self.filling;
        self.writing = Some(self.runtime.spawn(async move {
            Records::default().write_down(&inner, entries).await;
        }));
    }

    async fn wait_until_written(&mut self) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        let written = writing.await.map_err(io::Error::other);
        self.writing = None;
        let cleared = written.and_then(|()| self.halves[1 - self.filling].clear());
        if let Err(error) = cleared {
            tracing::error!(%error, "the spool cannot be emptied and is not used any more");
            self.is_broken = true;
        }
    }
}

/// What a crash left. One that the records refuse is told of and left out; where they do not answer, everything stays
/// where it is for the next start.
async fn replay(inner: &Inner, rows: &[Row]) -> store::Result<()> {
    let all: Vec<&Row> = rows.iter().collect();
    match inner.persist_within(&all, None).await {
        Err(error @ StoreError::Unavailable(_)) => return Err(error),
        Err(_) => {}
        Ok(()) => return Ok(()),
    }
    for row in rows {
        match inner.persist_within(&[row], None).await {
            Err(error @ StoreError::Unavailable(_)) => return Err(error),
            Err(error) => row.refused(&error),
            Ok(()) => {}
        }
    }
    Ok(())
}
