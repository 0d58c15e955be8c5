//! Group commit: one task writes charges and log rows, many in one transaction. It never gives up
//! on a charge while the database is away.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use store::leases::{self, LeaseCharge};
use store::ledger::Outcome;
use store::request_log::{self, Attempt, LoggedCall};
use store::{Document, LeaseId, StoreError, TokenId, Transaction, UserId, tokens, users};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::inner::Inner;
use super::purse::Purse;
use crate::pricing::Charge;

/// How long the writer waits before it tries again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What the writer is told.
pub(super) enum Message {
    Settle(Box<Entry>),
    Flush(oneshot::Sender<()>),
}

/// One call to write down.
pub(super) struct Entry {
    /// None for a call that never had anything set aside.
    pub bill: Option<Bill>,
    pub call: LoggedCall,
    pub attempts: Vec<Attempt>,
    pub done: oneshot::Sender<Result<(), NotWritten>>,
    pub permit: Option<OwnedSemaphorePermit>,
}

/// What a call pays, and out of which lease.
pub(super) struct Bill {
    pub purse: Arc<Purse>,
    pub lease: Option<LeaseId>,
    pub charge: Charge,
}

/// A settlement that the records refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the charge could not be written: {0}")]
pub struct NotWritten(String);

impl NotWritten {
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// A settlement on its way to the disk.
#[must_use]
#[derive(Debug)]
pub struct Written {
    is_done: oneshot::Receiver<Result<(), NotWritten>>,
    must_wait: bool,
}

impl Written {
    pub(super) fn new(is_done: oneshot::Receiver<Result<(), NotWritten>>, must_wait: bool) -> Self {
        Self { is_done, must_wait }
    }

    /// Waits as the node's durability asks: until the charge is on disk, or not at all.
    pub async fn wait(self) -> Result<(), NotWritten> {
        if self.must_wait {
            self.on_disk().await
        } else {
            Ok(())
        }
    }

    /// Waits until the charge is on disk, whatever the durability.
    pub async fn on_disk(self) -> Result<(), NotWritten> {
        let outcome = self.is_done.await;
        outcome.unwrap_or_else(|_| Err(NotWritten("the writer stopped".to_owned())))
    }
}

/// Writes until the wallets are gone.
pub(super) async fn run(inner: Weak<Inner>, mut messages: mpsc::UnboundedReceiver<Message>) {
    let mut waiting = Vec::new();
    loop {
        let most = inner.upgrade().map_or(1, |inner| inner.settings.batch);
        if messages.recv_many(&mut waiting, most).await == 0 {
            return;
        }
        let mut entries = Vec::with_capacity(waiting.len());
        let mut flushes = Vec::new();
        for message in waiting.drain(..) {
            match message {
                Message::Settle(entry) => entries.push(*entry),
                Message::Flush(done) => flushes.push(done),
            }
        }
        if let Some(inner) = inner.upgrade() {
            inner.write_down(entries).await;
        }
        for done in flushes {
            // Whoever asked may have stopped waiting.
            let _ = done.send(());
        }
    }
}

impl Inner {
    /// Writes a batch in one transaction; where the records refuse it, each call on its own.
    async fn write_down(&self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        match self.persist(&entries).await {
            Ok(()) => finish(entries, &Ok(())),
            Err(_) if entries.len() > 1 => {
                for entry in entries {
                    let one = [entry];
                    let outcome = self.persist_alone(&one).await;
                    finish(one.into(), &outcome);
                }
            }
            Err(_) => {
                let outcome = self.persist_alone(&entries).await;
                finish(entries, &outcome);
            }
        }
    }

    async fn persist_alone(&self, entries: &[Entry]) -> Result<(), NotWritten> {
        let outcome = match self.persist(entries).await {
            // The lease was taken away meanwhile: the charge comes out of the wallet.
            Err(StoreError::Stale(_)) => self.persist_late(entries).await,
            other => other,
        };
        outcome.map_err(|error| {
            tracing::error!(%error, request_id = entries[0].call.request_id, "charge refused");
            NotWritten(error.to_string())
        })
    }

    /// One transaction, tried again while the database is away.
    async fn persist(&self, entries: &[Entry]) -> store::Result<()> {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.try_persist(entries, false).await {
                Err(StoreError::Unavailable(error)) => {
                    tracing::warn!(%error, waiting = entries.len(), "charges cannot be written");
                    tokio::time::sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                other => return other,
            }
        }
    }

    async fn persist_late(&self, entries: &[Entry]) -> store::Result<()> {
        let mut pause = FIRST_PAUSE;
        while let Err(error) = self.try_persist(entries, true).await {
            let StoreError::Unavailable(_) = error else {
                return Err(error);
            };
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
        Ok(())
    }

    async fn try_persist(&self, entries: &[Entry], is_late: bool) -> store::Result<()> {
        let transaction = self.write().await?;
        let calls: Vec<LoggedCall> = entries.iter().map(logged).collect();
        let attempts: Vec<Attempt> = entries
            .iter()
            .flat_map(|entry| entry.attempts.iter().cloned())
            .collect();
        let fresh = request_log::append_new(&transaction, &calls, &attempts).await?;
        let charges: Vec<LeaseCharge> = entries.iter().filter_map(charge_of).collect();
        let outcomes = if is_late {
            leases::settle_late(&transaction, &charges).await?
        } else {
            leases::settle(&transaction, &charges).await?
        };
        let outcomes = charges.iter().zip(outcomes);
        let repeated: HashSet<&str> = outcomes
            .filter(|(_, outcome)| *outcome == Outcome::Duplicate)
            .map(|(charge, _)| charge.request_id.as_str())
            .collect();
        let new = entries
            .iter()
            .map(|entry| &entry.call)
            .filter(|call| fresh.contains(&call.request_id))
            .filter(|call| !repeated.contains(call.request_id.as_str()));
        add_usage(&transaction, new).await?;
        Ok(transaction.commit().await?)
    }
}

/// The log row with its lines. Their text is made here and not by the call, which has no time for
/// it.
fn logged(entry: &Entry) -> LoggedCall {
    let Some(bill) = &entry.bill else {
        return entry.call.clone();
    };
    LoggedCall {
        price_lines: Document(bill.charge.logged_lines()),
        ..entry.call.clone()
    }
}

fn charge_of(entry: &Entry) -> Option<LeaseCharge> {
    if entry.call.charge_nanos == 0 {
        return None;
    }
    let bill = entry.bill.as_ref()?;
    Some(LeaseCharge {
        lease_id: bill.lease?,
        request_id: entry.call.request_id.clone(),
        user_id: bill.purse.user,
        amount_nanos: entry.call.charge_nanos,
        at: entry.call.created_at,
    })
}

/// What users and tokens spent, in the order of their ids, so that nodes do not deadlock.
async fn add_usage(
    transaction: &Transaction,
    calls: impl Iterator<Item = &LoggedCall>,
) -> store::Result<()> {
    let mut by_user: BTreeMap<UserId, (i64, i64)> = BTreeMap::new();
    let mut by_token: BTreeMap<TokenId, (i64, i64)> = BTreeMap::new();
    for call in calls {
        let user = by_user.entry(call.user_id).or_default();
        user.0 += call.charge_nanos;
        user.1 += 1;
        if let Some(token) = call.token_id {
            let token = by_token.entry(token).or_default();
            token.0 += call.charge_nanos;
            token.1 = token.1.max(call.created_at);
        }
    }
    for (user, (nanos, calls)) in by_user {
        users::add_usage(transaction, user, nanos, calls).await?;
    }
    for (token, (nanos, last)) in by_token {
        tokens::add_usage(transaction, token, nanos, last).await?;
    }
    Ok(())
}

/// Tells the purses and whoever waits. A charge that was refused stays held until its lease ends:
/// spending that money twice would be worse.
fn finish(entries: Vec<Entry>, outcome: &Result<(), NotWritten>) {
    for entry in entries {
        if let (Ok(()), Some(bill)) = (outcome, &entry.bill) {
            let mut state = bill.purse.state.lock();
            state.written(bill.lease, entry.call.charge_nanos);
        }
        // Whoever asked may have stopped waiting.
        let _ = entry.done.send(outcome.clone());
        drop(entry.permit);
    }
}
