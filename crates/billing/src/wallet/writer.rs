//! Group commit: one task writes charges and log rows, many in one transaction.

use std::sync::{Arc, Weak};
use std::time::Duration;

use store::StoreError;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};

use super::entry::Entry;
use super::inner::Inner;
use super::records::Records;
use super::settings::Durability;
use super::spool::Spool;

/// Where nobody waits for the disk, calls gather for so long before they are written together.
const GATHERED_FOR: Duration = Duration::from_millis(200);

/// What the writer is told.
pub(super) enum Message {
    Settle(Box<Entry>),
    Flush(oneshot::Sender<()>),
}

/// The task that writes.
pub(super) struct Writer {
    pub inner: Weak<Inner>,
    pub messages: mpsc::UnboundedReceiver<Message>,
    pub records: Records,
    /// Where groups go first, if replies wait for the disk and that is the database's own.
    pub spool: Option<Spool>,
}

impl Writer {
    /// Begins to write; with a spool on a thread that may wait for the disk.
    pub fn start(self) -> store::Result<()> {
        if self.spool.is_none() {
            tokio::spawn(self.run());
            return Ok(());
        }
        let started = Builder::new_current_thread().enable_all().build();
        let started = started.and_then(|runtime| {
            let thread = std::thread::Builder::new().name("writer".to_owned());
            thread.spawn(move || runtime.block_on(self.run()))
        });
        started.map(drop).map_err(|error| StoreError::Location {
            location: "the thread that writes charges".to_owned(),
            reason: error.to_string(),
        })
    }

    /// Writes until the wallets are gone.
    async fn run(mut self) {
        let mut waiting = Vec::new();
        loop {
            let most = self.inner.upgrade().map_or(1, |inner| inner.settings.batch);
            tokio::select! {
                count = self.messages.recv_many(&mut waiting, most) => if count == 0 { return },
                () = self.records.is_due(&self.inner) => {}
                () = is_due(&mut self.spool) => {}
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
            self.records.replay(&inner).await;
            if !flushes.is_empty() {
                self.catch_up(&inner).await;
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

    /// To the spool, if there is one that takes them; to the records otherwise.
    async fn write_down(&mut self, inner: &Arc<Inner>, mut entries: Vec<Entry>) {
        if let Some(spool) = &mut self.spool {
            if !entries.is_empty() {
                entries = spool.keep(inner, entries).await.err().unwrap_or_default();
            }
            spool.hand_over_if_due(inner).await;
        }
        self.records.write_down(inner, entries).await;
    }

    /// What the database can have it gets now.
    async fn catch_up(&mut self, inner: &Arc<Inner>) {
        if let Some(spool) = &mut self.spool {
            spool.drain(inner).await;
        }
        self.records.replay_all(inner).await;
    }
}

/// Resolves when the database can have what the spool keeps; never without one.
async fn is_due(spool: &mut Option<Spool>) {
    match spool {
        Some(spool) => spool.is_due().await,
        None => std::future::pending().await,
    }
}
