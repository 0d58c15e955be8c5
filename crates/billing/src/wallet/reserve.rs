//! Reserving, settling and releasing: what a call does with money. In the steady state nothing
//! here waits.

use std::sync::Arc;

use store::budgets::Budget;
use store::request_log::LoggedCall;
use store::{LeaseId, StoreError, UserId};
use tokio::sync::OwnedSemaphorePermit;

use super::entry::{Bill, Entry};
use super::inner::{Inner, Wallets};
use super::purse::{Answer, Purse, State};
use super::row::Row;
use super::settings::Durability;
use super::writer::Message;
use super::written::Written;
use crate::pricing::Charge;

/// What a call wants set aside.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Who pays.
    pub user: UserId,
    /// The budgets of the token and the user, with their windows of now.
    pub budgets: &'a [Budget],
    /// The worst case.
    pub amount_nanos: i64,
}

/// Why nothing could be set aside.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReserveError {
    /// Wallet, budgets and every unspent slice together do not cover it.
    #[error("not enough: {affordable_nanos} nano-dollars are left")]
    NotEnough {
        /// What could be reserved right now.
        affordable_nanos: i64,
        /// Whether it is a budget that is spent, not the wallet.
        is_bound_by_budget: bool,
    },
    /// The records did not answer, and what the node holds is spent.
    #[error("the wallet cannot be reached: {0}")]
    Unavailable(Arc<StoreError>),
}

/// Money set aside for one call. Dropped, it is released.
#[must_use]
pub struct Reservation {
    inner: Arc<Inner>,
    purse: Arc<Purse>,
    lease: Option<LeaseId>,
    amount_nanos: i64,
    /// Goes with the settlement; none once it went.
    permit: Option<OwnedSemaphorePermit>,
}

impl Wallets {
    /// Sets the worst case of a call aside. Waits for the database only where the node's slice
    /// does not cover it.
    pub async fn reserve(&self, request: Request<'_>) -> Result<Reservation, ReserveError> {
        if let Some(error) = self.inner.stuck() {
            return Err(ReserveError::Unavailable(error));
        }
        let permits = Arc::clone(&self.inner.permits);
        let permit = match Arc::clone(&permits).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => match self.inner.away() {
                Some(error) => return Err(ReserveError::Unavailable(error)),
                None => permits.acquire_owned().await.ok(),
            },
        };
        let windows = request.budgets.iter().map(|budget| budget.window);
        // An answer counts only from an attempt that began after this call came.
        let mut first_attempt = None;
        loop {
            let purse = self.inner.purse(request.user, windows.clone());
            let turned = purse.turned.notified();
            match self.try_reserve(&purse, request, &mut first_attempt)? {
                Try::Reserved(lease) => {
                    return Ok(Reservation {
                        inner: Arc::clone(&self.inner),
                        purse: Arc::clone(&purse),
                        lease,
                        amount_nanos: request.amount_nanos,
                        permit,
                    });
                }
                Try::Wait => turned.await,
                Try::Removed => first_attempt = None,
            }
        }
    }

    fn try_reserve(
        &self,
        purse: &Arc<Purse>,
        request: Request<'_>,
        first_attempt: &mut Option<u64>,
    ) -> Result<Try, ReserveError> {
        let inner = &self.inner;
        let mut state = purse.state.lock();
        if state.is_removed {
            return Ok(Try::Removed);
        }
        if state.reserve(request.amount_nanos, inner.now(), inner.fence_ms()) {
            if state.slack < state.low_water && !state.is_obtaining {
                inner.begin_attempt(purse, &mut state, request, true);
            }
            return Ok(Try::Reserved(state.lease));
        }
        let first = *first_attempt.get_or_insert(state.started + 1);
        if !state.is_obtaining {
            if state.finished >= first
                && let Some(error) = refusal(&state, request.amount_nanos)
            {
                return Err(error);
            }
            if let Some(error) = inner.away() {
                return Err(ReserveError::Unavailable(error));
            }
            inner.begin_attempt(purse, &mut state, request, false);
        }
        Ok(Try::Wait)
    }
}

enum Try {
    Reserved(Option<LeaseId>),
    Wait,
    Removed,
}

/// What the last attempt says to a call of this size.
fn refusal(state: &State, amount: i64) -> Option<ReserveError> {
    match &state.answer {
        Answer::Short(short) if short.affordable < amount => Some(ReserveError::NotEnough {
            affordable_nanos: short.affordable.max(0),
            is_bound_by_budget: short.is_bound_by_budget,
        }),
        Answer::Failed(error) => Some(ReserveError::Unavailable(Arc::clone(error))),
        Answer::Short(_) | Answer::TryAgain => None,
    }
}

impl Inner {
    /// Starts to get more. In a task of its own: a client that goes away must not leave a lease
    /// behind that nobody knows.
    fn begin_attempt(
        self: &Arc<Self>,
        purse: &Arc<Purse>,
        state: &mut State,
        request: Request<'_>,
        is_ahead: bool,
    ) {
        state.is_obtaining = true;
        state.started += 1;
        let (inner, purse) = (Arc::clone(self), Arc::clone(purse));
        let budgets = request.budgets.to_vec();
        let amount = request.amount_nanos;
        tokio::spawn(async move {
            inner.obtain(&purse, amount, &budgets, is_ahead).await;
        });
    }
}

impl Reservation {
    /// How much is set aside.
    pub fn amount_nanos(&self) -> i64 {
        self.amount_nanos
    }

    /// Ends the call with what it cost, exactly once; the rest can be reserved again. Does not
    /// wait, so it can be called where a client went away. The log row gets the charge here: as much
    /// as the node's slice covers. What it lacks the writer takes from the wallet.
    pub fn settle(mut self, charge: Charge, mut call: LoggedCall) -> Written {
        let charged = {
            let mut state = self.purse.state.lock();
            state.settle(self.lease, self.amount_nanos, charge.total_nanos)
        };
        let excess = charge.total_nanos - charged;
        call.loss_nanos = (excess > 0).then_some(excess);
        let charge = charge.at_most(charged);
        call.charge_nanos = charge.total_nanos;
        let must_wait = self.inner.settings.durability == Durability::Strict;
        let (done, written) = Written::charge(must_wait);
        // First the room: what is boxed in the end would be copied there.
        let room = Box::new_uninit();
        let entry = Entry {
            bill: Some(Bill {
                purse: Arc::clone(&self.purse),
                charge,
            }),
            row: Row {
                lease: self.lease,
                call,
            },
            done,
            permit: self.permit.take(),
        };
        let sent = self
            .inner
            .queue
            .send(Message::Settle(Box::write(room, entry)));
        debug_assert!(sent.is_ok(), "the writer lives as long as the wallets");
        self.inner.joining.came(|| self.inner.running());
        self.amount_nanos = 0;
        written
    }

    /// Ends a call that costs nothing and is not logged.
    pub fn release(self) {
        drop(self);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.amount_nanos > 0 {
            let mut state = self.purse.state.lock();
            state.settle(self.lease, self.amount_nanos, 0);
        }
    }
}
