//! Looking after leases: renewing those in use, giving back idle ones, answering other nodes,
//! taking back what dead nodes left.

use std::sync::{Arc, Weak};
use std::time::Duration;

use store::ledger::{self, Account};
use store::{LeaseId, StoreError, Transaction, UserId, leases, reservations};
use tokio::time::timeout;

use super::inner::{Inner, Wallets};
use super::purse::Purse;

/// How many expired leases or reservations are closed in one transaction.
const EXPIRED_AT_ONCE: u32 = 500;
/// How long the database may take to say what others ask for.
const RECALLED_WITHIN: Duration = Duration::from_secs(5);

impl Wallets {
    /// Does what is due; call it about once a second.
    pub async fn upkeep(&self) -> store::Result<()> {
        let inner = &self.inner;
        let now = inner.now();
        inner.tell_journal_if_due(now).await?;
        for purse in inner.all_purses(None) {
            match inner.due(&purse, now) {
                Due::Nothing => {}
                Due::Renew(lease) => inner.renew(&purse, lease, now).await?,
                Due::Forget(lease) => {
                    // Off the list before anything is waited for: calls look there until they find another.
                    inner.forget(&purse);
                    if let Some(lease) = lease {
                        inner.give_back(lease).await?;
                    }
                }
            }
        }
        if inner.settings.recall_poll.is_none() {
            inner.answer_recalls().await?;
        }
        inner.take_back(now).await
    }

    /// Gives everything back that no call holds; for a stop, after the last call has ended.
    pub async fn give_back_all(&self) -> store::Result<()> {
        self.flush().await;
        for purse in self.inner.all_purses(None) {
            let claimed = {
                let mut state = purse.state.lock();
                let lease = state.lease.filter(|_| state.reserved == 0);
                if lease.is_some() {
                    state.end();
                }
                lease
            };
            if let Some(lease) = claimed {
                self.inner.give_back(lease).await?;
            }
        }
        Ok(())
    }

    /// Gives back what other nodes asked for, as far as no call holds it.
    pub async fn answer_recalls(&self) -> store::Result<()> {
        self.inner.answer_recalls().await
    }
}

enum Due {
    Nothing,
    Renew(LeaseId),
    /// Nobody uses it; its lease, if it has one, is to be given back.
    Forget(Option<LeaseId>),
}

/// Answers other nodes until the wallets are gone.
pub(super) async fn answer_recalls(inner: Weak<Inner>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let Some(inner) = inner.upgrade() else { return };
        if let Err(error) = inner.answer_recalls().await {
            tracing::debug!(%error, "recalls could not be answered");
        }
    }
}

impl Inner {
    /// Often enough that others know it well before a lease ends.
    async fn tell_journal_if_due(&self, now: i64) -> store::Result<()> {
        let told_at = *self.journal_told_at.lock();
        let is_due = now.saturating_sub(told_at) >= self.settings.lease_ms / 12;
        if self.settings.journal.is_some() && is_due {
            self.tell_journal(now).await?;
        }
        Ok(())
    }

    /// Gives back what an earlier run of this node left open.
    pub(super) async fn recover(&self) -> store::Result<()> {
        let left = leases::open_of_node(self.store.read(), &self.settings.node_id).await?;
        for lease in left {
            self.give_back(lease).await?;
        }
        self.take_back(self.now()).await
    }

    /// Decides under the lock, so that no call reserves from what is about to be given back.
    fn due(&self, purse: &Purse, now: i64) -> Due {
        let mut state = purse.state.lock();
        let is_idle = now.saturating_sub(state.last_used) >= self.settings.idle_ms;
        let is_free = state.reserved == 0 && !state.is_obtaining;
        if is_idle && is_free {
            let lease = state.lease;
            state.end();
            state.is_removed = true;
            return Due::Forget(lease);
        }
        match state.lease {
            Some(lease) if state.expires_at.saturating_sub(now) < self.settings.lease_ms / 2 => {
                Due::Renew(lease)
            }
            _ => Due::Nothing,
        }
    }

    fn forget(&self, purse: &Arc<Purse>) {
        let mut purses = self.purses.write();
        if let Some(of_user) = purses.get_mut(&purse.user) {
            of_user.retain(|one| !Arc::ptr_eq(one, purse));
            if of_user.is_empty() {
                purses.remove(&purse.user);
            }
        }
    }

    async fn renew(&self, purse: &Arc<Purse>, lease: LeaseId, now: i64) -> store::Result<()> {
        let expires_at = now.saturating_add(self.settings.lease_ms);
        let transaction = self.write().await?;
        let is_open = leases::renew(&transaction, lease, expires_at).await?;
        transaction.commit().await?;
        let mut state = purse.state.lock();
        if state.lease == Some(lease) {
            if is_open {
                state.expires_at = expires_at;
            } else {
                state.end();
            }
        }
        Ok(())
    }

    async fn give_back(&self, lease: LeaseId) -> store::Result<()> {
        let transaction = self.write().await?;
        leases::give_back(&transaction, lease, self.now()).await?;
        transaction.commit().await
    }

    async fn take_back(&self, now: i64) -> store::Result<()> {
        let transaction = self.write().await?;
        leases::expire(&transaction, now, EXPIRED_AT_ONCE).await?;
        transaction.commit().await?;
        let transaction = self.write().await?;
        reservations::expire(&transaction, now, EXPIRED_AT_ONCE).await?;
        transaction.commit().await
    }

    async fn answer_recalls(&self) -> store::Result<()> {
        if self.purses.read().is_empty() {
            return Ok(());
        }
        self.answer_all_recalls().await
    }

    /// Answers also for leases of this node that no purse knows any more.
    pub(super) async fn answer_all_recalls(&self) -> store::Result<()> {
        // A connection that has stalled would be waited for without end, and nobody be answered meanwhile.
        let recalled = leases::recalled(self.store.read(), &self.settings.node_id);
        let asked = timeout(RECALLED_WITHIN, recalled).await;
        let asked = asked.unwrap_or_else(|_| Err(StoreError::no_answer()))?;
        if asked.is_empty() {
            return Ok(());
        }
        let purses = self.all_purses(None);
        let holder = |lease| {
            let mut purses = purses.iter();
            purses.find(|purse| purse.state.lock().lease == Some(lease))
        };
        if asked.iter().any(|lease| holder(*lease).is_none()) {
            // It may have been taken just now, and not be in its purse yet.
            for purse in &purses {
                drop(purse.filling.lock().await);
            }
        }
        let mut outcome = Ok(());
        for lease in asked {
            let purse = holder(lease);
            // Where one cannot be answered the others are: somebody waits for each of them.
            outcome = outcome.and(self.give_slack_back(lease, purse).await);
        }
        outcome
    }

    /// Gives back what no call holds. Where the user still owes after that, whatever calls release
    /// is not reserved again.
    pub(super) async fn give_slack_back(
        &self,
        lease: LeaseId,
        purse: Option<&Arc<Purse>>,
    ) -> store::Result<()> {
        let _filling = match purse {
            Some(purse) => Some(purse.filling.lock().await),
            None => None,
        };
        let slack = purse.map_or(0, |purse| purse.state.lock().claim_slack(lease));
        let user = purse.map(|purse| purse.user);
        let shrunk = self.shrink(lease, slack, user).await;
        if let (Some(purse), Err(_)) = (purse, &shrunk) {
            purse.state.lock().restore_slack(lease, slack);
        }
        let (transaction, is_owing) = shrunk?;
        let committed = transaction.commit().await;
        if let Some(purse) = purse {
            let mut state = purse.state.lock();
            match &committed {
                Ok(()) => state.is_owing = is_owing,
                // The records may have it back all the same, and others may spend it by now.
                Err(_) if slack > 0 && state.lease == Some(lease) => state.end(),
                Err(_) => {}
            }
        }
        committed
    }

    /// Gives a part of a lease back, up to the commit, and says whether the user still owes then.
    async fn shrink(
        &self,
        lease: LeaseId,
        nanos: i64,
        user: Option<UserId>,
    ) -> store::Result<(Transaction, bool)> {
        let transaction = self.write().await?;
        leases::lock(&transaction, &[lease]).await?;
        leases::shrink(&transaction, lease, nanos, self.now()).await?;
        let owed = match user {
            Some(user) => -ledger::balance(&transaction, Account::Owed(user)).await?,
            None => 0,
        };
        Ok((transaction, owed > 0))
    }
}
