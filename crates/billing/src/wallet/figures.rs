//! What a node holds and has still to write, in numbers, for whoever watches over it. Reading them
//! waits for nothing but short locks.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use super::inner::Wallets;

/// How far the writer is; it alone writes this.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// When it began with the group that it writes; 0 while it writes none.
    began_at: AtomicI64,
    /// Calls that waited when it last looked.
    waiting: AtomicUsize,
}

impl Progress {
    pub fn begin(&self, waiting: usize, now: i64) {
        self.waiting.store(waiting, Ordering::Relaxed);
        self.began_at.store(now.max(1), Ordering::Relaxed);
    }

    pub fn end(&self, waiting: usize) {
        self.waiting.store(waiting, Ordering::Relaxed);
        self.began_at.store(0, Ordering::Relaxed);
    }
}

/// What a node holds and has still to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Leases in memory.
    pub leases: usize,
    /// What new calls may reserve of them, in nano-dollars.
    pub free_nanos: i64,
    /// What running calls and unwritten charges hold of them.
    pub reserved_nanos: i64,
    /// Calls that run or wait to be written.
    pub calls: usize,
    /// The most of them; calls beyond are refused.
    pub most_calls: usize,
    /// Calls that waited when the writer last looked.
    pub waiting: usize,
    /// How long it has been writing the group that it has; 0 while it writes none.
    pub writing_ms: i64,
    /// Bytes of the journal, and the most that it may have; none without one.
    pub journal: Option<(u64, u64)>,
    /// Whether the database does not answer, as far as the writer knows.
    pub is_away: bool,
    /// Transactions begun so far for leases and settlements.
    pub round_trips: u64,
    /// Log rows of refused calls that were lost because too many waited.
    pub lost_notes: u64,
}

impl Wallets {
    /// The figures of this node.
    pub fn figures(&self) -> Figures {
        let inner = &self.inner;
        let (mut leases, mut free_nanos, mut reserved_nanos) = (0, 0_i64, 0_i64);
        for purse in inner.all_purses(None) {
            let state = purse.state.lock();
            leases += usize::from(state.lease.is_some());
            free_nanos = free_nanos.saturating_add(state.slack);
            reserved_nanos = reserved_nanos.saturating_add(state.reserved);
        }
        let began_at = inner.progress.began_at.load(Ordering::Relaxed);
        let journal = inner.settings.journal.as_ref().map(|journal| {
            let length = std::fs::metadata(&journal.path).map_or(0, |file| file.len());
            (length, journal.most_bytes)
        });
        Figures {
            leases,
            free_nanos,
            reserved_nanos,
            calls: inner.running(),
            most_calls: inner.settings.queue,
            waiting: inner.progress.waiting.load(Ordering::Relaxed),
            writing_ms: if began_at == 0 {
                0
            } else {
                inner.now().saturating_sub(began_at).max(0)
            },
            journal,
            is_away: inner.away().is_some(),
            round_trips: self.round_trips(),
            lost_notes: self.lost_notes(),
        }
    }
}
