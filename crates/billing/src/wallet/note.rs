//! Log rows of calls that nothing was set aside for: refused before they cost anything. They go
//! through the same group commit as charges.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use store::request_log::LoggedCall;

use super::entry::Entry;
use super::inner::Wallets;
use super::row::Row;
use super::writer::Message;
use super::written::{NotWritten, Written};

impl Wallets {
    /// Writes the log row of a call that costs nothing. Does not wait, and `Written::wait` neither:
    /// no money depends on it. Where the records are so far behind that `Settings::queue` such rows
    /// wait already, the row is lost and counted instead.
    pub fn note(&self, mut call: LoggedCall) -> Written {
        call.charge_nanos = 0;
        let (done, written) = Written::note();
        let Ok(permit) = Arc::clone(&self.inner.notes).try_acquire_owned() else {
            self.inner.lost_notes.fetch_add(1, Ordering::Relaxed);
            done.tell(Err(NotWritten::because("too many log rows wait")));
            return written;
        };
        let entry = Entry {
            bill: None,
            row: Row { lease: None, call },
            done,
            permit: Some(permit),
        };
        let sent = self.inner.queue.send(Message::Settle(Box::new(entry)));
        debug_assert!(sent.is_ok(), "the writer lives as long as the wallets");
        written
    }

    /// How many log rows were lost because too many waited.
    pub fn lost_notes(&self) -> u64 {
        self.inner.lost_notes.load(Ordering::Relaxed)
    }
}
