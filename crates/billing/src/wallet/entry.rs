//! A call on its way to the writer.

use std::sync::Arc;

use store::{Document, LeaseId, StoreError};
use tokio::sync::OwnedSemaphorePermit;

use super::purse::Purse;
use super::row::Row;
use super::written::{Done, NotWritten, Outcome};
use crate::pricing::Charge;

/// One call to write down.
pub(super) struct Entry {
    /// None for a call that never had anything set aside.
    pub bill: Option<Bill>,
    pub row: Row,
    pub done: Done,
    /// Its place in the queue, free again when it was written or kept.
    pub permit: Option<OwnedSemaphorePermit>,
}

/// What a call pays, and out of which purse.
pub(super) struct Bill {
    pub purse: Arc<Purse>,
    pub charge: Charge,
}

/// A charge that the purse does not know to be written yet.
pub(super) struct Unwritten {
    pub purse: Arc<Purse>,
    pub lease: Option<LeaseId>,
    pub nanos: i64,
}

impl Entry {
    /// Writes the lines of the charge into the row. The writer does this, and not the call, which has
    /// no time for it.
    pub fn write_lines(&mut self) {
        if let Some(bill) = &self.bill {
            self.row.call.price_lines = Document(bill.charge.logged_lines());
        }
    }

    /// The records have them, or refused them: tells the purses and whoever waits.
    pub fn finish(entries: Vec<Self>, outcome: &Outcome) {
        let told = entries.into_iter().map(|entry| {
            if let Some(bill) = entry.bill {
                let mut state = bill.purse.state.lock();
                state.let_go(entry.row.lease, entry.row.call.charge_nanos);
            }
            entry.done
        });
        Done::tell_all(told, outcome);
    }

    /// The records will not have it, however often they are asked.
    pub fn refuse(self, error: &StoreError) {
        self.row.refused(error);
        Self::finish(vec![self], &Err(NotWritten::because(error.to_string())));
    }

    /// The journal has it: whoever waits is told, the purse when the database has it too.
    pub fn finish_kept(self) -> Option<Unwritten> {
        drop(self.permit);
        self.done.tell(Ok(()));
        self.bill.map(|bill| Unwritten {
            purse: bill.purse,
            lease: self.row.lease,
            nanos: self.row.call.charge_nanos,
        })
    }
}

impl Unwritten {
    /// The records have it, or refused it.
    pub fn let_go(self) {
        self.purse.state.lock().let_go(self.lease, self.nanos);
    }
}
