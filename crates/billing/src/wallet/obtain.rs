//! Getting more into a purse: from the wallet, from this node's other purses of the user, from
//! leases of dead nodes, and from other nodes, in this order.

use std::sync::Arc;

use store::budgets::Budget;
use store::leases::{self, Ask, Obtained};
use store::{LeaseId, StoreError};

use super::inner::Inner;
use super::purse::{Answer, Purse};

/// How many expired leases are closed at once.
const EXPIRED_AT_ONCE: u32 = 100;
/// How often other nodes are asked: what they give back a third node may take first.
const RECALLS: u32 = 3;

impl Inner {
    /// One attempt; whoever waits on the purse is told how it ended.
    pub(super) async fn obtain(
        &self,
        purse: &Arc<Purse>,
        amount: i64,
        budgets: &[Budget],
        is_ahead: bool,
    ) {
        let attempt = Attempt {
            inner: self,
            purse,
            amount,
            budgets,
        };
        let answer = match attempt.run(is_ahead).await {
            Ok(answer) => answer,
            Err(error) if is_ahead => {
                tracing::debug!(%error, "no slice could be fetched ahead");
                Answer::TryAgain
            }
            Err(error) => Answer::Failed(Arc::new(error)),
        };
        {
            let mut state = purse.state.lock();
            state.is_obtaining = false;
            state.finished = state.started;
            state.answer = answer;
        }
        purse.turned.notify_waiters();
    }
}

struct Attempt<'a> {
    inner: &'a Inner,
    purse: &'a Arc<Purse>,
    amount: i64,
    budgets: &'a [Budget],
}

/// What is missing.
enum Outcome {
    Filled,
    Short {
        available: i64,
        elsewhere: i64,
        owed: i64,
    },
}

impl Attempt<'_> {
    async fn run(&self, is_ahead: bool) -> store::Result<Answer> {
        if let Outcome::Filled = self.ask_wallet(&[], is_ahead).await? {
            return Ok(Answer::TryAgain);
        }
        if is_ahead {
            self.purse.state.lock().low_water = 0;
            return Ok(Answer::TryAgain);
        }
        self.take_back_expired().await?;
        let mut outcome = self.with_spare_slices().await?;
        for recalls in 0.. {
            let Outcome::Short {
                available,
                elsewhere,
                owed,
            } = outcome
            else {
                break;
            };
            let is_hopeless =
                available.saturating_add(elsewhere) < self.missing().saturating_add(owed);
            if elsewhere == 0 || is_hopeless || recalls == RECALLS {
                return Ok(Answer::Short(self.affordable(available)));
            }
            self.recall().await?;
            outcome = self.ask_wallet(&[], false).await?;
        }
        Ok(Answer::TryAgain)
    }

    fn missing(&self) -> i64 {
        let state = self.purse.state.lock();
        (self.amount - state.slack).max(1)
    }

    /// What a call could have: what the wallet gives, and what this purse holds unless the user
    /// owes.
    fn affordable(&self, available: i64) -> i64 {
        let state = self.purse.state.lock();
        let own = if state.is_owing { 0 } else { state.slack };
        available.saturating_add(own)
    }

    /// Takes a slice, after giving back what other purses of this node do not need.
    async fn ask_wallet(
        &self,
        give_back: &[(LeaseId, i64)],
        is_ahead: bool,
    ) -> store::Result<Outcome> {
        let now = self.inner.now();
        let lease = self.current_lease(now);
        match self.slice(give_back, lease, is_ahead, now).await {
            // Others closed the lease. Calls that reserved from it settle on their own.
            Err(StoreError::Stale(_)) if lease.is_some() => {
                self.purse.state.lock().end();
                self.slice(give_back, None, is_ahead, now).await
            }
            other => other,
        }
    }

    /// The lease to add to. One that is about to end is left alone, since it may be closed while
    /// it is added to.
    fn current_lease(&self, now: i64) -> Option<LeaseId> {
        let mut state = self.purse.state.lock();
        if !state.is_alive(now, self.inner.fence_ms()) {
            state.end();
        }
        state.lease
    }

    async fn slice(
        &self,
        give_back: &[(LeaseId, i64)],
        lease: Option<LeaseId>,
        is_ahead: bool,
        now: i64,
    ) -> store::Result<Outcome> {
        let settings = &self.inner.settings;
        let expires_at = now.saturating_add(settings.lease_ms);
        let transaction = self.inner.write().await?;
        let mut touched: Vec<LeaseId> = give_back.iter().map(|(id, _)| *id).collect();
        touched.extend(lease);
        leases::lock(&transaction, &touched).await?;
        for (id, nanos) in give_back {
            leases::shrink(&transaction, *id, *nanos, now).await?;
        }
        let ask = Ask {
            node_id: &settings.node_id,
            user_id: self.purse.user,
            lease,
            minimum_nanos: if is_ahead { 1 } else { self.missing() },
            most_nanos: settings.slice_nanos,
            share: settings.share,
            budgets: self.budgets,
            now,
            expires_at,
        };
        let obtained = leases::obtain(&transaction, &ask).await?;
        transaction.commit().await?;
        Ok(match obtained {
            Obtained::Lease { id, added_nanos } => {
                let mut state = self.purse.state.lock();
                // A slice of just one call means that the wallet is near its end.
                let is_last = added_nanos <= ask.minimum_nanos;
                let low_water = if is_last { 0 } else { added_nanos / 4 };
                state.filled(id, added_nanos, expires_at, low_water);
                state.is_owing = false;
                Outcome::Filled
            }
            Obtained::Short {
                available_nanos,
                elsewhere_nanos,
                owed_nanos,
            } => {
                self.purse.state.lock().is_owing = owed_nanos > 0;
                Outcome::Short {
                    available: available_nanos,
                    elsewhere: elsewhere_nanos,
                    owed: owed_nanos,
                }
            }
        })
    }

    async fn take_back_expired(&self) -> store::Result<()> {
        let transaction = self.inner.write().await?;
        leases::expire(&transaction, self.inner.now(), EXPIRED_AT_ONCE).await?;
        Ok(transaction.commit().await?)
    }

    /// Gives back what this node's other purses of the user have to spare, and tries again. Where
    /// the user owes, this purse gives too: what comes back to the wallet pays the debt.
    async fn with_spare_slices(&self) -> store::Result<Outcome> {
        let is_owing = self.purse.state.lock().is_owing;
        let purses = self.inner.all_purses(Some(self.purse.user));
        let claimed: Vec<_> = purses
            .iter()
            .filter(|other| is_owing || !Arc::ptr_eq(other, self.purse))
            .filter_map(|other| Some((other, other.state.lock().claim_slack()?)))
            .filter(|(_, (_, slack))| *slack > 0)
            .collect();
        let give_back: Vec<_> = claimed.iter().map(|(_, claim)| *claim).collect();
        let outcome = self.ask_wallet(&give_back, false).await;
        if outcome.is_err() {
            for (purse, (lease, slack)) in claimed {
                purse.state.lock().restore_slack(lease, slack);
            }
        }
        outcome
    }

    /// Asks other nodes for what they do not need and waits until all of them answered.
    async fn recall(&self) -> store::Result<()> {
        let (node, user) = (&self.inner.settings.node_id, self.purse.user);
        let transaction = self.inner.write().await?;
        leases::recall(&transaction, user, node, self.inner.now()).await?;
        transaction.commit().await?;
        let waiting = async {
            while leases::is_recall_open(self.inner.store.read(), user, node).await? {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            Ok::<_, StoreError>(())
        };
        match tokio::time::timeout(self.inner.settings.patience, waiting).await {
            Ok(answered) => answered,
            // A node that does not answer is dead or slow; its lease will expire.
            Err(_) => Ok(()),
        }
    }
}
