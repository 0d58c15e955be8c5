//! What the fake upstream saw and how each reply ended. Connections write, tests read and wait.

use crate::request::RecordedRequest;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long a test waits for something that should happen soon.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the reply to a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The whole reply was sent.
    Answered,
    /// The script closed or reset the connection.
    ClosedByScript,
    /// The peer closed the connection before the reply was complete.
    LeftByPeer {
        /// When the fake upstream noticed.
        at: Instant,
    },
}

#[derive(Default)]
struct Entries {
    requests: Vec<(RecordedRequest, Option<Ending>)>,
    accepted: usize,
    open: usize,
}

pub(crate) struct Journal {
    entries: Mutex<Entries>,
    changed: watch::Sender<()>,
}

impl Journal {
    pub(crate) fn new() -> Self {
        Self {
            entries: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    /// Notes a new connection and returns its number.
    pub(crate) fn accept(&self) -> usize {
        let mut entries = self.lock();
        entries.accepted += 1;
        entries.open += 1;
        let number = entries.accepted - 1;
        drop(entries);
        self.changed.send_replace(());
        number
    }

    pub(crate) fn close(&self) {
        self.lock().open -= 1;
        self.changed.send_replace(());
    }

    /// Notes a request and returns its index.
    pub(crate) fn record(&self, request: RecordedRequest) -> usize {
        let mut entries = self.lock();
        entries.requests.push((request, None));
        let index = entries.requests.len() - 1;
        drop(entries);
        self.changed.send_replace(());
        index
    }

    pub(crate) fn end(&self, index: usize, ending: Ending) {
        self.lock().requests[index].1 = Some(ending);
        self.changed.send_replace(());
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.lock()
            .requests
            .iter()
            .map(|(request, _)| request.clone())
            .collect()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.lock().accepted
    }

    pub(crate) fn open(&self) -> usize {
        self.lock().open
    }

    pub(crate) async fn wait_for_requests(&self, count: usize) {
        self.wait("requests", |entries| {
            (entries.requests.len() >= count).then_some(())
        })
        .await;
    }

    pub(crate) async fn wait_for_open(&self, count: usize) {
        self.wait("connections", |entries| {
            (entries.open == count).then_some(())
        })
        .await;
    }

    pub(crate) async fn ending(&self, index: usize) -> Ending {
        self.wait("the end of a reply", |entries| {
            entries.requests.get(index)?.1
        })
        .await
    }

    /// Waits until `look` finds what it looks for, and fails the test when that takes too long.
    async fn wait<T>(&self, what: &str, look: impl Fn(&Entries) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        let found = async {
            loop {
                if let Some(found) = look(&self.lock()) {
                    return found;
                }
                changed
                    .changed()
                    .await
                    .expect("the journal holds the sender");
            }
        };
        let found = tokio::time::timeout(PATIENCE, found).await;
        found.unwrap_or_else(|_| panic!("waited {PATIENCE:?} for {what} at the fake upstream"))
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().expect("no holder of the lock panics")
    }
}
