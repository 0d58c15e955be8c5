//! Getting more into a purse: from the wallet, from this node's other purses of the user, from
//! leases of dead nodes, and from other nodes, in this order. A wallet that was short before is
//! looked at first, which locks nothing: whoever calls on with an empty wallet delays nobody.

use std::sync::Arc;

use store::budgets::Budget;
use store::leases::{self, Ask, Obtained};
use store::{LeaseId, StoreError};

use super::inner::Inner;
use super::purse::{Answer, Purse, Short};

/// How many expired leases are closed at once.
const EXPIRED_AT_ONCE: u32 = 100;
/// How often other nodes are asked: what they give back a third node may take first.
const RECALLS: u32 = 3;
/// How long what others hold is left alone where all of it together would not be enough.
const GATHERED_FOR_MS: i64 = 1_000;

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
        reachable: i64,
        is_bound_by_budget: bool,
    },
}

impl Attempt<'_> {
    async fn run(&self, is_ahead: bool) -> store::Result<Answer> {
        if !is_ahead && let Some(short) = self.look().await? {
            return Ok(Answer::Short(short));
        }
        if let Outcome::Filled = self.ask_wallet(is_ahead).await? {
            return Ok(Answer::TryAgain);
        }
        if is_ahead {
            self.purse.state.lock().low_water = 0;
            return Ok(Answer::TryAgain);
        }
        self.take_back_expired().await?;
        let mut outcome = self.with_spare_slices().await?;
        let mut recalls = 0;
        while let Outcome::Short {
            available,
            reachable,
            is_bound_by_budget,
        } = outcome
        {
            let is_hopeless = reachable < self.missing();
            // Where it is hopeless they are asked once all the same: a call that wants less gets
            // what they have.
            let most = if is_hopeless { 1 } else { RECALLS };
            if reachable <= available || recalls >= most {
                self.purse.state.lock().gathered_at = Some(self.inner.now());
                return Ok(Answer::Short(Short {
                    affordable: self.affordable(available),
                    is_bound_by_budget,
                }));
            }
            recalls += 1;
            self.recall().await?;
            outcome = self.ask_wallet(false).await?;
        }
        Ok(Answer::TryAgain)
    }

    /// What can be had where the wallet was short before and still is, whatever anybody gives back;
    /// none where more has to be tried.
    async fn look(&self) -> store::Result<Option<Short>> {
        let was_short = matches!(self.purse.state.lock().answer, Answer::Short(_));
        if !was_short {
            return Ok(None);
        }
        let records = self.inner.store.read();
        let reach = leases::reach(records, self.purse.user, self.budgets, "").await?;
        if reach.most_nanos >= self.amount {
            return Ok(None);
        }
        self.purse.state.lock().is_owing |= reach.owed_nanos > 0;
        let affordable = self.affordable(reach.available_nanos);
        let is_gathered = affordable >= reach.most_nanos || self.was_gathered();
        Ok(is_gathered.then_some(Short {
            affordable,
            is_bound_by_budget: reach.is_bound_by_budget,
        }))
    }

    /// Whether others were asked just now for what they hold.
    fn was_gathered(&self) -> bool {
        let gathered_at = self.purse.state.lock().gathered_at;
        gathered_at.is_some_and(|at| self.inner.now().saturating_sub(at) < GATHERED_FOR_MS)
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

    /// Takes a slice.
    async fn ask_wallet(&self, is_ahead: bool) -> store::Result<Outcome> {
        let _filling = self.purse.filling.lock().await;
        let now = self.inner.now();
        let lease = self.current_lease(now);
        match self.slice(lease, is_ahead, now).await {
            // Others closed the lease. Calls that reserved from it settle on their own.
            Err(StoreError::Stale(_)) if lease.is_some() => {
                self.purse.state.lock().end();
                self.slice(None, is_ahead, now).await
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
        lease: Option<LeaseId>,
        is_ahead: bool,
        now: i64,
    ) -> store::Result<Outcome> {
        let settings = &self.inner.settings;
        let expires_at = now.saturating_add(settings.lease_ms);
        let transaction = self.inner.write().await?;
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
                // Else the purse has ended meanwhile; what was added goes back when the lease ends.
                if state.lease == lease {
                    state.filled(id, added_nanos, expires_at, low_water);
                }
                state.is_owing = false;
                Outcome::Filled
            }
            Obtained::Short {
                available_nanos,
                reachable_nanos,
                owed_nanos,
                is_bound_by_budget,
            } => {
                self.purse.state.lock().is_owing = owed_nanos > 0;
                Outcome::Short {
                    available: available_nanos,
                    reachable: reachable_nanos,
                    is_bound_by_budget,
                }
            }
        })
    }

    async fn take_back_expired(&self) -> store::Result<()> {
        let transaction = self.inner.write().await?;
        leases::expire(&transaction, self.inner.now(), EXPIRED_AT_ONCE).await?;
        transaction.commit().await
    }

    /// Gives back what this node's other purses of the user have to spare, and tries again. Where
    /// the user owes, this purse gives too: what comes back to the wallet pays the debt.
    ///
    /// Each of them in a transaction of its own. Everybody takes budgets' windows before accounts; a transaction that
    /// gave back first would hold accounts when it comes to the next windows, and could deadlock.
    async fn with_spare_slices(&self) -> store::Result<Outcome> {
        let is_owing = self.purse.state.lock().is_owing;
        for other in self.inner.all_purses(Some(self.purse.user)) {
            let is_own = Arc::ptr_eq(&other, self.purse);
            let spare = other.state.lock().spare();
            if let Some(lease) = spare.filter(|_| is_owing || !is_own) {
                self.inner.give_slack_back(lease, Some(&other)).await?;
            }
        }
        self.ask_wallet(false).await
    }

    /// Asks other nodes for what they do not need and waits until all of them answered. One that
    /// was asked long ago and said nothing is not waited for again.
    async fn recall(&self) -> store::Result<()> {
        let (node, user) = (&self.inner.settings.node_id, self.purse.user);
        self.inner.recall(user, node).await?;
        let patience = self.inner.settings.patience;
        self.inner.wait_for_answers(user, node, patience).await
    }
}
