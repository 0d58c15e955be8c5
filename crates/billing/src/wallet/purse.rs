//! One lease in memory: pure bookkeeping under a short lock, no waiting and no records.
//!
//! What the records hold for the lease (taken less spent) is never less than `slack + reserved`;
//! charges that are not written yet count as reserved. It is more where they refused a charge.

use std::sync::Arc;

use parking_lot::Mutex;
use store::budgets::Window;
use store::{LeaseId, StoreError, UserId};
use tokio::sync::Notify;

/// The lease of one user and one set of budget windows.
#[derive(Debug)]
pub(super) struct Purse {
    pub user: UserId,
    /// The budgets that everything in it was taken from.
    pub windows: Vec<Window>,
    pub state: Mutex<State>,
    /// Locked while money moves between the records and the purse, so that what was taken is in the purse
    /// before anybody looks for it there.
    pub filling: tokio::sync::Mutex<()>,
    /// Told whenever an attempt to get more has ended.
    pub turned: Notify,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub lease: Option<LeaseId>,
    /// What new calls may reserve.
    pub slack: i64,
    /// What running calls and unwritten charges hold.
    pub reserved: i64,
    /// When others may take the lease back.
    pub expires_at: i64,
    pub last_used: i64,
    /// Below this more is fetched ahead; zero near the end of a wallet.
    pub low_water: i64,
    /// The user owes: nothing is reserved until the records say that it was paid.
    pub is_owing: bool,
    pub is_obtaining: bool,
    /// Attempts to get more, by number, and how the last one ended.
    pub started: u64,
    pub finished: u64,
    pub answer: Answer,
    /// When others were last asked for what they hold, in vain.
    pub gathered_at: Option<i64>,
    /// Taken off the list: whoever still holds it must look for another one.
    pub is_removed: bool,
}

/// How an attempt to get more ended.
#[derive(Clone, Debug, Default)]
pub(super) enum Answer {
    /// With more, or without an answer that others could use.
    #[default]
    TryAgain,
    /// There is only so much, this purse included.
    Short(Short),
    /// The records did not answer.
    Failed(Arc<StoreError>),
}

/// What there is where it is too little.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    pub affordable: i64,
    /// Whether a budget allows less than the wallet holds.
    pub is_bound_by_budget: bool,
}

impl Purse {
    pub fn new(user: UserId, windows: Vec<Window>) -> Self {
        Self {
            user,
            windows,
            state: Mutex::default(),
            filling: tokio::sync::Mutex::default(),
            turned: Notify::new(),
        }
    }
}

impl State {
    /// Sets an amount aside; false where there is too little, the user owes, or the lease is about
    /// to end.
    pub fn reserve(&mut self, amount: i64, now: i64, fence_ms: i64) -> bool {
        let is_short = self.is_owing || self.slack < amount || !self.is_alive(now, fence_ms);
        if amount > 0 && is_short {
            return false;
        }
        self.slack -= amount;
        self.reserved += amount;
        self.last_used = now;
        true
    }

    /// A node stops spending some time before others may take the lease back.
    pub fn is_alive(&self, now: i64, fence_ms: i64) -> bool {
        self.lease.is_some() && now < self.expires_at.saturating_sub(fence_ms)
    }

    /// Turns a reservation into a charge and says how much is charged; the rest can be reserved
    /// again. A charge beyond its reservation is covered as far as the purse goes; for the rest see `super::excess`.
    pub fn settle(&mut self, lease: Option<LeaseId>, amount: i64, charge: i64) -> i64 {
        if self.lease != lease {
            // The lease is over; what it held is back in the wallet, and the charge comes late.
            return charge.min(amount);
        }
        let beyond = (charge - amount).clamp(0, self.slack);
        let charge = charge.min(amount + beyond);
        self.slack += amount - charge;
        self.reserved -= amount - charge;
        charge
    }

    /// A charge is in the records now, or they refused it. What was refused nobody can reserve before the
    /// lease is given back: spending that money twice would be worse.
    pub fn let_go(&mut self, lease: Option<LeaseId>, charge: i64) {
        if self.lease == lease {
            self.reserved -= charge;
        }
    }

    /// More came, or a first lease.
    pub fn filled(&mut self, lease: LeaseId, added: i64, expires_at: i64, low_water: i64) {
        if self.lease != Some(lease) {
            self.end();
        }
        self.lease = Some(lease);
        self.slack += added;
        self.expires_at = expires_at;
        self.low_water = low_water;
    }

    /// Forgets the lease: it was given back or taken away. Calls that reserved from it settle on
    /// their own.
    pub fn end(&mut self) {
        self.lease = None;
        self.slack = 0;
        self.reserved = 0;
        self.low_water = 0;
    }

    /// The lease, where something of it is not reserved.
    pub fn spare(&self) -> Option<LeaseId> {
        self.lease.filter(|_| self.slack > 0)
    }

    /// Takes out all that is not reserved, to give it back, where the purse still is of this lease.
    pub fn claim_slack(&mut self, lease: LeaseId) -> i64 {
        if self.lease != Some(lease) {
            return 0;
        }
        self.low_water = 0;
        std::mem::take(&mut self.slack)
    }

    /// Puts back what was claimed and could not be given back.
    pub fn restore_slack(&mut self, lease: LeaseId, slack: i64) {
        if self.lease == Some(lease) {
            self.slack += slack;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(slack: i64) -> State {
        let mut state = State::default();
        state.filled(LeaseId(1), slack, 1_000, 0);
        state
    }

    #[test]
    fn the_rest_of_a_reservation_can_be_reserved_again() {
        let mut state = full(100);
        assert!(state.reserve(80, 0, 100));
        assert!(!state.reserve(30, 0, 100));
        assert_eq!(state.settle(Some(LeaseId(1)), 80, 50), 50);
        assert_eq!((state.slack, state.reserved), (50, 50));
        state.let_go(Some(LeaseId(1)), 50);
        assert_eq!((state.slack, state.reserved), (50, 0));
    }

    #[test]
    fn a_charge_beyond_its_reservation_takes_what_the_purse_has() {
        let mut state = full(100);
        assert!(state.reserve(80, 0, 100));
        assert_eq!(state.settle(Some(LeaseId(1)), 80, 95), 95);
        assert_eq!((state.slack, state.reserved), (5, 95));
        let mut state = full(100);
        assert!(state.reserve(80, 0, 100));
        assert_eq!(state.settle(Some(LeaseId(1)), 80, 500), 100);
        assert_eq!((state.slack, state.reserved), (0, 100));
    }

    #[test]
    fn nothing_is_reserved_shortly_before_the_end_of_the_lease() {
        let mut state = full(100);
        assert!(state.reserve(1, 899, 100));
        assert!(!state.reserve(1, 900, 100));
        assert!(state.reserve(0, 900, 100));
    }

    #[test]
    fn a_refused_charge_is_neither_held_nor_to_be_reserved() {
        let mut state = full(100);
        assert!(state.reserve(80, 0, 100));
        assert_eq!(state.settle(Some(LeaseId(1)), 80, 50), 50);
        state.let_go(Some(LeaseId(1)), 50);
        assert!(!state.reserve(51, 0, 100));
        assert_eq!(state.reserved, 0);
    }

    #[test]
    fn a_lease_that_is_over_takes_nothing_back() {
        let mut state = full(100);
        assert!(state.reserve(80, 0, 100));
        state.end();
        state.filled(LeaseId(2), 10, 1_000, 0);
        assert_eq!(state.settle(Some(LeaseId(1)), 80, 90), 80);
        assert_eq!((state.slack, state.reserved), (10, 0));
        state.let_go(Some(LeaseId(1)), 80);
        assert_eq!(state.reserved, 0);
    }

    #[test]
    fn claimed_slack_is_restored_only_to_its_own_lease() {
        let mut state = full(100);
        assert!(state.reserve(30, 0, 100));
        assert_eq!(state.spare(), Some(LeaseId(1)));
        assert_eq!(state.claim_slack(LeaseId(9)), 0);
        assert_eq!(state.claim_slack(LeaseId(1)), 70);
        assert_eq!(state.spare(), None);
        assert!(!state.reserve(1, 0, 100));
        state.restore_slack(LeaseId(1), 70);
        state.restore_slack(LeaseId(9), 70);
        assert_eq!(state.slack, 70);
    }
}
